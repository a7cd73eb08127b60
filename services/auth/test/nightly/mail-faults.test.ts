import { randomUUID } from 'node:crypto'
import { openRedis } from '@skyfolio/kit'
import { startTcpProxy, waitFor } from '@skyfolio/testkit'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type MailSystem, openMailSystem, tokenIn } from '../mail/support.ts'

/* A mail server that fails in every way: no mail is lost, and nothing of it is seen elsewhere. */

let system: MailSystem
beforeAll(async () => {
  system = await openMailSystem()
})
afterEach(async () => {
  await system.mailbox.clearFault()
  await system.stopAll()
})
afterAll(() => system.close())

/** A warning to a new user with a confirmed address. Returns the address. */
async function requestMail(): Promise<string> {
  const { id, email } = await system.addUser()
  await system.request({ kind: 'password-changed', userId: id, address: null })
  return email ?? ''
}

const hits = async () => (await system.mailbox.fault())?.hits ?? 0
const received = (to: string) => system.mailbox.messages(to)

test('mails wait for a server that cannot be reached, are tried rarely, and are sent soon after it is back', async () => {
  const log: string[] = []
  await system.mailbox.setFault({ reply: 'connection-refused' })
  await system.start({ log })
  const addresses = await Promise.all(Array.from({ length: 30 }, requestMail))
  await waitFor(() => log.some((line) => line.includes('mail server unavailable')), { what: 'the outage is logged' })
  // A second attempt has failed too, which is not logged again.
  await waitFor(async () => (await system.mails()).some(({ dueAt }) => dueAt.getTime() > Date.now() + 1_000), {
    what: 'a longer pause',
  })
  expect(log.filter((line) => line.includes('unavailable'))).toHaveLength(1)
  // Nobody's attempt is used up.
  expect((await system.mails()).every(({ attempts, status }) => attempts <= 1 && status === 'waiting')).toBe(true)
  await system.mailbox.clearFault()
  await waitFor(async () => (await system.mails()).every(({ status }) => status === 'sent'), { what: 'all are sent' })
  for (const address of addresses) expect(await received(address)).toHaveLength(1)
  expect(log.some((line) => line.includes('mail server available again'))).toBe(true)
  await system.db.mail.deleteMany({})
})

test.each(['recipient', 'content'] as const)(
  '4xx for the %s: the mail is tried again until it is taken',
  async (at) => {
    await system.mailbox.setFault({ reply: 'busy', at, times: 2 })
    await system.start()
    const address = await requestMail()
    expect(await system.settled('sent')).toMatchObject({ attempts: 3, rejections: 0 })
    expect(await received(address)).toHaveLength(1)
  },
)

test('a server that responds with 421 is left alone for a moment', async () => {
  const log: string[] = []
  await system.mailbox.setFault({ reply: 'busy', code: 421, times: 1 })
  await system.start({ log })
  const address = await requestMail()
  expect(await system.settled('sent')).toMatchObject({ attempts: 1 })
  expect(await received(address)).toHaveLength(1)
  expect(log.join('')).toContain('mail server unavailable')
})

test('only the mail whose content gets 421 waits', async () => {
  const log: string[] = []
  await system.mailbox.setFault({ reply: 'busy', code: 421, times: 1, at: 'content' })
  await system.start({ log })
  const address = await requestMail()
  expect(await system.settled('sent')).toMatchObject({ attempts: 2 })
  expect(await received(address)).toHaveLength(1)
  expect(log.join('')).not.toContain('mail server unavailable')
})

test.each(['recipient', 'content'] as const)('5xx for the %s: the mail has failed after some attempts', async (at) => {
  const log: string[] = []
  await system.mailbox.setFault({ reply: 'reject', at })
  await system.start({ log, times: { rejectionSeconds: [0, 0] } })
  const address = await requestMail()
  expect(await system.settled('failed')).toMatchObject({ attempts: 3, address: null, data: {} })
  expect(await received(address)).toEqual([])
  const line = log.find((entry) => entry.includes('mail rejected for good')) ?? ''
  expect(JSON.parse(line)).toMatchObject({ kind: 'password-changed', failure: { kind: 'rejected', reply: 550 } })
})

test('a mail that gets 5xx only for a while is sent', async () => {
  await system.mailbox.setFault({ reply: 'reject', times: 2 })
  await system.start({ times: { rejectionSeconds: [0, 0] } })
  const address = await requestMail()
  expect(await system.settled('sent')).toMatchObject({ attempts: 3, rejections: 2 })
  expect(await received(address)).toHaveLength(1)
})

test('a mail comes again under the same Message-ID when the connection drops after the server took it', async () => {
  await system.mailbox.setFault({ reply: 'drop-after-data', times: 1 })
  await system.start()
  const address = await requestMail()
  const { id } = await system.settled('sent')
  const mails = await received(address)
  expect(mails.map(({ messageId }) => messageId)).toEqual([`<${id}@skyfolio.test>`, `<${id}@skyfolio.test>`])
})

