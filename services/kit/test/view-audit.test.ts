import { fromBinary } from '@bufbuild/protobuf'
import { createViewAudit, openPool } from '@skyfolio/kit'
import { AuditRecordedSchema, events } from '@skyfolio/proto'
import type { TestDatabase } from '@skyfolio/testkit'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { busDatabase } from './fixtures/bus.ts'
import { prismaLike } from './fixtures/projection.ts'

let database: TestDatabase
let pool: pg.Pool

beforeAll(async () => {
  database = await busDatabase()
  pool = openPool(database.url)
})

afterAll(async () => {
  await pool.end()
  await database.drop()
})

const MINUTE = 60_000
const view = (actorId: number, subjectId: number) => ({
  actorId,
  action: 'photo.viewed' as const,
  ownerId: 7,
  subjectId,
})

function openAudit() {
  const clock = { now: 0 }
  let commits = 0
  const audit = createViewAudit({
    topic: events.mediaAuditRecorded,
    db: prismaLike(pool),
    afterCommit: () => {
      commits += 1
    },
    now: () => clock.now,
  })
  return { audit, clock, commits: () => commits }
}

async function subjectsOf(actorId: number): Promise<number[]> {
  const { rows } = await pool.query<{ payload: Buffer }>('SELECT payload FROM outbox ORDER BY seq')
  const entries = rows.map(({ payload }) => fromBinary(AuditRecordedSchema, payload))
  return entries.filter((entry) => entry.actorId === actorId).map(({ subjectId = 0 }) => subjectId)
}

test('an administrator who looks at one thing again has one entry for ten minutes, also for views at the same time', async () => {
  const { audit, clock, commits } = openAudit()
  await Promise.all([audit.record(view(1, 5)), audit.record(view(1, 5))])
  await audit.record(view(1, 6))
  clock.now = 10 * MINUTE - 1
  await audit.record(view(1, 5))
  await audit.record(view(2, 5))
  expect([await subjectsOf(1), await subjectsOf(2), commits()]).toEqual([[5, 6], [5], 3])
  clock.now = 10 * MINUTE
  await audit.record(view(1, 5))
  expect(await subjectsOf(1)).toEqual([5, 6, 5])
})

test('a view that is not recorded fails, and the next one is recorded', async () => {
  const { audit } = openAudit()
  await pool.query('ALTER TABLE outbox RENAME TO hidden_outbox')
  await expect(audit.record(view(3, 5))).rejects.toThrow('outbox')
  await pool.query('ALTER TABLE hidden_outbox RENAME TO outbox')
  await audit.record(view(3, 5))
  expect(await subjectsOf(3)).toEqual([5])
})

test('what it remembers is bounded', async () => {
  const clock = { now: 0 }
  let entries = 0
  const audit = createViewAudit({
    topic: events.mediaAuditRecorded,
    db: {
      async $transaction() {
        entries += 1
        return undefined as never
      },
    },
    afterCommit: () => {},
    now: () => clock.now,
  })
  for (let id = 1; id <= 10_001; id += 1) await audit.record(view(4, id))
  await audit.record(view(4, 10_001))
  expect(entries).toBe(10_001)
  await audit.record(view(4, 1))
  expect(entries).toBe(10_002)
})
