import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import {
  createLogger,
  isUnavailable,
  type ObjectStore,
  openObjectStore,
  type PartSpec,
  UnknownUpload,
} from '@skyfolio/kit'
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
import { beginUpload, openReceiver, putPart, testParts } from './object-store-parts-contract.ts'

const MiB = 1024 * 1024
const noS3 = { s3Region: '' }
const directory = async () => {
  const objectStoreDir = join(testDirectory(), `objects-${randomUUID()}`)
  return { store: await openObjectStore({ objectStoreDir, ...noS3 }), close: async () => {} }
}

const minio = await hasMinio()
if (!minio)
  console.log('SKIPPED: the object store contract against MinIO (run services/testkit/scripts/fetch-tool.sh minio)')

testObjectStore('directory', directory)
testObjectStore('S3 (MinIO)', () => s3Backend(startMinio()), minio)

testParts('directory', directory)
testParts('S3 (MinIO)', () => s3Backend(startMinio()), minio)

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
  let receiver: Awaited<ReturnType<typeof openReceiver>>
  beforeAll(async () => {
    receiver = await openReceiver()
    server = await startMinio()
    way = await startTcpProxy(server.url)
    store = await openObjectStore(s3Config(way), { timeoutMs: 1000, connections: 4 })
    await store.put('parts', Readable.from([randomBytes(17 * MiB)]), jpeg)
  })
  afterAll(async () => {
    await receiver.close()
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

  test('a slow reader and a slow part are served to the end', async () => {
    const found = await store.get('parts')
    if (!found) throw new Error('the object is missing')
    await once(found.body, 'readable')
    const content = randomBytes(MiB)
    const { upload, parts } = await beginUpload(store, 'slow', [content])
    const { outgoing, body } = await receiver.open(MiB)
    const slowly = putPart(store, upload, parts[0] as PartSpec, body)
    outgoing.write(content.subarray(0, 1000))
    const begun = performance.now()
    await waitFor(() => performance.now() - begun > 2_500, { what: 'more than twice the timeout has passed' })
    expect((await buffer(found.body)).length).toBe(17 * MiB)
    outgoing.end(content.subarray(1000))
    await slowly
    await store.parts.abort(upload)
  })

  test('a server that falls silent after a slow reader, or a slow part, has waited is noticed', async () => {
    const found = await store.get('parts')
    if (!found) throw new Error('the object is missing')
    await once(found.body, 'readable')
    const { upload, parts } = await beginUpload(store, 'silent-later', [randomBytes(MiB)])
    const { outgoing, body } = await receiver.open(MiB)
    const sending = putPart(store, upload, parts[0] as PartSpec, body).catch((error) => error)
    outgoing.write(randomBytes(1000))
    const begun = performance.now()
    await waitFor(() => performance.now() - begun > 1_500, { what: 'more than the timeout has passed' })
    way.freeze()
    outgoing.end(randomBytes(MiB - 1000))
    const errors = [await buffer(found.body).catch((error) => error), await sending]
    way.thaw()
    expect(errors.map((error) => isUnavailable(error))).toEqual([true, true])
    await store.parts.abort(upload)
  })

  test('every call fails in bounded time when the server is silent, and works again when it responds', async () => {
    const begun = await store.get('parts')
    if (!begun) throw new Error('the object is missing')
    await once(begun.body, 'readable')
    const content = randomBytes(MiB)
    const { upload, parts } = await beginUpload(store, 'silent', [content])
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
      store.parts.begin('silent', 10),
      receiver.receive(content, (body) => putPart(store, upload, parts[0] as PartSpec, body)),
      store.parts.list(upload),
      store.parts.complete(upload, parts),
      store.parts.abort({ ...upload, uploadId: 'another' }),
    ]
    const started = performance.now()
    const errors = (await Promise.allSettled(calls)).map((call) => call.status === 'rejected' && call.reason)
    expect(performance.now() - started).toBeLessThan(8_000)
    expect(errors.map((error) => isUnavailable(error))).toEqual(calls.map(() => true))
    way.thaw()
    await store.check()
    await receiver.receive(content, (body) => putPart(store, upload, parts[0] as PartSpec, body))
    expect(await store.parts.complete(upload, parts)).toEqual({ missing: [] })
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

/** A server of other kinds than those that can be started here. */
async function startScripted(respond: (request: IncomingMessage, body: string, response: ServerResponse) => void) {
  const server = createServer(async (request, response) => respond(request, await text(request), response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

const loggerTo = (messages: string[]) =>
  createLogger('test', 'warn', { write: (line) => messages.push(JSON.parse(line).msg) })

const errorOf = (code: string) => `<Error><Code>${code}</Code></Error>`

describe('object store on a server whose buckets have rules', () => {
  // Stands for Amazon's S3: neither MinIO nor versitygw takes the rule.
  async function openWithRules(status: number, content: string) {
    const written: string[] = []
    const warnings: string[] = []
    const { url, close } = await startScripted(({ url, method }, body, response) => {
      if (!url?.includes('photos?lifecycle')) return response.end()
      if (method === 'PUT') written.push(body)
      response.writeHead(method === 'PUT' ? 200 : status).end(content)
    })
    await openObjectStore(s3Config({ url }), { logger: loggerTo(warnings) })
    close()
    return { written, warnings }
  }

  test('incomplete uploads expire a day after the longest upload session', async () => {
    const { written } = await openWithRules(404, errorOf('NoSuchLifecycleConfiguration'))
    expect(written).toEqual([expect.stringContaining('<DaysAfterInitiation>8</DaysAfterInitiation>')])
  })

  test('rules of the operator are left as they are', async () => {
    const theirs = '<Rule><ID>theirs</ID><Expiration><Days>1</Days></Expiration></Rule>'
    const rules = `<LifecycleConfiguration>${theirs}</LifecycleConfiguration>`
    expect(await openWithRules(200, rules)).toEqual({ written: [], warnings: [] })
  })

  test('a rule that may not be read or written is told, one that cannot be is not', async () => {
    const told = [expect.stringContaining('incomplete uploads')]
    expect((await openWithRules(403, errorOf('AccessDenied'))).warnings).toEqual(told)
    expect((await openWithRules(501, errorOf('NotImplemented'))).warnings).toEqual([])
  })
})

describe('object store on a server with other responses', () => {
  const size = 4
  const upload = { key: 'x', uploadId: 'id', size, partBytes: size }
  const part = { number: 1, bytes: size, sha256: Buffer.alloc(32) }
  const warnings: string[] = []
  let answer: { status: number; content: string }
  let store: ObjectStore
  let server: Awaited<ReturnType<typeof startScripted>>
  let receiver: Awaited<ReturnType<typeof openReceiver>>
  beforeAll(async () => {
    receiver = await openReceiver()
    server = await startScripted(({ url }, _body, response) => {
      if (!url?.includes('/x')) return response.end()
      response.writeHead(answer.status).end(answer.content)
    })
    store = await openObjectStore(s3Config(server), { logger: loggerTo(warnings) })
  })
  afterAll(async () => {
    server.close()
    await receiver.close()
  })

  const errorOfCall = async (status: number, content: string, call: () => Promise<unknown>) => {
    answer = { status, content }
    return call().catch((error) => error)
  }
  const put = () => receiver.receive(Buffer.alloc(size), (body) => putPart(store, upload, part, body))
  const list = () => store.parts.list(upload)

  test.each(['InternalError', 'SlowDown', 'OperationAborted'])(
    'a response with 200 and %s is an outage',
    async (code) => {
      const error = await errorOfCall(200, errorOf(code), () => store.parts.complete(upload, [part]))
      expect(isUnavailable(error)).toBe(true)
    },
  )

  test('a part for which it has waited too long is the fault of its client', async () => {
    expect(await errorOfCall(400, errorOf('RequestTimeout'), put)).toMatchObject({
      status: 408,
      code: 'request_timeout',
    })
  })

  test('rejects what is no list of parts, or only a part of it', async () => {
    expect(await errorOfCall(200, '<html><body>Hello</body></html>', list)).toBeInstanceOf(Error)
    expect(await errorOfCall(200, 'ok', list)).toBeInstanceOf(Error)
    const truncated = '<ListPartsResult><IsTruncated>true</IsTruncated></ListPartsResult>'
    expect(await errorOfCall(200, truncated, list)).toBeInstanceOf(Error)
  })

  const head = () => store.head(upload.key)
  const get = () => store.get(upload.key)
  const complete = () => store.parts.complete(upload, [part])

  test('a 404 of its own says what is missing', async () => {
    for (const call of [head, get]) expect(await errorOfCall(404, errorOf('NoSuchKey'), call)).toBe(null)
    expect(await errorOfCall(404, errorOf('NoSuchUpload'), list)).toBe(null)
    expect(await errorOfCall(404, errorOf('NoSuchUpload'), put)).toBeInstanceOf(UnknownUpload)
  })

  test.each(['', '<html><body>Not Found</body></html>'])('a 404 of a proxy is an outage: %s', async (content) => {
    for (const call of [head, get, list, put, complete]) {
      const error = await errorOfCall(404, content, call)
      expect([isUnavailable(error), error instanceof UnknownUpload]).toEqual([true, false])
    }
  })

  test('an upload of one part that came this way is completed at once, and by the list when its ETag is another', async () => {
    const requests: string[] = []
    const other = `<ListPartsResult><Part><PartNumber>1</PartNumber><Size>${size}</Size><ETag>"b"</ETag>
      <ChecksumSHA256>${part.sha256.toString('base64')}</ChecksumSHA256></Part></ListPartsResult>`
    const scripted = await startScripted(({ url, method }, body, response) => {
      if (!url?.includes('/x')) return response.end()
      const etag = /<ETag>(.*)<\/ETag>/.exec(body)?.[1]
      requests.push([method, etag].join(''))
      if (etag === '"a"' && requests.length > 2) return response.writeHead(400).end(errorOf('InvalidPart'))
      response.writeHead(200, { etag: '"a"' }).end(method === 'GET' ? other : '')
    })
    const own = await openObjectStore(s3Config(scripted))
    await receiver.receive(Buffer.alloc(size), (body) => putPart(own, upload, part, body))
    expect(await own.parts.complete(upload, [part])).toEqual({ missing: [] })
    expect(requests.splice(0)).toEqual(['PUT', 'POST"a"'])
    requests.push('', '')
    expect(await own.parts.complete(upload, [part])).toEqual({ missing: [] })
    expect(requests.slice(2)).toEqual(['POST"a"', 'GET', 'POST"b"'])
    scripted.close()
  })

  test('a 404 without a word about rules of the bucket is no outage', async () => {
    const rules = await startScripted(({ url }, _body, response) => {
      response.writeHead(url?.includes('lifecycle') ? 404 : 200).end()
    })
    const { check } = await openObjectStore(s3Config(rules), { logger: loggerTo(warnings) })
    await expect(check()).resolves.toBeUndefined()
    rules.close()
  })

  test('reports once that a store keeps no checksums of parts', async () => {
    const listed = `<ListPartsResult><Part><PartNumber>1</PartNumber><Size>${size}</Size></Part></ListPartsResult>`
    for (let count = 0; count < 2; count++) await errorOfCall(200, listed, list)
    expect(warnings).toEqual([expect.stringContaining('no SHA-256')])
  })
})

test('rejects a store without a required setting, with its name', async () => {
  await expect(openObjectStore(noS3)).rejects.toThrow('OBJECT_STORE_DIR or S3_ENDPOINT is required')
  const s3Endpoint = 'http://store.example'
  await expect(openObjectStore({ ...noS3, s3Endpoint })).rejects.toThrow('S3_BUCKET is required')
  await expect(openObjectStore({ ...noS3, s3Endpoint, objectStoreDir: 'objects' })).rejects.toThrow('both set')
})

test('rejects a published store that browsers cannot use', async () => {
  const s3PublicEndpoint = 'http://store.example'
  const ofDirectory = { objectStoreDir: testDirectory(), ...noS3, s3PublicEndpoint } as const
  await expect(openObjectStore(ofDirectory)).rejects.toThrow('requires S3_ENDPOINT')
  const ofHttps = { ...s3Config({ url: s3PublicEndpoint }), s3PublicEndpoint, publicOrigin: 'https://skyfolio.example' }
  await expect(openObjectStore(ofHttps)).rejects.toThrow('https')
})