test('an attempt ends at its time limit when the server hangs, and the next one has longer', async () => {
  await system.mailbox.setFault({ reply: 'hang', times: 1 })
  await system.start({ times: { firstSeconds: 1 } })
  const address = await requestMail()
  await waitFor(async () => (await hits()) === 1, { what: 'the server hangs' })
  expect(await system.settled('sent')).toMatchObject({ attempts: 2 })
  expect(await received(address)).toHaveLength(1)
})

test('a mail that hangs does not hold up the others', async () => {
  const stuck = await requestMail()
  await system.mailbox.setFault({ reply: 'hang', to: stuck })
  await system.start()
  await waitFor(async () => (await hits()) === 1, { what: 'the server hangs' })
  const addresses = await Promise.all(Array.from({ length: 5 }, requestMail))
  for (const address of addresses) await system.mailbox.waitForMail({ to: address })
  expect(await received(stuck)).toEqual([])

  // The end of the worker gives the mail up, so that another one need not wait for the end of the lease.
  await system.mailbox.clearFault()
  await system.stopAll()
  expect(await system.db.mail.findFirst({ where: { status: 'waiting' } })).toMatchObject({ leaseId: null, attempts: 1 })
  await system.start()
  await system.mailbox.waitForMail({ to: stuck })
  await system.db.mail.deleteMany({})
})

test('mails are sent when Redis is back after it was lost with all jobs', async () => {
  await system.mailbox.setFault({ reply: 'busy', times: 3 })
  await system.start()
  const addresses = [await requestMail()]
  await waitFor(async () => (await hits()) > 0, { what: 'an attempt' })
  await system.redis.stop()
  addresses.push(await requestMail())
  await system.redis.start()
  const redis = openRedis(system.redis.url, 'test')
  await redis.flushall().finally(() => redis.disconnect())
  await waitFor(async () => (await system.mails()).every(({ status }) => status === 'sent'), {
    what: 'all are sent',
    timeoutMs: 50_000,
  })
  for (const address of addresses) expect(await received(address)).toHaveLength(1)
  await system.db.mail.deleteMany({})
})

test('two workers send each mail once', async () => {
  await Promise.all([system.start(), system.start()])
  const addresses = await Promise.all(Array.from({ length: 60 }, requestMail))
  await waitFor(async () => (await system.mails()).every(({ status }) => status === 'sent'), { what: 'all are sent' })
  for (const address of addresses) expect(await received(address)).toHaveLength(1)
  expect((await system.mails()).every(({ attempts }) => attempts === 1)).toBe(true)
  await system.db.mail.deleteMany({})
})

test('a worker that has lost its lease records nothing, whether it sent the mail or not', async () => {
  const log: string[] = []
  const proxy = await startTcpProxy(system.mailbox.smtpUrl)
  onTestFinished(() => proxy.close())
  proxy.freeze()
  await system.start({ log, smtpUrl: proxy.url })
  const address = await requestMail()
  await waitFor(async () => (await system.mails())[0]?.leaseId, { what: 'the lease' })
  await takeLease()
  proxy.thaw()
  await system.mailbox.waitForMail({ to: address })
  await waitFor(() => log.some((line) => line.includes('no longer leased')), { what: 'the lost lease is logged' })
  expect(await system.mails()).toMatchObject([{ status: 'waiting', finishedAt: null, address: null }])

  await system.mailbox.setFault({ reply: 'hang' })
  await system.stopAll()
  await system.start({ log, times: { firstSeconds: 1, longestSeconds: 1 } })
  await system.db.mail.updateMany({ data: { leaseUntil: new Date(0) } })
  await waitFor(async () => (await hits()) === 1, { what: 'the server hangs' })
  const taken = await takeLease()
  await waitFor(() => log.some((line) => line.includes('mail not sent')), { what: 'the end of the attempt' })
  expect(await system.mails()).toMatchObject([taken])
  await system.db.mail.deleteMany({})
})

/** Another worker has the lease of all mails. */
async function takeLease() {
  const taken = { leaseId: randomUUID(), leaseUntil: new Date(Date.now() + 3_600_000) }
  await system.db.mail.updateMany({ data: taken })
  return taken
}

test('addresses and tokens are in no log and not in Redis', async () => {
  const log: string[] = []
  const redis = openRedis(system.redis.url, 'test')
  onTestFinished(() => redis.disconnect())
  const { email } = await system.addUser({ email: 'secret.reader@example.com' })
  await system.mailbox.setFault({ reply: 'drop-after-data' })
  await system.start({ log })
  await system.request({ kind: 'reset-password', userId: null, address: email })
  const first = await system.mailbox.waitForMail({ to: email ?? '' })
  await system.mailbox.setFault({ reply: 'reject' })
  await waitFor(() => log.some((line) => line.includes('mail rejected')), { what: 'the rejection' })
  const token = tokenIn(first, 'reset-password')
  expect(token).toHaveLength(43)
  const stored = await Promise.all((await redis.keys('*')).map((key) => redis.dumpBuffer(key)))
  for (const text of [log.join(''), ...stored.map(String)]) {
    expect(text).not.toContain(token)
    expect(text).not.toContain('secret.reader')
  }
  await system.db.mail.deleteMany({})
})
