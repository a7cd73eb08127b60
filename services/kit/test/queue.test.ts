import { openRedis } from '@skyfolio/kit'
import { type Job, openQueue, startWorker } from '@skyfolio/kit/queue'
import { runFixture, startRedis, startTcpProxy, type TestServer, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { silent } from './fixtures/projection.ts'

let server: TestServer

beforeAll(async () => {
  server = await startRedis()
})

afterAll(() => server.stop())

describe('queue', () => {
  test('a job reaches a worker; its id can be used again when it has ended, and not before', async () => {
    const queue = openQueue<{ photoId: number }>('ids', server.url)
    const done: number[] = []
    const add = async () => (await queue.ready()).add('photo', { photoId: 1 }, { jobId: 'photo-1-0' })
    await add()
    await add()
    const handle = async ({ data }: Job<{ photoId: number }>) => void done.push(data.photoId)
    const worker = startWorker('ids', server.url, handle, { concurrency: 2, logger: silent })
    await waitFor(() => done.length === 1, { what: 'the job' })
    await waitFor(
      async () => {
        await add()
        return done.length === 2
      },
      { what: 'the second job' },
    )
    await worker.stop()
    await queue.close()
  })

  test('a failed job is retried; after the last attempt it is kept with the reason, or removed', async () => {
    for (const keepFailed of [true, false]) {
      const name = `failing-${keepFailed}`
      const queue = openQueue<string>(name, server.url, silent, { keepFailed })
      let tries = 0
      const handle = async () => {
        tries += 1
        throw new Error(`not at try ${tries}`)
      }
      const worker = startWorker(name, server.url, handle, { concurrency: 1, logger: silent })
      const jobs = await queue.ready()
      await jobs.add('job', '', { jobId: 'job-1', backoff: 1 })
      await waitFor(async () => (await jobs.getJobCountByTypes('waiting', 'active', 'delayed')) === 0, {
        what: 'its end',
      })
      expect(tries).toBe(4)
      const kept = keepFailed ? { failedReason: 'not at try 4', attemptsMade: 4 } : undefined
      expect(await jobs.getJob('job-1')).toEqual(kept && expect.objectContaining(kept))
      await worker.stop()
      await queue.close()
    }
  })

  test('a job waits without an attempt while something is unavailable, and returns where others are by then', async () => {
    // The library and our code each read the clock for the delay.
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const queue = openQueue<string>('waiting', server.url)
    const jobs = await queue.ready()
    const handle = async (job: Job<string>) => {
      if (job.data !== 'unavailable') return
      await jobs.add('job', 'of another', { priority: 3 })
      throw new Error('Connection is closed')
    }
    const worker = startWorker('waiting', server.url, handle, { concurrency: 1, logger: silent })
    await jobs.add('job', 'unavailable', { priority: 500 })
    const [waits] = await waitFor(
      async () => {
        const found = await jobs.getDelayed()
        return found.length === 1 && found
      },
      { what: 'it waits' },
    )
    expect(waits).toMatchObject({ delay: 10_000, attemptsMade: 0, priority: 3 })
    await worker.stop()
    await queue.close()
  })

  test('a job of a killed worker is run by another', async () => {
    const queue = openQueue<{ photoId: number }>('killed', server.url)
    const hanging = runFixture(new URL('./fixtures/hanging-worker.ts', import.meta.url), ['killed', server.url])
    const taken = hanging.printed('taken')
    await (await queue.ready()).add('photo', { photoId: 7 })
    await taken
    hanging.process.kill('SIGKILL')
    await hanging.ended

    const done: number[] = []
    const handle = async ({ data }: Job<{ photoId: number }>) => void done.push(data.photoId)
    const worker = startWorker('killed', server.url, handle, { concurrency: 1, logger: silent, lockMs: 1_000 })
    await waitFor(() => done.length === 1, { what: 'the job', timeoutMs: 25_000 })
    expect(done).toEqual([7])
    await worker.stop()
    await queue.close()
  })

  test('a job that a worker lost while its thread was blocked is not run beside itself', async () => {
    const queue = openQueue<string>('blocked', server.url)
    const jobs = await queue.ready()
    const outcomes: unknown[] = []
    const handle = async (job: Job<string>) => {
      // Longer than the lock, which nothing renews meanwhile.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
      const isPutBack = async () => (await jobs.getJob(job.id ?? ''))?.isDelayed()
      outcomes.push(await waitFor(isPutBack, { what: 'the second attempt is put back' }))
    }
    const worker = startWorker('blocked', server.url, handle, { concurrency: 2, logger: silent, lockMs: 400 })
    await jobs.add('job', '', { jobId: 'job-1' })
    await waitFor(() => outcomes.length === 1, { what: 'the first attempt has ended' })
    expect(outcomes).toEqual([true])
    await worker.stop()
    await queue.close()
  })

  test('a job that was put back while the clock was an hour ahead does not wait for an hour', async () => {
    const queue = openQueue<string>('clock', server.url)
    const jobs = await queue.ready()
    let attempts = 0
    const handle = async () => {
      attempts += 1
      if (attempts === 1) throw new Error('connect', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) })
    }
    const realNow = Date.now
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => realNow() + 3_600_000)
    onTestFinished(() => clock.mockRestore())
    const options = { concurrency: 1, logger: silent, lockMs: 1_000 }
    const worker = startWorker('clock', server.url, handle, options)
    await jobs.add('job', '', { jobId: 'job-1' })
    await waitFor(async () => (await jobs.getJob('job-1'))?.isDelayed(), { what: 'the job is put back' })
    clock.mockRestore()
    await waitFor(() => attempts === 2, { what: 'the second attempt' })
    await worker.stop()
    await queue.close()
  })

  test('stopping a worker waits for its running job', async () => {
    const queue = openQueue<string>('stopping', server.url)
    let ended = false
    let begin = () => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const handle = async () => {
      begin()
      await released
      ended = true
    }
    const worker = startWorker('stopping', server.url, handle, { concurrency: 1, logger: silent })
    await (await queue.ready()).add('one', 'job')
    await begun
    const stopping = worker.stop()
    release()
    await stopping
    expect(ended).toBe(true)
    await queue.close()
  })

  test('a queue works after Redis stopped responding right after the connection', async () => {
    const proxy = await startTcpProxy(server.url)
    onTestFinished(() => proxy.close())
    const first = openRedis(proxy.url, 'queue first')
    await first.ping()
    first.disconnect()
    await waitFor(() => proxy.connections() === 0, { what: 'the end of the first connection' })
    // At the first command after those that make the connection ready: a ping is shorter than any other.
    const frozen = proxy.freezeAfter(proxy.sent())
    const queue = openQueue('later', proxy.url)
    onTestFinished(() => queue.close())
    await frozen
    await expect(queue.check()).rejects.toThrow('Command timed out')
    proxy.thaw()
    const isReady = () =>
      queue.ready().then(
        (jobs) => jobs.getJobCounts().then(() => true),
        () => false,
      )
    await waitFor(isReady, { what: 'the queue works' })
  })

  test('adding fails soon while Redis is unavailable, from the start and later, and works after the outage', async () => {
    const own = await startRedis()
    const late = openQueue<string>('away', own.url)
    const add = async (queue: typeof late) => (await queue.ready()).add('two', 'job')
    await add(late)
    await own.stop()
    const early = openQueue<string>('away', own.url)
    const begun = Date.now()
    await expect(add(early)).rejects.toThrow()
    await expect(add(late)).rejects.toThrow()
    expect(Date.now() - begun).toBeLessThan(6_000)
    await own.start()
    const added = (queue: typeof late) => add(queue).then(() => true)
    expect(await waitFor(() => added(early), { what: 'adding' })).toBe(true)
    expect(await waitFor(() => added(late), { what: 'adding' })).toBe(true)
    await early.close()
    await late.close()
    await own.stop()
  })
})
