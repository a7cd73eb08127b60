import { startSchedule } from '@skyfolio/kit/queue'
import { runFixture, startRedis, type TestServer, waitFor } from '@skyfolio/testkit'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { silent } from './fixtures/projection.ts'

let server: TestServer

beforeAll(async () => {
  server = await startRedis()
})

afterAll(() => server.stop())

function start(name: string, work: () => Promise<void>, { url = server.url, everyMs = 100 } = {}) {
  const schedule = startSchedule(name, url, work, { everyMs, logger: silent, lockMs: 1_000 })
  onTestFinished(() => schedule.stop())
  return schedule
}

test('two processes run the work in turns, never at the same time, and do not catch up on missed runs', async () => {
  const redis = new Redis(server.url, { maxRetriesPerRequest: null })
  const queue = new Queue('turns', { connection: redis })
  onTestFinished(async () => {
    await queue.close()
    redis.disconnect()
  })
  const isOverdue = async () => {
    const next = await queue.getJobs(['delayed', 'waiting'])
    return next.some(({ timestamp, delay }) => timestamp + delay < Date.now() - 300)
  }
  let running = 0
  let most = 0
  const starts: number[] = []
  const work = async () => {
    running += 1
    most = Math.max(most, running)
    starts.push(performance.now())
    if (starts.length === 3) await waitFor(isOverdue, { what: 'a run that is three intervals late' })
    running -= 1
  }
  start('turns', work)
  start('turns', work)
  await waitFor(() => starts.length >= 12, { what: 'twelve runs' })
  expect(most).toBe(1)
  const [, , , fourth = 0, , , seventh = 0] = starts
  expect(seventh - fourth).toBeGreaterThan(150)
})

test('goes on after the clock was an hour ahead', async () => {
  let runs = 0
  const realNow = Date.now
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => realNow() + 3_600_000)
  onTestFinished(() => clock.mockRestore())
  start('clock', async () => {
    runs += 1
  })
  await waitFor(() => runs >= 2, { what: 'two runs' })
  clock.mockRestore()
  const before = runs
  await waitFor(() => runs >= before + 3, { what: 'three more', timeoutMs: 20_000 })
})

test('another process continues after a kill', async () => {
  const hanging = runFixture(new URL('./fixtures/hanging-schedule.ts', import.meta.url), ['killed', server.url])
  await hanging.printed('taken')
  let runs = 0
  start('killed', async () => {
    runs += 1
  })
  hanging.process.kill('SIGKILL')
  await hanging.ended
  await waitFor(() => runs >= 3, { what: 'three runs', timeoutMs: 15_000 })
})

test('continues after an outage of Redis that has lost everything, and after a failure', async () => {
  const own = await startRedis()
  onTestFinished(() => own.stop())
  let runs = 0
  const work = async () => {
    runs += 1
    if (runs === 2) throw new Error('not yet')
  }
  const schedule = start('lost', work, { url: own.url })
  await waitFor(() => runs >= 4, { what: 'runs after a failure' })

  await own.stop()
  await expect(schedule.check()).rejects.toThrow()
  await own.start()
  const redis = new Redis(own.url)
  await redis.flushall()
  redis.disconnect()
  const before = runs
  await waitFor(() => runs >= before + 3, { what: 'runs after the loss', timeoutMs: 20_000 })
  await schedule.check()
}, 40_000)

test('stopping waits for the run in progress', async () => {
  let ended = false
  const released = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const schedule = startSchedule(
    'stopping',
    server.url,
    async () => {
      begun.resolve()
      await released.promise
      ended = true
    },
    { everyMs: 100, logger: silent },
  )
  await begun.promise
  const stopping = schedule.stop()
  released.resolve()
  await stopping
  expect(ended).toBe(true)
})
