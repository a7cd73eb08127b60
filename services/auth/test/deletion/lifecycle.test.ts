import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { deadLetters, emit } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { beginDueErasures } from '../../src/deletion/erasures.ts'
import { deleteDeadLetters, sweepDeadLetters } from '../../src/deletion/forget-copies.ts'
import { accountHash } from '../../src/deletion/ledger.ts'
import { republishDeletions } from '../../src/events.ts'
import { saveUsage } from '../../src/usage/usage.ts'
import { MAIL_SETTINGS, registerConfirmed, runningSessions } from '../password-support.ts'
import { PASSWORD, startAuth, type TestAuth } from '../support.ts'
import {
  ALL,
  confirm,
  deleteOwn,
  deletionOf,
  flush,
  isErased,
  published,
  registerDeleting,
  turnClock,
  waitForErasure,
} from './support.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startAuth({ settings: MAIL_SETTINGS })
  // Without a mail server, so that mails of the tests stay in the table.
  await auth.startWorker({ SMTP_URL: '', MAIL_FROM: '' })
})
afterAll(() => auth.close())

const entryPath = (userId: number) =>
  join(auth.environment().OBJECT_STORE_DIR ?? '', 'objects', 'deletions', `${userId}.json`)

const isAnnounced = async (userId: number) => ((await deletionOf(auth, userId))?.publishedAt ?? null) !== null
const waitForAnnouncement = (userId: number) => waitFor(() => isAnnounced(userId), { what: 'the event' })

/** Every row of every table that contains the text. */
async function rowsWith(text: string): Promise<string[]> {
  const { rows: tables } = await auth.pool.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
  const found = await Promise.all(
    tables.map(async ({ tablename }) => {
      const { rows } = await auth.pool.query(
        `SELECT 1 FROM ${tablename} AS searched WHERE position($1 in lower(searched::text)) > 0
           OR position(encode(convert_to($1, 'UTF8'), 'hex') in searched::text) > 0`,
        [text],
      )
      return rows.length > 0 ? tablename : []
    }),
  )
  return found.flat()
}

/** Every key and value of Redis that contains the text. */
async function redisWith(text: string): Promise<string[]> {
  const found: string[] = []
  for (const key of await auth.redis.keys('*')) {
    const dump = await auth.redis.dumpBuffer(key)
    if (key.includes(text) || dump?.toString('latin1').toLowerCase().includes(text)) found.push(key)
  }
  return found
}

test('a due account is recorded in the ledger, announced, and erased when every service has confirmed', async () => {
  const owner = await registerConfirmed(auth, 'evaporating')
  await owner.call('PUT', '/api/user', { firstName: 'Unrepeatable', email: 'evaporating@example.com' })
  await auth.post('/api/password-reset', { email: owner.email })
  await auth.post('/api/login', { username: 'evaporating', password: 'a guess' })
  await deleteOwn(owner)
  const { userId } = owner
  const deleting = await auth.signIn('evaporating')
  await auth.db.userUsage.create({ data: { userId, photos: 1, locations: 1, bytes: 5n, revision: 1n } })
  await auth.db.userActivity.create({ data: { userId, lastActiveAt: new Date() } })
  await auth.redis.zadd('user-activity', 1, userId)
  const account = await accountHash(auth.db, userId)
  expect(await isAnnounced(userId)).toBe(false)
  await turnClock(auth, userId)
  await waitForAnnouncement(userId)
  const { erasingSince } = (await deletionOf(auth, userId)) ?? {}
  expect(JSON.parse(await readFile(entryPath(userId), 'utf8'))).toEqual({
    userId,
    account,
    erasedAt: erasingSince?.toISOString(),
  })
  expect((await published(auth, userId)).deletions).toBe(1)
  await waitFor(async () => (await runningSessions(auth, userId)).length === 0, { what: 'the sessions to end' })
  expect((await deleting.call('POST', '/api/user/restore')).statusCode).toBe(401)

  await confirm(auth, userId, ['folders', 'media'])
  await confirm(auth, userId, ['print-orders'], { complete: false, waitsFor: 'The partner still fetches its images.' })
  const saved = async () => (await auth.db.serviceErasure.count({ where: { userId } })) === 3
  await waitFor(saved, { what: 'what the services say' })
  expect(await isErased(auth, userId)).toBe(false)
  await confirm(auth, userId, ['print-orders'], { revision: 2 })
  await waitForErasure(auth, userId)

  for (const text of ['evaporating', 'unrepeatable', String(account)]) {
    expect(await rowsWith(text)).toEqual([])
    expect(await redisWith(text)).toEqual([])
  }
  expect(await auth.db.mail.count({ where: { userId } })).toBe(0)
  expect(await auth.redis.keys(`*:${userId}`)).toEqual([])
  expect(await auth.redis.zscore('user-activity', String(userId))).toBeNull()
  const audit = await auth.db.auditEntry.findMany({ where: { ownerId: userId } })
  expect(audit).toMatchObject([{ action: 'user.erased', actorId: null, detail: '' }])
  expect((await auth.post('/api/login', { username: 'evaporating', password: PASSWORD })).statusCode).toBe(401)
  expect((await auth.register('evaporating')).userId).toBeGreaterThan(userId)
})

