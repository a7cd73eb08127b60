import { randomUUID } from 'node:crypto'
import { type AuditEntry, createLogger, recordAudit, startRelay, waitUntilCaughtUp } from '@skyfolio/kit'
import { type AuditAction, events } from '@skyfolio/proto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sweepAudit, writeAudit } from '../src/audit/audit-log.ts'
import { DURABLE } from '../src/events.ts'
import { registerAdmin } from './admin-support.ts'
import { type Browser, startAuth, type TestAuth } from './support.ts'

const TOPICS = [events.mediaAuditRecorded, events.foldersAuditRecorded, events.ordersAuditRecorded] as const

let auth: TestAuth
let admin: Browser
let pilot: Browser
beforeAll(async () => {
  auth = await startAuth()
  await auth.startWorker()
  admin = await registerAdmin(auth, 'boss')
  pilot = await auth.register('pilot')
})
afterAll(() => auth.close())

interface Line {
  at: string
  actorId: number | null
  actor: string
  action: string
  subject: string
  detail: string
}

async function page(query: Record<string, string> = {}): Promise<{ lines: Line[]; next: string | null }> {
  const response = await admin.call('GET', `/api/admin/audit?${new URLSearchParams(query)}`)
  expect(response.statusCode).toBe(200)
  const link = /[?&]cursor=([^&>]+)/.exec(String(response.headers.link ?? ''))
  return { lines: response.json(), next: link?.[1] ?? null }
}

/** All lines of a search as 'actor action subject', newest first. */
async function find(q: string): Promise<string[]> {
  const { lines } = await page({ q, limit: '200' })
  return lines.map(({ actor, action, subject }) => `${actor} ${action} ${subject}`)
}

interface Stored {
  action: AuditAction
  at?: string
  actorId?: number | null
  ownerId?: number | null
  subjectId?: number | null
}

/** Stores entries, the first one the newest unless they say when. */
async function store(...entries: Stored[]) {
  const data = entries.map((entry, index) => ({
    id: randomUUID(),
    ...entry,
    at: new Date(entry.at ?? Date.now() - index * 1_000),
  }))
  await auth.db.auditEntry.createMany({ data })
}

async function clear() {
  await auth.pool.query(
    'ALTER TABLE audit_log DISABLE TRIGGER ALL; DELETE FROM audit_log; ALTER TABLE audit_log ENABLE TRIGGER ALL',
  )
}

test('entries of all three services arrive once, with what they say, however often they are delivered', async () => {
  await clear()
  const entry = (subjectId: number): AuditEntry => ({
    actorId: admin.userId,
    action: 'photo.viewed',
    ownerId: pilot.userId,
    subjectId,
    detail: 'original',
  })
  await auth.db.$transaction(async (tx) => {
    for (const [index, topic] of TOPICS.entries()) await recordAudit(tx, topic, entry(index + 1))
  })
  const relay = startRelay({ pool: auth.pool, nats: auth.nats, logger: createLogger('test', 'silent') })
  await relay.flush()
  const subjects = TOPICS.map(({ subject }) => subject)
  await waitUntilCaughtUp(auth.nats, { durable: DURABLE, subjects })
  const { lines } = await page()
  expect(lines.map(({ subject }) => subject).sort()).toEqual([1, 2, 3].map((id) => `Photo ${id} of pilot`))
  expect(lines[0]).toMatchObject({ actor: 'boss', action: 'photo.viewed', detail: 'original' })
  expect(Date.now() - Date.parse(lines[0]?.at ?? '')).toBeLessThan(60_000)

  // The stream forgets what it has seen after a while: another message with the same entry.
  await auth.pool.query(
    `INSERT INTO outbox (id, subject, payload, headers) SELECT gen_random_uuid(), subject, payload, headers FROM outbox
     WHERE subject = ANY ($1)`,
    [subjects],
  )
  await relay.flush()
  await relay.stop()
  await waitUntilCaughtUp(auth.nats, { durable: DURABLE, subjects })
  expect(await auth.db.auditEntry.count()).toBe(3)
})

