import type { NatsConnection } from '@nats-io/transport-node'
import {
  connectNats,
  ensureStreams,
  isUnavailable,
  onHint,
  publishHint,
  sendRequest,
  serveRequests,
} from '@skyfolio/kit'
import { events, folderAccess, hints } from '@skyfolio/proto'
import { startNats, type TestServer, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silent } from './fixtures/projection.ts'

let server: TestServer
let nats: NatsConnection

beforeAll(async () => {
  server = await startNats()
  nats = await connectNats(server.url, 'nats-test')
})

afterAll(async () => {
  await nats.close()
  await server.stop()
})

const question = (folderId: number, timeoutMs = 1_000) => sendRequest(nats, folderAccess, { folderId }, { timeoutMs })

describe('requests', () => {
  test('a response reaches its requester', async () => {
    const answering = serveRequests(nats, folderAccess, async ({ folderId }) => ({ found: true, userId: folderId * 2 }))
    expect(await question(21)).toMatchObject({ found: true, userId: 42 })
    await answering.stop()
  })

  test('fail at once without a serving process', async () => {
    const begun = Date.now()
    await expect(question(1, 5_000)).rejects.toMatchObject({ status: 503 })
    expect(Date.now() - begun).toBeLessThan(2_000)
  })

  test('a late response is an outage', async () => {
    const late = Promise.withResolvers<{ found: boolean }>()
    const answering = serveRequests(nats, folderAccess, () => late.promise)
    await expect(question(1, 50)).rejects.toMatchObject({ status: 503 })
    late.resolve({ found: true })
    await answering.stop()
  })

  test('a handler that fails is as unavailable as one that does not respond', async () => {
    const answering = serveRequests(nats, folderAccess, async () => {
      throw new Error('the database is away')
    })
    const error = await question(1).catch((reason) => reason)
    expect(error).toMatchObject({ status: 503 })
    expect(isUnavailable(error)).toBe(true)
    await answering.stop()
    expect(isUnavailable(await question(1).catch((reason) => reason))).toBe(true)
  })

  test('a stopping process still responds to earlier requests', async () => {
    const received = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const answering = serveRequests(nats, folderAccess, async () => {
      received.resolve()
      await release.promise
      return { found: true }
    })
    const asked = question(1, 30_000)
    await received.promise
    const stopped = answering.stop()
    await expect(question(2)).rejects.toMatchObject({ status: 503 })
    release.resolve()
    expect(await asked).toMatchObject({ found: true })
    await stopped
  })

  test.each(['responds', 'fails'])(
    'a handler that %s after its process has waited for it in vain fails nothing',
    async (how) => {
      const own = await connectNats(server.url, 'drained-early')
      const received = Promise.withResolvers<void>()
      const release = Promise.withResolvers<void>()
      const answering = serveRequests(own, folderAccess, async () => {
        received.resolve()
        await release.promise
        if (how === 'fails') throw new Error('broken')
        return { found: true }
      })
      await own.flush()
      const unanswered = expect(question(1, 300)).rejects.toMatchObject({ status: 503 })
      await received.promise
      const stopped = answering.stop()
      await own.drain()
      release.resolve()
      await stopped
      await unanswered
    },
  )

  test('a failing handler is an outage at once, and later requests are served', async () => {
    const answering = serveRequests(
      nats,
      folderAccess,
      async ({ folderId }) => {
        if (folderId === 1) throw new Error('broken')
        return { found: true }
      },
      silent,
    )
    await expect(question(1, 5_000)).rejects.toMatchObject({ status: 503 })
    expect(await question(2)).toMatchObject({ found: true })
    await answering.stop()
  })

  test('one of two serving processes receives each request', async () => {
    let answered = 0
    const both = [0, 1].map(() =>
      serveRequests(nats, folderAccess, async () => {
        answered += 1
        return { found: true }
      }),
    )
    await Promise.all(Array.from({ length: 20 }, (_, id) => question(id)))
    expect(answered).toBe(20)
    for (const one of both) await one.stop()
  })
})

describe('hints', () => {
  test('reach every subscriber until it stops, also after one of them failed', async () => {
    const seen: number[] = []
    const failing = onHint(nats, hints.rankingsChanged, () => Promise.reject(new Error('no')), silent)
    const listening = onHint(nats, hints.rankingsChanged, ({ folderId }) => void seen.push(folderId))
    publishHint(nats, hints.rankingsChanged, { folderId: 1 })
    publishHint(nats, hints.rankingsChanged, { folderId: 2 })
    await waitFor(() => seen.length === 2, { what: 'both hints' })
    await listening.stop()
    publishHint(nats, hints.rankingsChanged, { folderId: 3 })
    await nats.flush()
    expect(seen).toEqual([1, 2])
    await failing.stop()
  })

  test('are dropped without an error on a closed connection', async () => {
    const closed = await connectNats(server.url, 'closed')
    await closed.close()
    expect(() => publishHint(closed, hints.rankingsChanged, { folderId: 1 })).not.toThrow()
  })
})

test('streams can be ensured again and again', async () => {
  await ensureStreams(nats, events)
  await ensureStreams(nats, events)
})

test('connecting waits for a server that comes later', async () => {
  const late = await startNats()
  await late.stop()
  const connecting = connectNats(late.url, 'early')
  await late.start()
  const connection = await connecting
  await connection.flush()
  await connection.close()
  await late.stop()
})
