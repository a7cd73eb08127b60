import { join } from 'node:path'
import {
  type FixtureProcess,
  runFixture,
  startNats,
  startTcpProxy,
  type TestServer,
  testDirectory,
  waitFor,
} from '@skyfolio/testkit'
import { freePort } from '@skyfolio/testkit/servers'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { FROM, type MailSystem, ORIGIN, openMailSystem } from '../mail/support.ts'

/* A worker that is killed at any step of a mail: the mail is delivered by the next one. */

let system: MailSystem
let nats: TestServer
beforeAll(async () => {
  system = await openMailSystem()
  nats = await startNats()
})
afterEach(async () => {
  await system.mailbox.clearFault()
  await system.db.mail.deleteMany({})
})
afterAll(async () => {
  await system.close()
  await nats.stop()
})

async function startWorker(smtpUrl = system.mailbox.smtpUrl): Promise<FixtureProcess> {
  const opsPort = await freePort()
  const environment = {
    OPS_PORT: `${opsPort}`,
    DATABASE_URL: system.databaseUrl,
    REDIS_URL: system.redis.url,
    NATS_URL: nats.url,
    PUBLIC_ORIGIN: ORIGIN,
    SMTP_URL: smtpUrl,
    MAIL_FROM: FROM,
    OBJECT_STORE_DIR: join(testDirectory(), 'objects'),
    LOG_LEVEL: 'fatal',
  }
  const worker = runFixture(new URL('../fixtures/worker-process.ts', import.meta.url), [JSON.stringify(environment)])
  onTestFinished(() => kill(worker))
  await waitFor(async () => (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).ok, { what: 'the worker is ready' })
  return worker
}

async function kill(worker: FixtureProcess): Promise<void> {
  worker.process.kill('SIGKILL')
  await worker.ended
}

async function requestMail(): Promise<string> {
  const { id, email } = await system.addUser()
  await system.request({ kind: 'password-changed', userId: id, address: null })
  return email ?? ''
}

const mail = async () => (await system.mails())[0]
const received = (to: string) => system.mailbox.messages(to)

/** The time has passed for which the killed worker had leased the mail. */
async function expireLease(): Promise<void> {
  const { count } = await system.db.mail.updateMany({
    where: { leaseId: { not: null } },
    data: { leaseUntil: new Date(0) },
  })
  expect(count).toBe(1)
}

/** The next worker sends the mail. */
async function deliverAgain(to: string): Promise<void> {
  await expireLease()
  await startWorker()
  await waitFor(async () => (await mail())?.status === 'sent', { what: 'the mail is sent' })
  expect((await received(to)).length).toBeGreaterThan(0)
}

/** A worker that has leased a mail, and a server that says nothing until `proxy.thaw()`. */
async function leaseBehindFrozenServer() {
  const proxy = await startTcpProxy(system.mailbox.smtpUrl)
  onTestFinished(() => proxy.close())
  proxy.freeze()
  const worker = await startWorker(proxy.url)
  const to = await requestMail()
  await waitFor(async () => (await mail())?.leaseId, { what: 'the mail is leased' })
  return { proxy, worker, to }
}

test('a mail is sent once when its worker is killed before the server has it', async () => {
  const proxy = await startTcpProxy(system.mailbox.smtpUrl)
  onTestFinished(() => proxy.close())
  proxy.freeze()
  const worker = await startWorker(proxy.url)
  const to = await requestMail()
  await waitFor(async () => proxy.connections() > 0 && (await mail())?.leaseId, { what: 'the mail is leased' })
  await kill(worker)
  expect(await mail()).toMatchObject({ status: 'waiting', attempts: 1 })
  await deliverAgain(to)
  expect(await received(to)).toHaveLength(1)
})

test('a mail is sent when its worker is killed while the server has it and says nothing', async () => {
  await system.mailbox.setFault({ reply: 'hang', times: 1 })
  const worker = await startWorker()
  const to = await requestMail()
  await waitFor(async () => (await system.mailbox.fault())?.hits === 1, { what: 'the server hangs' })
  await kill(worker)
  await deliverAgain(to)
  expect(await received(to)).toHaveLength(1)
})

const RECORDING = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%UPDATE mails SET status%'`

test('a mail is sent again under the same Message-ID when its worker is killed between acceptance and record', async () => {
  const { proxy, worker, to } = await leaseBehindFrozenServer()
  // Another connection holds the row: the acceptance cannot be recorded.
  const client = await system.pool.connect()
  onTestFinished(() => client.release(true))
  await client.query('BEGIN')
  await client.query('SELECT FROM mails FOR UPDATE')
  proxy.thaw()
  await system.mailbox.waitForMail({ to })
  await waitFor(async () => (await client.query(RECORDING)).rowCount, { what: 'the record waits' })
  await kill(worker)
  // The server would still execute the statement of a client that is gone.
  await client.query(`SELECT pg_terminate_backend(pid) FROM (${RECORDING}) AS recording`)
  await client.query('ROLLBACK')
  const row = await mail()
  expect(row).toMatchObject({ status: 'waiting', attempts: 1 })
  await deliverAgain(to)
  const id = `<${row?.id}@skyfolio.test>`
  expect((await received(to)).map(({ messageId }) => messageId)).toEqual([id, id])
})

test('a mail is not sent again when its worker is killed after the record', async () => {
  const worker = await startWorker()
  const to = await requestMail()
  await waitFor(async () => (await mail())?.status === 'sent', { what: 'the mail is sent' })
  await kill(worker)
  await startWorker()
  const other = await requestMail()
  await system.mailbox.waitForMail({ to: other })
  expect(await received(to)).toHaveLength(1)
})

test('SIGTERM waits for the mail in progress', async () => {
  const { proxy, worker, to } = await leaseBehindFrozenServer()
  worker.process.kill('SIGTERM')
  proxy.thaw()
  expect(await worker.ended).toBeNull()
  expect(await mail()).toMatchObject({ status: 'sent', attempts: 1 })
  expect(await received(to)).toHaveLength(1)
})