test('what comes later of an erased user is not stored, and its dead letters are deleted', async () => {
  const { userId } = await registerDeleting(auth, 'late')
  const { userId: other } = await auth.register('bystander')
  await turnClock(auth, userId)
  await waitForAnnouncement(userId)
  const letter = async (id: number) => {
    const [row] = await auth.db.$transaction(async (tx) => {
      await emit(tx, events.usageChanged, { userId: id, photos: 1, locations: 1, bytes: 1n, revision: 1n })
      return tx.outbox.findMany({ orderBy: { seq: 'desc' }, take: 1 })
    })
    await auth.db.outbox.delete({ where: { seq: row?.seq ?? 0n } })
    await jetstream(auth.nats).publish(`deadletter.media.${events.usageChanged.subject}`, row?.payload)
  }
  for (const id of [userId, other]) await letter(id)
  await jetstream(auth.nats).publish('deadletter.media.unknown.thing.changed', 'not an event')
  await confirm(auth, userId, ALL)
  await waitForErasure(auth, userId)
  const letters = async () => (await (await jetstreamManager(auth.nats)).streams.info('DEADLETTERS')).state.messages
  expect(await letters()).toBe(2)
  await letter(userId)
  expect(await sweepDeadLetters(auth)).toBe(1)
  expect(await letters()).toBe(2)
  const usage = {
    userId,
    photos: 9,
    locations: 1,
    bytes: 1n,
    revision: 99n,
    $typeName: 'skyfolio.media.v1.UsageChanged' as const,
  }
  await auth.db.$transaction((tx) => saveUsage(tx, usage))
  expect(await auth.db.userUsage.count({ where: { userId } })).toBe(0)
  for await (const { sequence } of deadLetters(auth.nats)) expect(sequence).toBeGreaterThan(0)
  expect(await deleteDeadLetters(auth.nats, new Set([other]))).toBe(1)
})

test('an erasure that is not confirmed is announced again every hour, and not more often', async () => {
  const { userId } = await registerDeleting(auth, 'unheard')
  await turnClock(auth, userId)
  await waitForAnnouncement(userId)
  const age = (minutes: number) =>
    auth.pool.query(
      'UPDATE account_deletions SET published_at = now() - make_interval(mins => $2) WHERE user_id = $1',
      [userId, minutes],
    )
  await age(59)
  // The worker announces in the order of the erasures, so the earlier one is considered first.
  const { userId: next } = await registerDeleting(auth, 'next')
  await turnClock(auth, next)
  await waitForAnnouncement(next)
  expect((await published(auth, userId)).deletions).toBe(1)
  await age(61)
  await waitFor(async () => (await published(auth, userId)).deletions === 2, { what: 'the second announcement' })
  await confirm(auth, userId, ALL)
  await waitForErasure(auth, userId)
})

