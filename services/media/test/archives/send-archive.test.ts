import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type App, buildServer, createLogger, type ObjectStore, openObjectStore } from '@skyfolio/kit'
import { testDirectory, waitFor } from '@skyfolio/testkit'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { closeArchive, EMPTY_ARCHIVE, placeFiles } from '../../src/archives/archive.ts'
import { sendArchive } from '../../src/archives/send-archive.ts'

const MiB = 1024 * 1024
// More than the buffers between two sockets hold.
const BYTES = Buffer.alloc(48 * MiB, 7)

let app: App
let store: ObjectStore
let size: number
let clients: Socket[] = []

beforeAll(async () => {
  // The clock of the server's checks alone: connections go on by the real one.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  app = await buildServer({ name: 'archives', logger: createLogger('archives', 'silent') })
  store = await openObjectStore({ objectStoreDir: join(testDirectory(), 'sending') } as never)
  await store.put('objects/1', Readable.from([BYTES]), { contentType: 'image/jpeg' })
  const file = {
    path: 'a.jpg',
    key: 'objects/1',
    size: BYTES.length,
    crc32: crc32(BYTES),
    modifiedAt: '2026-05-06T07:08:10Z',
  }
  const { placed, end } = placeFiles(EMPTY_ARCHIVE, [file])
  const archive = {
    ...closeArchive(end),
    async *entries() {
      yield* placed
    },
  }
  size = archive.size
  const missing = () => new Error('missing') as never
  const sent = { archive, etag: '"a"', filename: 'a.zip', missing }
  app.get('/', { config: { access: 'public' } }, (request, reply) => sendArchive(request, reply, store, sent))
  await app.listen({ host: '127.0.0.1', port: 0 })
})
afterEach(() => {
  for (const client of clients) client.destroy()
  clients = []
})
afterAll(async () => {
  await app.close()
  vi.useRealTimers()
})

function request(): Socket {
  const address = app.server.address()
  const client = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1')
  client.on('error', () => {})
  client.write('GET / HTTP/1.1\r\nHost: media\r\nConnection: close\r\n\r\n')
  clients.push(client)
  return client
}

const connections = () => new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count)))

test('an archive is cut off when the client takes nothing, and its object is closed', async () => {
  const client = request()
  await once(client, 'readable')
  const isCutOff = async () => {
    vi.advanceTimersByTime(15_000)
    return (await connections()) === 0
  }
  await waitFor(isCutOff, { what: 'the client is disconnected' })
})

test('an archive is sent to its end when the client is slow and steady', async () => {
  const client = request()
  let received = 0
  let ticks = 0
  for await (const chunk of client as AsyncIterable<Buffer>) {
    received += chunk.length
    // The sockets hold less than what is received in four of these steps, a minute.
    if (received < (ticks + 1) * 4 * MiB) continue
    ticks += 1
    vi.advanceTimersByTime(15_000)
  }
  expect(ticks).toBeGreaterThan(8)
  expect(received).toBeGreaterThan(size)
})