describe('the log', () => {
  test('names users as they are named now, those who are gone by id, and who had no account', async () => {
    await clear()
    await store(
      { action: 'user.disabled', actorId: admin.userId, ownerId: pilot.userId },
      { action: 'user.disabled', actorId: 9_001, ownerId: 9_002 },
      { action: 'user.promoted', ownerId: pilot.userId },
      { action: 'user.erased', ownerId: 9_002 },
      { action: 'folder.deleted', actorId: admin.userId, ownerId: 9_002, subjectId: 4 },
      { action: 'order.viewed', actorId: admin.userId, ownerId: pilot.userId, subjectId: 6 },
      { action: 'photo.viewed', actorId: admin.userId, ownerId: pilot.userId },
      { action: 'environment.changed', actorId: admin.userId },
    )
    const { lines } = await page()
    expect(lines.map(({ actor, subject }) => `${actor}: ${subject}`)).toEqual([
      'boss: User pilot',
      'User 9001: User 9002',
      'Operator (command): User pilot',
      'System (automatic): User 9002',
      'boss: Folder 4 of User 9002',
      'boss: Order 6 of pilot',
      'boss: Photos of pilot',
      'boss: Installation',
    ])
    expect(lines.map(({ actorId }) => actorId).slice(0, 4)).toEqual([admin.userId, 9_001, null, null])
  })

  test('has the entries that auth writes itself', async () => {
    await clear()
    await auth.db.$transaction((tx) =>
      writeAudit(tx, { actorId: admin.userId, action: 'user.edited', ownerId: pilot.userId, detail: 'firstName' }),
    )
    expect((await page()).lines).toMatchObject([{ actor: 'boss', subject: 'User pilot', detail: 'firstName' }])
  })

  test('is read in pages, entries of the same microsecond included, while new ones are added', async () => {
    await clear()
    const at = '2026-01-01T00:00:00.000Z'
    await store(
      ...[1, 2, 3, 4, 5].map((subjectId) => ({ action: 'photo.viewed', ownerId: 9_001, subjectId, at }) as const),
    )
    const seen: string[] = []
    for (let next: string | null = ''; next !== null; ) {
      const read = await page({ q: 'photo', limit: '2', ...(next && { cursor: next }) })
      await store({ action: 'photo.deleted', ownerId: 9_001, subjectId: 77 })
      seen.push(...read.lines.map(({ subject }) => subject))
      next = read.next
    }
    expect(seen).toEqual([5, 4, 3, 2, 1].map((id) => `Photo ${id} of User 9001`))
  })

  test.each([
    'nonsense',
    Buffer.from('2026-02-30T00:00:00.000000Z 1').toString('base64url'),
    Buffer.from('2026-13-01T00:00:00.000000Z 1').toString('base64url'),
  ])('rejects the cursor %s', async (cursor) => {
    expect((await admin.call('GET', `/api/admin/audit?cursor=${cursor}`)).statusCode).toBe(400)
  })
})

describe('a search', () => {
  const viewed = 'boss photo.viewed Photo 5 of pilot'
  const disabled = 'boss user.disabled User pilot'
  const promoted = 'Operator (command) user.promoted User pilot'
  const erased = 'System (automatic) user.erased User 9002'
  const gone = 'User 9001 folder.viewed Folder 5 of User 9002'
  const resolved = 'pilot order.resolved Order 7 of Two Words'
  const switched = 'boss environment.changed Installation'

  beforeAll(async () => {
    await clear()
    const spaced = await auth.register('Two Words')
    await store(
      { action: 'photo.viewed', actorId: admin.userId, ownerId: pilot.userId, subjectId: 5 },
      { action: 'user.disabled', actorId: admin.userId, ownerId: pilot.userId },
      { action: 'user.promoted', ownerId: pilot.userId },
      { action: 'user.erased', ownerId: 9_002 },
      { action: 'folder.viewed', actorId: 9_001, ownerId: 9_002, subjectId: 5 },
      { action: 'order.resolved', actorId: pilot.userId, ownerId: spaced.userId, subjectId: 7 },
      { action: 'environment.changed', actorId: admin.userId },
    )
  })

  test.each([
    ['', [viewed, disabled, promoted, erased, gone, resolved, switched]],
    ['pilot', [viewed, disabled, promoted, resolved]],
    ['PILOT', [viewed, disabled, promoted, resolved]],
    ['boss', [viewed, disabled, switched]],
    ['Two Words', [resolved]],
    ['boss pilot', [viewed, disabled]],
    ['boss pilot Two', []],
    ['User 9002', [erased, gone]],
    ['User 9001', [gone]],
    ['User pilot', [disabled, promoted]],
    ['Photo 5', [viewed]],
    ['Photo 5 of pilot', [viewed]],
    ['Photo 6 of pilot', []],
    ['5', [viewed, gone]],
    ['photo', [viewed]],
    ['photos of pilot', [viewed]],
    ['photo.viewed', [viewed]],
    ['viewed', [viewed, gone]],
    ['view', [viewed, gone]],
    ['pilot viewed', [viewed]],
    ['Looked at a private photo', [viewed]],
    ['looked pilot', [viewed]],
    ['Switched the print environment', [switched]],
    ['Made a user an administrator', [promoted]],
    ['storage limit', []],
    ['Installation', [switched]],
    ['System', [erased]],
    ['Operator', [promoted]],
    ['System (automatic)', [erased]],
    ['Operator (command)', [promoted]],
    ['operator pilot', [promoted]],
    ['nobody', []],
    ['nobody pilot', []],
    ['99999999999', []],
    ['User 99999999999', []],
    ["'; DROP TABLE audit_log; --", []],
    ['%', []],
  ])('for "%s" finds %j', async (q, expected) => {
    expect(await find(q)).toEqual(expected)
  })
})

describe('nobody changes the log', () => {
  test('by a statement of the service, and nothing of the last 30 days is removed', async () => {
    await clear()
    await store({ action: 'photo.viewed', ownerId: 1 })
    for (const statement of [
      `UPDATE audit_log SET action = 'user.edited'`,
      'DELETE FROM audit_log',
      'TRUNCATE audit_log',
    ]) {
      await expect(auth.pool.query(statement)).rejects.toThrow('The audit log is append-only.')
    }
    expect(await find('photo')).toHaveLength(1)
  })

  test('but the worker removes what is older than the configured time', async () => {
    await clear()
    const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 3_600_000).toISOString()
    await store(...[10, 399, 401, 500].map((days) => ({ action: 'photo.viewed', at: daysAgo(days) }) as const))
    expect([await sweepAudit(auth.db, 400), await sweepAudit(auth.db, 400)]).toEqual([2, 0])
    expect(await auth.db.auditEntry.count()).toBe(2)
  })

  test('the configured time is at least 30 days', async () => {
    await expect(auth.startWorker({ AUDIT_DAYS: '29' })).rejects.toThrow('AUDIT_DAYS')
  })
})
