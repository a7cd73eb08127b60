import { createHealth, createLogger, isUnavailable, openRedis } from '@skyfolio/kit'
import { openQueue, startWorker } from '@skyfolio/kit/queue'
import { startRedis, type TestServer, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { silent } from './fixtures/projection.ts'

const PASSWORD = 'p:ss/w@rd %41'
let server: TestServer

beforeAll(async () => {
  server = await startRedis({ config: [`requirepass ${JSON.stringify(PASSWORD)}`] })
})

afterAll(() => server.stop())

const withPassword = (password: string) => server.url.replace('://', `://:${encodeURIComponent(password)}@`)

test('the password in the URL opens connections, queues and workers', async () => {
  const url = withPassword(PASSWORD)
  const redis = openRedis(url, 'test')
  expect(await redis.set('key', 'value')).toBe('OK')
  redis.disconnect()

  const done: string[] = []
  const queue = openQueue<string>('guarded', url)
  await queue.check()
  await (await queue.ready()).add('one', 'job')
  const worker = startWorker<string>('guarded', url, async ({ data }) => void done.push(data), {
    concurrency: 1,
    logger: silent,
  })
  await waitFor(() => done.length === 1, { what: 'the job' })
  await worker.stop()
  await queue.close()
})

test.each([
  ['a wrong password', 'wrong-one', 'WRONGPASS'],
  ['none', '', 'NOAUTH'],
])('with %s the log says why, not the password, and the process is not ready', async (_, password, reason) => {
  const lines: string[] = []
  const logger = createLogger('test', 'info', { write: (line: string) => void lines.push(line) })
  const url = password ? withPassword(password) : server.url
  const redis = openRedis(url, 'test', logger)
  const queue = openQueue<string>('guarded', url)
  const health = createHealth()
  health.addCheck('redis', async () => void (await redis.ping()))
  health.addCheck('queue', () => queue.check())
  health.ready()
  await waitFor(() => lines.length > 0, { what: 'the log line' })
  const { ok, checks } = await health.readiness()
  expect({ ok, checks }).toEqual({
    ok: false,
    checks: { process: 'ok', redis: expect.any(String), queue: expect.any(String) },
  })
  expect(lines.join()).toContain(reason)
  expect(lines.join()).not.toContain('wrong-one')
  const failure = await redis.get('key').catch((error) => error)
  expect(isUnavailable(failure)).toBe(true)
  redis.disconnect()
  await queue.close()
})
