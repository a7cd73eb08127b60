import { openQueue, startWorker } from '@skyfolio/kit/queue'
import { runFixture, startRedis, type TestServer, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
    await queue.add('photo:1', { photoId: 1 })
    await queue.add('photo:1', { photoId: 1 })
    const handle = async ({ photoId }: { photoId: number }) => void done.push(photoId)
    const worker = startWorker('ids', server.url, handle, { concurrency: 2, logger: silent })
    await waitFor(() => done.length === 1, { what: 'the job' })
    await waitFor(
      async () => {
        await queue.add('photo:1', { photoId: 1 })
        return done.length === 2
      },
      { what: 'the second job' },
    )
    await worker.stop()
    await queue.close()
  })

  test('a failed job is retried', async () => {
    const queue = openQueue<string>('failing', server.url)
    let tries = 0
    const handle = async () => {
      tries += 1
      if (tries === 1) throw new Error('not yet')
    }
    const worker = startWorker('failing', server.url, handle, { concurrency: 1, logger: silent })
    await queue.add('one', 'job')
    await waitFor(() => tries === 2, { what: 'the second try' })
    await worker.stop()
    await queue.close()
  })

  test('a job of a killed worker is run by another', async () => {
    const queue = openQueue<{ photoId: number }>('killed', server.url)
    const hanging = runFixture(new URL('./fixtures/hanging-worker.ts', import.meta.url), ['killed', server.url])
    const taken = hanging.printed('taken')
    await queue.add('photo:7', { photoId: 7 })
    await taken
    hanging.process.kill('SIGKILL')
    await hanging.ended

    const done: number[] = []
    const handle = async ({ photoId }: { photoId: number }) => void done.push(photoId)
    const worker = startWorker('killed', server.url, handle, { concurrency: 1, logger: silent, lockMs: 1_000 })
    await waitFor(() => done.length === 1, { what: 'the job', timeoutMs: 25_000 })
    expect(done).toEqual([7])
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
    await queue.add('one', 'job')
    await begun
    const stopping = worker.stop()
    release()
    await stopping
    expect(ended).toBe(true)
    await queue.close()
  })

  test('adding fails soon while Redis is unavailable, from the start and later, and works after the outage', async () => {
    const own = await startRedis()
    const late = openQueue<string>('away', own.url)
    await late.add('one', 'job')
    await own.stop()
    const early = openQueue<string>('away', own.url)
    const begun = Date.now()
    await expect(early.add('two', 'job')).rejects.toThrow()
    await expect(late.add('two', 'job')).rejects.toThrow()
    expect(Date.now() - begun).toBeLessThan(6_000)
    await own.start()
    const added = (queue: typeof late) => queue.add('two', 'job').then(() => true)
    expect(await waitFor(() => added(early), { what: 'adding' })).toBe(true)
    expect(await waitFor(() => added(late), { what: 'adding' })).toBe(true)
    await early.close()
    await late.close()
    await own.stop()
  })
})
