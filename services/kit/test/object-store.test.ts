import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { isUnavailable, type ObjectStore, openObjectStore } from '@skyfolio/kit'
import {
  hasMinio,
  MINIO_CREDENTIALS,
  startMinio,
  startTcpProxy,
  type TcpProxy,
  type TestServer,
  testDirectory,
  waitFor,
} from '@skyfolio/testkit'
import { Client } from 'minio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collect, s3Backend, s3Config, testObjectStore } from './object-store-contract.ts'

const MiB = 1024 * 1024
const noS3 = { s3Region: '', s3TimeoutSeconds: 1, s3Connections: 1 }
const directory = async () => {
  const objectStoreDir = join(testDirectory(), `objects-${randomUUID()}`)
  return { store: await openObjectStore({ objectStore: 'dir', objectStoreDir, ...noS3 }), close: async () => {} }
}

const minio = await hasMinio()
if (!minio)
  console.log('SKIPPED: the object store contract against MinIO (run services/testkit/scripts/fetch-tool.sh minio)')

testObjectStore('directory', directory)
testObjectStore('S3 (MinIO)', () => s3Backend(startMinio()), minio)

const s3Client = (server: TestServer) => {
  const { hostname, port } = new URL(server.url)
  return new Client({ endPoint: hostname, port: Number(port), useSSL: false, ...MINIO_CREDENTIALS })
}

describe.skipIf(!minio)('object store on a MinIO that fails', () => {
  const jpeg = { contentType: 'image/jpeg' }
  const small = () => Readable.from([Buffer.from('x')])
  let server: TestServer
  let way: TcpProxy
  let store: ObjectStore
  beforeAll(async () => {
    server = await startMinio()
    way = await startTcpProxy(server.url)
    store = await openObjectStore({ ...s3Config(way), s3TimeoutSeconds: 1, s3Connections: 4 })
    await store.put('parts', Readable.from([randomBytes(17 * MiB)]), jpeg)
  })
  afterAll(async () => {
    await way.close()
    await server.stop()
  })

  test('uploads go in parts of 8 MiB', async () => {
    expect((await s3Client(server).statObject('photos', 'parts')).etag).toMatch(/-3$/)
  })

  test('any number of calls shares a bounded number of connections', async () => {
    await store.put('small', small(), jpeg)
    const most = async () => {
      const found = await store.get('small')
      const connections = way.connections()
      found?.body.resume()
      return connections
    }
    expect(Math.max(...(await Promise.all(Array.from({ length: 20 }, most))))).toBeLessThanOrEqual(4)
  })

  test('a reader that stops releases its connection', async () => {
    for (let count = 0; count < 10; count++) {
      const found = await store.get('parts')
      if (found) await once(found.body, 'readable')
      found?.body.destroy()
    }
    await waitFor(() => way.connections() === 0, { what: 'all connections are closed' })
  })

  test('a slow reader is served to the end', async () => {
    const found = await store.get('parts')
    if (!found) throw new Error('the object is missing')
    await once(found.body, 'readable')
    const begun = performance.now()
    await waitFor(() => performance.now() - begun > 2_500, { what: 'more than twice the timeout has passed' })
    expect((await buffer(found.body)).length).toBe(17 * MiB)
  })

  test('every call fails in bounded time when the server is silent, and works again when it responds', async () => {
    const begun = await store.get('parts')
    if (!begun) throw new Error('the object is missing')
    await once(begun.body, 'readable')
    way.freeze()
    const calls = [
      buffer(begun.body),
      store.put('silent', small(), jpeg),
      store.head('parts'),
      store.get('parts'),
      store.remove('parts'),
      collect(store.list('')),
      collect(store.incomplete()),
      store.check(),
    ]
    const started = performance.now()
    const errors = (await Promise.allSettled(calls)).map((call) => call.status === 'rejected' && call.reason)
    expect(performance.now() - started).toBeLessThan(8_000)
    expect(errors.map((error) => isUnavailable(error))).toEqual(calls.map(() => true))
    way.thaw()
    await store.check()
  })

  test('calls fail at once while the server is unavailable', async () => {
    await server.kill()
    const error = await store.put('away', small(), jpeg).catch((reason) => reason)
    expect(isUnavailable(error)).toBe(true)
    await server.start()
    expect(await store.put('away', small(), jpeg)).toEqual({ size: 1 })
  })

  test('the store can be opened while the server is unavailable, and works when it is up', async () => {
    await server.kill()
    const early = await openObjectStore({ ...s3Config(server), s3Bucket: 'early' })
    expect(isUnavailable(await early.check().catch((reason) => reason))).toBe(true)
    await server.start()
    const puts = [early.put('one', small(), jpeg), early.put('two', small(), jpeg)]
    expect(await Promise.all(puts)).toEqual([{ size: 1 }, { size: 1 }])
    await early.check()
  })
})

describe('object store on a server that knows lifecycle rules', () => {
  // Stands for Amazon's S3: neither MinIO nor versitygw takes the rule.
  async function rulesAfterOpening(present: boolean): Promise<string[]> {
    const written: string[] = []
    const server = createServer(async (request, response) => {
      const body = await text(request)
      if (!request.url?.includes('lifecycle')) return response.end()
      if (request.method === 'PUT') written.push(body)
      if (request.method === 'PUT' || present) return response.end('<LifecycleConfiguration/>')
      response.writeHead(404).end('<Error><Code>NoSuchLifecycleConfiguration</Code></Error>')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    await openObjectStore(s3Config({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))
    server.close()
    return written
  }

  test('incomplete uploads expire after a day', async () => {
    const rule = '<AbortIncompleteMultipartUpload><DaysAfterInitiation>1</DaysAfterInitiation>'
    expect(await rulesAfterOpening(false)).toEqual([expect.stringContaining(rule)])
  })

  test('rules of the operator are kept', async () => {
    expect(await rulesAfterOpening(true)).toEqual([])
  })
})

test('rejects a store without a required setting, with its name', async () => {
  await expect(openObjectStore({ objectStore: 'dir', ...noS3 })).rejects.toThrow('OBJECT_STORE_DIR')
  await expect(openObjectStore({ objectStore: 's3', ...noS3 })).rejects.toThrow('S3_ENDPOINT')
})
