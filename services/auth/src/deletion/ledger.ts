import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { ObjectStore } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'

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
