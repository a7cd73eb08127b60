import { randomUUID } from 'node:crypto'
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { createLogger, emit, startRelay, waitUntilCaughtUp } from '@skyfolio/kit'
import { Environment, events, OrderStatus } from '@skyfolio/proto'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { DURABLE } from '../../src/events.ts'
import { dropUnsendableMails, sweepFinishedMails } from '../../src/mail/mails-table.ts'
import { startAuth, type TestAuth } from '../support.ts'
import { FROM } from './support.ts'

/* Events of other services that lead to notices. No mail server responds here, so they wait. */

const MAIL = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: FROM }
const DAY_MS = 24 * 3_600_000

let auth: TestAuth
let userId: number
let publish: () => Promise<void>
beforeAll(async () => {
  auth = await startAuth({ settings: MAIL })
  userId = (await auth.register('ann')).userId
  // Without an address the notices would be dropped.
  await auth.db.user.update({ where: { id: userId }, data: { email: 'ann@example.com', emailConfirmed: true } })
  const relay = startRelay({ pool: auth.pool, nats: auth.nats, logger: createLogger('test', 'silent') })
  publish = () => relay.flush()
  await auth.startWorker()
  stopRelay = () => relay.stop()
})
let stopRelay = async () => {}
afterEach(() => auth.db.mail.deleteMany({}))
afterAll(async () => {
  await stopRelay()
  await auth.close()
})

interface OrderOptions {
  id?: number
  userId?: number
  status?: OrderStatus
  createdDaysAgo?: number
  updatedDaysAgo?: number
}

let orders = 0

async function publishOrder(options: OrderOptions = {}): Promise<void> {
  const { id = ++orders, status = OrderStatus.READY, createdDaysAgo = 1, updatedDaysAgo = 0 } = options
  const ago = (days: number) => timestampFromDate(new Date(Date.now() - days * DAY_MS))
  const order = {
    id,
    userId: options.userId ?? userId,
    environment: Environment.PRODUCTION,
    status,
    vendorOrderId: '512345',
    storeNumber: '59',
    quantity: 3,
    createdAt: ago(createdDaysAgo),
    updatedAt: ago(updatedDaysAgo),
  }
  await auth.db.$transaction((tx) => emit(tx, events.orderChanged, { order, revision: 1 }))
  await publish()
}

async function publishFailed(id: string, count = 1, user = userId): Promise<void> {
  const photos = [{ id: 7, title: 'DJI_1', message: 'The photo is damaged.' }]
  await auth.db.$transaction((tx) => emit(tx, events.uploadFailed, { id, userId: user, photos, count }))
  await publish()
}

/** The notices that the published events request, in the order of their keys: the worker handles several at once. */
async function notices() {
  const subjects = [events.orderChanged, events.uploadFailed, events.exportReady].map(({ subject }) => subject)
  await waitUntilCaughtUp(auth.nats, { durable: DURABLE, subjects })
  return auth.db.mail.findMany({ where: { eventKey: { not: null } }, orderBy: { eventKey: 'asc' } })
}

describe('an order that is ready', () => {
  test('is one notice, however often the event comes', async () => {
    const id = ++orders
    for (const _ of [1, 2, 3]) await publishOrder({ id })
    const found = await notices()
    expect(found).toMatchObject([{ kind: 'order-ready', userId, address: null, eventKey: `order-ready:${id}` }])
    expect(found[0]?.data).toEqual({ orderId: id, orderNumber: '512345', storeNumber: '59', prints: 3, isTest: false })
  })

  test('is no notice in any other status, for a user who does not exist, or when that is old', async () => {
    const others = [
      OrderStatus.UNKNOWN,
      OrderStatus.SUBMITTED,
      OrderStatus.PROCESSING,
      OrderStatus.PICKED_UP,
      OrderStatus.CANCELLED,
    ]
    for (const status of others) await publishOrder({ status })
    await publishOrder({ userId: 999_999 })
    await publishOrder({ updatedDaysAgo: 4 })
    await publishOrder({ createdDaysAgo: 31 })
    expect(await notices()).toEqual([])
  })
})

