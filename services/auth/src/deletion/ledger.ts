import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { emit, type ObjectStore } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { findAndLockUser } from '../accounts/users.ts'
import type { Database, Transaction } from '../database.ts'
import { publishUserChanged } from '../events.ts'
import { requestSessionsEnd } from '../sessions/session-endings.ts'

/*
 * The ledger of deletions: one small object for each account whose erasure has begun. It is kept beside the backups, not in
 * them, so that a restored backup brings nobody back: see src/commands/replay-deletions.ts. An entry names the account by its
 * id and by a hash that tells it from another account that got the same id in a restored database.
 */

const PREFIX = 'deletions/'

export interface LedgerEntry {
  userId: number
  /** `accountHash` of the account. */
  account: string
  /** ISO 8601. */
  erasedAt: string
}

export async function writeLedgerEntry(store: ObjectStore, entry: LedgerEntry): Promise<void> {
  const body = Readable.from([Buffer.from(`${JSON.stringify(entry)}\n`)])
  await store.put(`${PREFIX}${entry.userId}.json`, body, { contentType: 'application/json' })
}

/** All entries. @throws Error when one cannot be read: an account would come back unnoticed */
export async function readLedger(store: ObjectStore): Promise<LedgerEntry[]> {
  const entries: LedgerEntry[] = []
  for await (const { key } of store.list(PREFIX)) {
    const found = await store.get(key)
    if (!found) throw new Error(`The entry ${key} of the ledger has disappeared.`)
    entries.push(parseEntry(key, await text(found.body)))
  }
  return entries
}

function parseEntry(key: string, content: string): LedgerEntry {
  try {
    const { userId, account, erasedAt } = JSON.parse(content) as LedgerEntry
    if (key === `${PREFIX}${userId}.json` && /^[0-9a-f]{64}$/.test(account) && !Number.isNaN(Date.parse(erasedAt)))
      return { userId, account, erasedAt }
  } catch {
    // Reported below, without its content.
  }
  throw new Error(`The object ${key} is no entry of the ledger of deletions.`)
}

/** Tells accounts with the same id apart: SHA-256 of the id and the time of the registration. Null when the user is gone. */
export async function accountHash(db: Database | Transaction, userId: number): Promise<string | null> {
  const rows = await db.$queryRaw<{ account: string }[]>`
    SELECT encode(sha256(convert_to(id || ':' || (extract(epoch FROM created_at) * 1000000)::bigint, 'UTF8')), 'hex') AS account
    FROM users WHERE id = ${userId}`
  return rows[0]?.account ?? null
}

export interface Replay {
  entries: number
  /** Accounts that the restored database had again, now being erased. */
  erasedAgain: number[]
  /** Ids that another account has, which stays: nothing was published for them. */
  ofOthers: number[]
}

/**
 * Erases the accounts of the ledger again, after auth was restored from a backup that still has some of them. All services
 * erase all of them, since their databases were restored too. New users get ids above all of the ledger, which services have as
 * tombstones. Safe to repeat.
 */
export async function replayLedger(db: Database, store: ObjectStore): Promise<Replay> {
  const entries = await readLedger(store)
  const replay: Replay = { entries: entries.length, erasedAgain: [], ofOthers: [] }
  if (entries.length === 0) return replay
  await raiseSequence(db, Math.max(...entries.map(({ userId }) => userId)))
  for (const entry of entries) {
    const outcome = await db.$transaction((tx) => replayEntry(tx, entry))
    if (outcome === 'erased again') replay.erasedAgain.push(entry.userId)
    if (outcome === 'of another') replay.ofOthers.push(entry.userId)
  }
  return replay
}

async function raiseSequence(db: Database, id: number): Promise<void> {
  await db.$queryRaw`
    SELECT setval(pg_get_serial_sequence('users', 'id'), greatest(${id}::bigint, last_value)) FROM users_id_seq`
}

async function replayEntry(tx: Transaction, entry: LedgerEntry): Promise<'erased again' | 'of another' | 'gone'> {
  const { userId, account, erasedAt } = entry
  const user = await findAndLockUser(tx, userId)
  if (!user) {
    await tx.$executeRaw`
      INSERT INTO account_deletions (user_id, requested_at, by_admin, deletes_at, erasing_since, published_at, erased_at)
      VALUES (${userId}, ${erasedAt}::timestamptz, true, ${erasedAt}::timestamptz, ${erasedAt}::timestamptz, now(), now())
      ON CONFLICT (user_id) DO UPDATE SET erased_at = coalesce(account_deletions.erased_at, now()), published_at = now()`
    await emit(tx, events.userDeleted, { userId })
    return 'gone'
  }
  if ((await accountHash(tx, userId)) !== account) return 'of another'
  await tx.$executeRaw`
    INSERT INTO account_deletions (user_id, requested_at, by_admin, deletes_at, erasing_since, published_at)
    VALUES (${userId}, ${erasedAt}::timestamptz, true, ${erasedAt}::timestamptz, ${erasedAt}::timestamptz, now())
    ON CONFLICT (user_id) DO UPDATE SET published_at = now(),
      erasing_since = coalesce(account_deletions.erasing_since, excluded.erasing_since)`
  // The services confirm what they erase from now on.
  await tx.serviceErasure.deleteMany({ where: { userId } })
  await publishUserChanged(tx, await tx.user.update({ where: { id: userId }, data: { revision: { increment: 1 } } }))
  await requestSessionsEnd(tx, userId, null)
  await tx.mail.deleteMany({ where: { userId } })
  await emit(tx, events.userDeleted, { userId })
  return 'erased again'
}
