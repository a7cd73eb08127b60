import { once } from 'node:events'
import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  hasMinio,
  identityHeaders,
  MINIO_CREDENTIALS,
  startMinio,
  startTcpProxy,
  type TcpProxy,
  type TestServer,
  waitFor,
} from '@skyfolio/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { originalKey } from '../../src/files/object-keys.ts'
import { jpeg, jpegOfSize, startTestMedia, type TestMedia, user } from '../support.ts'

const me = user(1)
const MiB = 1024 * 1024

const minio = await hasMinio()
if (!minio) console.log('SKIPPED: media on a real MinIO (run services/testkit/scripts/fetch-tool.sh minio)')

describe.skipIf(!minio)('media on a real MinIO', () => {
  let server: TestServer
  let way: TcpProxy
  let media: TestMedia
  beforeAll(async () => {
    server = await startMinio()
    way = await startTcpProxy(server.url)
    media = await startTestMedia({
      env: {
        S3_ENDPOINT: way.url,
        S3_BUCKET: 'photos',
        S3_ACCESS_KEY: MINIO_CREDENTIALS.accessKey,
        S3_SECRET_KEY: MINIO_CREDENTIALS.secretKey,
      },
      store: { timeoutMs: 2_000 },
    })
    media.startWorker()
  })
  afterAll(async () => {
    await media?.close()
    await way?.close()
    await server?.stop()
  })

  const statusOf = async (path: string, init?: RequestInit) => (await media.call(path, me, init)).status
  const upload = async () =>
    media.send('/api/upload-photo', me, [['photo', { name: 'a.jpg', bytes: await jpegOfSize(MiB) }]])

  test('deletes a photo at once during an outage of the store, and its objects afterwards', async () => {
    const photo = await media.upload(1)
    await media.processed(photo.id)
    expect(await media.keys()).toHaveLength(3)
    await server.stop()

    expect(await statusOf(`/api/photos/${photo.id}`, { method: 'DELETE' })).toBe(204)
    expect(await media.json('/api/photos', me)).toEqual([])
    expect(await statusOf(photo.url)).toBe(404)
    expect(await media.db.objectRemoval.count()).toBe(3)
    await server.start()
    const carriedOut = async () => (await media.db.objectRemoval.count()) === 0
    await waitFor(carriedOut, { what: 'the removals are carried out', timeoutMs: 30_000 })
    expect(await media.keys()).toEqual([])
  })

  test('rejects bytes and uploads with a sentence during an outage of the store, and recovers', async () => {
    const bytes = await jpeg()
    const photo = await media.upload(1, {}, bytes)
    await server.kill()
    expect(await statusOf(photo.url)).toBe(503)
    expect(await upload()).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    await server.start()
    expect(Buffer.from(await (await media.call(photo.url, me)).arrayBuffer()).equals(bytes)).toBe(true)
    const range = await media.call(photo.url, me, { headers: { range: 'bytes=-10' } })
    expect(Buffer.from(await range.arrayBuffer()).equals(bytes.subarray(-10))).toBe(true)
    expect(await media.processed(photo.id)).toMatchObject({ status: 'ready' })
    expect((await upload()).status).toBe(201)
  })

  test('fails requests in bounded time when the store is silent', async () => {
    const photo = await media.upload(1)
    way.freeze()
    const begun = performance.now()
    expect([await statusOf(photo.url), (await upload()).status]).toEqual([503, 503])
    // Two calls of 2 s each, and the time to remove the objects of a rejected upload.
    expect(performance.now() - begun).toBeLessThan(15_000)
    way.thaw()
    await waitFor(async () => (await statusOf(photo.url)) === 200, { what: 'bytes are served again' })
  })

  /** Bytes in buffers that are still referenced. */
  function heldBytes(): number {
    setFlagsFromString('--expose-gc')
    runInNewContext('gc')()
    return process.memoryUsage().arrayBuffers
  }

  /** A client that requests the file and then reads nothing. */
  async function slowReader(path: string) {
    const { hostname, port } = new URL(media.origin)
    const socket = connect(Number(port), hostname)
    const identity = Object.entries(identityHeaders(me)).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`GET ${path} HTTP/1.1\r\nHost: media\r\n${identity.join('')}\r\n`)
    await once(socket, 'readable')
    return socket
  }

  test('holds little memory for slow readers, and releases the store when they disconnect', async () => {
    const photo = await media.upload(1, {}, await jpegOfSize(16 * MiB))
    await media.processed(photo.id)
    const before = heldBytes()
    const readers = await Promise.all(Array.from({ length: 20 }, () => slowReader(photo.url)))
    const [connections, held] = [way.connections(), heldBytes() - before]
    for (const reader of readers) reader.destroy()
    expect(connections).toBeGreaterThanOrEqual(20)
    // What they do not read, 320 MiB, stays in the store.
    expect(held).toBeLessThan(20 * MiB)
    await waitFor(() => way.connections() <= 2, { what: 'their connections are free', timeoutMs: 20_000 })
  })

  test('leaks no connection when clients disconnect during a request to the store', async () => {
    const photo = await media.upload(1, {}, await jpegOfSize(4 * MiB))
    await media.processed(photo.id)
    way.freeze()
    const leaving = new AbortController()
    const asked = Array.from({ length: 20 }, () => media.call(photo.url, me, { signal: leaving.signal }))
    await waitFor(() => way.connections() >= 20, { what: 'all are waiting for the store' })
    leaving.abort()
    expect((await Promise.allSettled(asked)).every(({ status }) => status === 'rejected')).toBe(true)
    way.thaw()
    await waitFor(() => media.store.head(originalKey(photo.filename)), { what: 'the store responds again' })
    await waitFor(() => way.connections() <= 2, { what: 'all connections are closed', timeoutMs: 20_000 })
  })
})