describe('failed photos', () => {
  test('are one notice for each batch', async () => {
    const id = randomUUID()
    for (const _ of [1, 2]) await publishFailed(id, 30)
    const found = await notices()
    expect(found).toMatchObject([{ kind: 'photos-failed', userId, eventKey: `photos-failed:${id}` }])
    expect(found[0]?.data).toEqual({ photos: [{ title: 'DJI_1', message: 'The photo is damaged.' }], count: 30 })
  })

  test('are no notice for a user who does not exist', async () => {
    await publishFailed(randomUUID(), 1, 999_999)
    expect(await notices()).toEqual([])
  })
})

describe('an export that is ready', () => {
  const publishExport = async (exportId: string, { user = userId, days = 7 } = {}) => {
    const expiresAt = timestampFromDate(new Date(Date.now() + days * DAY_MS))
    await auth.db.$transaction((tx) => emit(tx, events.exportReady, { userId: user, exportId, expiresAt }))
    await publish()
    return timestampDate(expiresAt).toISOString()
  }

  test('is one mail, however often the event comes', async () => {
    const until = await publishExport('first')
    await publishExport('first')
    const next = await publishExport('second')
    const found = await notices()
    expect(found).toMatchObject([
      { kind: 'export-ready', userId, address: null, eventKey: 'export-ready:first', data: { expiresAt: until } },
      { kind: 'export-ready', userId, address: null, eventKey: 'export-ready:second', data: { expiresAt: next } },
    ])
  })

  test('is no mail when it has expired, or for a user who does not exist', async () => {
    await publishExport('expired', { days: -1 })
    await publishExport('of nobody', { user: 999_999 })
    expect(await notices()).toEqual([])
  })
})

test('events request nothing without a mail server', async () => {
  const silent = await startAuth()
  try {
    await silent.startWorker()
    await silent.register('bob', { email: 'bob@example.com' })
    const photos = [{ id: 7, title: 'DJI_1', message: 'The photo is damaged.' }]
    await silent.db.$transaction((tx) =>
      emit(tx, events.uploadFailed, { id: randomUUID(), userId: 1, photos, count: 1 }),
    )
    await waitFor(async () => (await silent.db.outbox.count({ where: { publishedAt: null } })) === 0, {
      what: 'published',
    })
    expect(await silent.db.mail.count()).toBe(0)
  } finally {
    await silent.close()
  }
})

describe('old mails', () => {
  const days = (count: number) => new Date(Date.now() - count * DAY_MS)
  const add = (fields: object) => auth.db.mail.create({ data: { kind: 'password-changed', userId, ...fields } })

  test('are deleted a month after they were finished', async () => {
    await add({ status: 'sent', finishedAt: days(31) })
    const kept = [
      await add({ status: 'sent', finishedAt: days(29) }),
      await add({ createdAt: days(90), dueAt: new Date(2e12) }),
    ]
    expect(await sweepFinishedMails(auth.db)).toBe(1)
    expect((await auth.db.mail.findMany({ orderBy: { seq: 'asc' } })).map(({ id }) => id)).toEqual(
      kept.map(({ id }) => id),
    )
  })

  test('are dropped after a week when they wait for a server which is no longer configured', async () => {
    const old = await add({ createdAt: days(8), address: 'ann@example.com', dueAt: new Date(2e12) })
    const fresh = await add({ createdAt: days(6), dueAt: new Date(2e12) })
    await dropUnsendableMails(auth.db)
    expect(await auth.db.mail.findUnique({ where: { id: old.id } })).toMatchObject({ status: 'dropped', address: null })
    expect(await auth.db.mail.findUnique({ where: { id: fresh.id } })).toMatchObject({ status: 'waiting' })
  })
})
