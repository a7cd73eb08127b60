import { fromBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { createLogger, emit, startRelay, waitUntilCaughtUp } from '@skyfolio/kit'
import { events, type UsageChangedSchema, UserChangedSchema } from '@skyfolio/proto'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DURABLE, republishUsers } from '../src/events.ts'
import { beginUsageRebuild, endUsageRebuild, saveUsage } from '../src/usage/usage.ts'
import { asOperator } from './administration/support.ts'
import { startAuth, type TestAuth } from './support.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startAuth()
  await auth.startWorker()
})
afterAll(() => auth.close())

/** The events of a user, oldest first. */
async function eventsOf(userId: number) {
  const rows = await auth.db.outbox.findMany({
    where: { subject: events.userChanged.subject },
    orderBy: { seq: 'asc' },
  })
  const all = rows.map(({ payload }) => fromBinary(UserChangedSchema, payload))
  return all.filter(({ user }) => user?.id === userId)
}

/** Publishes a user's usage as media does. */
async function publishUsage(...usages: MessageInitShape<typeof UsageChangedSchema>[]) {
  await auth.db.$transaction((tx) => emit(tx, events.usageChanged, ...usages))
  const relay = startRelay({ pool: auth.pool, nats: auth.nats, logger: createLogger('test', 'silent') })
  await relay.flush()
  await relay.stop()
}

const usage = (userId: number, photos: number, revision: bigint) => ({
  userId,
  photos,
  locations: 2,
  bytes: BigInt(photos) * 5_000_000_000n,
  revision,
})

const statistics = (photos: number) => ({
  totalPhotos: photos,
  uniqueLocations: 2,
  storageUsed: photos * 5_000_000_000,
})

/** Waits until the worker has handled all that was published before. */
const handled = () => waitUntilCaughtUp(auth.nats, { durable: DURABLE, subjects: [events.usageChanged.subject] })

test('a registration is an event without names and addresses', async () => {
  const { userId } = await auth.register('amelia', { email: 'amelia@example.org', firstName: 'Amelia' })
  const published = await eventsOf(userId)
  expect(published).toMatchObject([{ user: { id: userId, publicByDefault: true }, revision: 1 }])
  expect(published[0]?.user?.quota).toBeUndefined()
  const { payload, headers } = await auth.db.outbox.findFirstOrThrow({ orderBy: { seq: 'desc' } })
  expect(`${Buffer.from(payload)}${JSON.stringify(headers)}`.toLowerCase()).not.toContain('amelia')
  await waitFor(async () => (await auth.db.outbox.count({ where: { publishedAt: null } })) === 0, { what: 'published' })
})

test('each change that other services need is an event with the next revision', async () => {
  const user = await auth.register('bessie')
  await user.call('PUT', '/api/user', { publicByDefault: false })
  expect(await asOperator(auth, 'Bessie', { quota: 5_000n })).toMatchObject({ username: 'bessie' })
  await asOperator(auth, 'bessie', { quota: null })
  expect(await asOperator(auth, 'nobody', { quota: 1n })).toBeNull()
  await user.call('PUT', '/api/user', { displayName: 'Bessie C.' })
  await user.call('PUT', '/api/user', { displayName: 'Bessie C.', firstName: 'Elizabeth' })
  await user.call('PUT', '/api/user', { displayName: null })
  const published = (await eventsOf(user.userId)).map(({ user, revision }) => [
    user?.publicByDefault,
    user?.quota,
    user?.displayName,
    revision,
  ])
  expect(published).toEqual([
    [true, undefined, undefined, 1],
    [false, undefined, undefined, 2],
    [false, 5_000n, undefined, 3],
    [false, undefined, undefined, 4],
    [false, undefined, 'Bessie C.', 5],
    [false, undefined, undefined, 6],
  ])
})

test('republishing writes the state of every user again at its revision', async () => {
  const { userId } = await auth.register('edith')
  await asOperator(auth, 'edith', { quota: 7n })
  await auth.db.user.update({ where: { id: userId }, data: { displayName: 'Edith' } })
  expect(await republishUsers(auth.db)).toBe(await auth.db.user.count())
  const published = await eventsOf(userId)
  expect(published.at(-1)).toMatchObject({ revision: 2, user: { quota: 7n, displayName: 'Edith' } })
  expect(published).toHaveLength(3)
})

test("the statistics are those of media's last event, whatever the order and number of deliveries", async () => {
  const user = await auth.register('frank')
  const read = async () => (await user.call('GET', '/api/user/statistics')).json()
  const { userId } = user
  await publishUsage(usage(userId, 3, 3n))
  await waitFor(async () => (await read()).totalPhotos === 3, { what: 'the first event' })
  await publishUsage(usage(userId, 2, 2n), usage(userId, 3, 3n), usage(userId, 1, 1n))
  await handled()
  expect(await read()).toEqual(statistics(3))
  await publishUsage(usage(userId, 0, 4n))
  await waitFor(async () => (await read()).totalPhotos === 0, { what: 'the photos are gone' })
})

test('the same revision again corrects a damaged row', async () => {
  const { userId } = await auth.register('grace')
  const state = { ...usage(userId, 4, 9n), $typeName: 'skyfolio.media.v1.UsageChanged' as const }
  await auth.db.$transaction((tx) => saveUsage(tx, state))
  await auth.db.userUsage.update({ where: { userId }, data: { photos: 77 } })
  await auth.db.$transaction((tx) => saveUsage(tx, state))
  expect(await auth.db.userUsage.findUnique({ where: { userId } })).toMatchObject({ photos: 4, revision: 9n })
})

test('a rebuild keeps statistics meanwhile, takes what media has, also at an earlier revision, and removes the rest', async () => {
  const [kept, restored, gone] = [
    await auth.register('henry'),
    await auth.register('isabel'),
    await auth.register('jack'),
  ]
  const read = async (user: typeof kept) => (await user.call('GET', '/api/user/statistics')).json()
  await publishUsage(...[kept, restored, gone].map(({ userId }) => usage(userId, 6, 20n)))
  await handled()
  expect(await beginUsageRebuild(auth.db)).toBeGreaterThan(2)
  expect(await read(gone)).toEqual(statistics(6))
  await publishUsage(usage(kept.userId, 6, 20n), usage(restored.userId, 5, 12n))
  await handled()
  await publishUsage(usage(restored.userId, 1, 11n))
  await handled()
  expect(await endUsageRebuild(auth.db)).toBeGreaterThan(0)
  expect(await Promise.all([kept, restored].map(read))).toEqual([statistics(6), statistics(5)])
  expect(await read(gone)).toEqual({ totalPhotos: 0, uniqueLocations: 0, storageUsed: 0 })
  expect(await auth.db.userUsage.count({ where: { doubted: true } })).toBe(0)
})
