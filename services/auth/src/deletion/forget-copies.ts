import { fromBinary } from '@bufbuild/protobuf'
import type { NatsConnection } from '@nats-io/nats-core'
import { deadLetters, discardDeadLetter } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import type { Database } from '../database.ts'

/** Events live so long in their stream, and until then a consumer may give one up. */
const EVENT_DAYS = 14
const PAGE_SIZE = 1_000

/** Deletes the dead letters of events about these users, of all consumers. Returns their number. */
export async function deleteDeadLetters(nats: NatsConnection, users: ReadonlySet<number>): Promise<number> {
  let count = 0
  for await (const letter of deadLetters(nats)) {
    if (!mentionsUser(letter.subject, letter.data, users)) continue
    await discardDeadLetter(nats, letter)
    count += 1
  }
  return count
}

/** Deletes auth's own published events about these users, before the outbox forgets them by itself. */
export async function deleteOutboxRows(db: Database, users: ReadonlySet<number>): Promise<void> {
  for (let after = 0n; ; ) {
    const rows = await db.outbox.findMany({
      where: { publishedAt: { not: null }, seq: { gt: after } },
      orderBy: { seq: 'asc' },
      take: PAGE_SIZE,
      select: { seq: true, subject: true, payload: true },
    })
    const found = rows.filter(({ subject, payload }) => mentionsUser(subject, payload, users)).map(({ seq }) => seq)
    if (found.length > 0) await db.outbox.deleteMany({ where: { seq: { in: found } } })
    const last = rows.at(-1)
    if (!last || rows.length < PAGE_SIZE) return
    after = last.seq
  }
}

/** Deletes what consumers gave up after the erasure: events about erased users that were still on their way. */
export async function sweepDeadLetters({ db, nats }: { db: Database; nats: NatsConnection }): Promise<number> {
  const erased = await db.$queryRaw<{ id: number }[]>`
    SELECT user_id AS id FROM account_deletions WHERE erased_at > now() - make_interval(days => ${EVENT_DAYS + 1})`
  if (erased.length === 0) return 0
  return deleteDeadLetters(nats, new Set(erased.map(({ id }) => id)))
}

const SCHEMAS = new Map(Object.values(events).map(({ subject, schema }) => [subject, schema]))
/** Entries of the audit log stay. */
const AUDIT = /\.audit\.recorded$/

/** Whether an event is about one of the users; false for one that cannot be read. */
function mentionsUser(subject: string, payload: Uint8Array, users: ReadonlySet<number>): boolean {
  const schema = SCHEMAS.get(subject)
  if (!schema || AUDIT.test(subject)) return false
  try {
    return namesUser(fromBinary(schema, payload) as unknown as Fields, users)
  } catch {
    return false
  }
}

interface Fields {
  userId?: unknown
  user?: { id?: unknown }
  [field: string]: unknown
}

/** An event has `userId` itself or in the entity that it carries; `auth.user.changed` carries the user. */
function namesUser(fields: Fields, users: ReadonlySet<number>): boolean {
  const id = fields.userId ?? fields.user?.id
  if (typeof id === 'number') return users.has(id)
  return Object.values(fields).some((value) => isFields(value) && namesUser(value, users))
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && '$typeName' in value
}