test('old and repeated confirmations change nothing, and one without an erasure is not stored', async () => {
  const { userId } = await registerDeleting(auth, 'stubborn')
  await confirm(auth, userId, ALL, { revision: 9 })
  await turnClock(auth, userId)
  await waitForAnnouncement(userId)
  await confirm(auth, userId, ['print-orders'], { complete: false, waitsFor: 'Something.', revision: 3 })
  await confirm(auth, userId, ['print-orders'], { revision: 2 })
  await confirm(auth, userId, ['folders', 'media'])
  const where = { userId, service: 'media' }
  await waitFor(async () => (await auth.db.serviceErasure.count({ where })) === 1, { what: 'the last confirmation' })
  expect(await isErased(auth, userId)).toBe(false)
  await confirm(auth, userId, ['print-orders'], { revision: 4 })
  await waitForErasure(auth, userId)
  await confirm(auth, userId, ALL, { revision: 5 })
  expect(await auth.db.auditEntry.count({ where: { ownerId: userId } })).toBe(1)
})

test('several workers carry out a deletion once', async () => {
  const workers = [await auth.startWorker(), await auth.startWorker()]
  const owners = [await registerDeleting(auth, 'one'), await registerDeleting(auth, 'two')]
  for (const { userId } of owners) await turnClock(auth, userId)
  for (const { userId } of owners) {
    await waitForAnnouncement(userId)
    await confirm(auth, userId, ALL)
    await waitForErasure(auth, userId)
    expect((await published(auth, userId)).deletions).toBeLessThanOrEqual(1)
    expect(await auth.db.auditEntry.count({ where: { ownerId: userId } })).toBe(1)
  }
  for (const worker of workers) await worker.stop()
})

test('republishing tells of erased users too', async () => {
  const { userId } = await registerDeleting(auth, 'remembered')
  await turnClock(auth, userId)
  await waitForAnnouncement(userId)
  await confirm(auth, userId, ALL)
  await waitForErasure(auth, userId)
  const count = await auth.db.accountDeletion.count({ where: { erasingSince: { not: null } } })
  expect(await republishDeletions(auth.db)).toBe(count)
  expect((await published(auth, userId)).deletions).toBeGreaterThan(0)
})

test('exactly one of a revocation at the deadline and the erasure happens', async () => {
  const idle = await startAuth()
  for (let count = 0; count < 5; count += 1) {
    const { userId } = await registerDeleting(idle, `undecided${count}`)
    const browser = await idle.signIn(`undecided${count}`)
    await turnClock(idle, userId)
    const [restored] = await Promise.all([browser.call('POST', '/api/user/restore'), beginDueErasures(idle.db)])
    const deletion = await deletionOf(idle, userId)
    if (restored.statusCode === 204) expect(deletion).toBeNull()
    else {
      expect([401, 409]).toContain(restored.statusCode)
      expect(deletion?.erasingSince).not.toBeNull()
    }
  }
  await idle.close()
})

test('a worker that ended between two steps is continued by the next one', async () => {
  const idle = await startAuth()
  const begun = await registerDeleting(idle, 'begun')
  await turnClock(idle, begun.userId)
  await beginDueErasures(idle.db)
  expect(await isErased(idle, begun.userId)).toBe(false)
  const worker = await idle.startWorker()
  await waitFor(async () => ((await deletionOf(idle, begun.userId))?.publishedAt ?? null) !== null, {
    what: 'the event',
  })
  await worker.stop()
  await confirm(idle, begun.userId, ALL)
  await flush(idle)
  // As after a crash between Redis and the database: the name is gone from Redis, the row is still there.
  await idle.redis.flushall()
  await idle.startWorker()
  await waitForErasure(idle, begun.userId)
  expect(await idle.db.user.count()).toBe(0)
  await idle.close()
})

test('an account is erased without waiting when the days are 0', async () => {
  const quick = await startAuth({ settings: { ACCOUNT_DELETION_DAYS: '0' } })
  await quick.startWorker()
  const owner = await quick.register('hasty')
  expect((await deleteOwn(owner)).statusCode).toBe(202)
  await waitFor(async () => ((await deletionOf(quick, owner.userId))?.publishedAt ?? null) !== null, {
    what: 'the event',
  })
  await confirm(quick, owner.userId, ALL)
  await waitForErasure(quick, owner.userId)
  await quick.close()
})
