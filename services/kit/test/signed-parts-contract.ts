import { createHash, randomBytes } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { type ObjectStore, openObjectStore, type PartedUpload, type PartSpec, type SignedPart } from '@skyfolio/kit'
import { MINIO_CREDENTIALS, type TestServer, waitFor } from '@skyfolio/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { s3Config } from './object-store-contract.ts'
import { beginUpload } from './object-store-parts-contract.ts'

interface Request {
  method?: string
  url: string
  headers: Record<string, string | string[]>
  content: Buffer
}

/** Sends exactly these headers, besides Host. */
export async function send({
  method = 'PUT',
  url,
  headers,
  content,
}: Request): Promise<{ status: number; body: string }> {
  const outgoing = httpRequest(url, { method, headers, agent: false })
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>()
  outgoing.on('error', reject)
  outgoing.on('response', async (response) => {
    resolve({ status: response.statusCode ?? 0, body: await text(response) })
    outgoing.destroy()
  })
  outgoing.end(content)
  return await promise
}

/** As a browser sends it, which says the length by itself. */
export function toRequest({ url, headers }: SignedPart, content: Buffer): Request {
  return { url, headers: { ...headers, 'content-length': String(content.length) }, content }
}

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('base64')

/** What a signed part must not do on a store, with keys of the kind that the store has. */
export function testSignedParts(name: string, startServer: () => Promise<TestServer>, uploadKey: object): void {
  describe(`signed parts: ${name}`, () => {
    const content = randomBytes(1000)
    const other = randomBytes(1000)
    let server: TestServer
    let store: ObjectStore
    let upload: PartedUpload
    let parts: PartSpec[]
    let signed: SignedPart
    let right: Request

    beforeAll(async () => {
      server = await startServer()
      store = await openObjectStore({ ...s3Config(server), s3PublicEndpoint: server.url, ...uploadKey })
      await waitFor(() => store.check().then(() => true), { what: 'the store works' })
      const begun = await beginUpload(store, 'originals/5000a', [content])
      upload = begun.upload
      parts = begun.parts
      signed = await sign()
      right = toRequest(signed, content)
    })

    afterEach(() => vi.useRealTimers())

    afterAll(() => server?.stop())

    async function sign(): Promise<SignedPart> {
      const found = await store.direct?.sign(upload, parts)
      return found?.parts[0] as SignedPart
    }

    test('it is stored when everything is as it was signed, and can be sent again', async () => {
      const found = await beginUpload(store, 'originals/5000b', [content])
      const urls = await store.direct?.sign(found.upload, found.parts)
      const life = (urls?.expiresAt.getTime() ?? 0) - Date.now()
      expect(life).toBeGreaterThan(4 * 60_000)
      expect(life).toBeLessThanOrEqual(10 * 60_000)
      const request = toRequest(urls?.parts[0] as SignedPart, content)
      expect(await send(request)).toMatchObject({ status: 200 })
      expect(await send(request)).toMatchObject({ status: 200 })
      expect(await store.parts.complete(found.upload, found.parts)).toEqual({ missing: [] })
      expect(await send(request)).toMatchObject({ status: 404 })
      expect(await store.head('originals/5000b')).toEqual({ size: 1000 })
    })

    const checksum = 'x-amz-checksum-sha256'
    test.each<[string, (request: Request) => Partial<Request>]>([
      ['other bytes of the same length', () => ({ content: other })],
      [
        'other bytes with their own checksum',
        ({ headers }) => ({ content: other, headers: { ...headers, [checksum]: sha256(other) } }),
      ],
      [
        'fewer bytes',
        ({ headers }) => ({ content: content.subarray(1), headers: { ...headers, 'content-length': '999' } }),
      ],
      [
        'more bytes',
        ({ headers }) => ({ content: randomBytes(1001), headers: { ...headers, 'content-length': '1001' } }),
      ],
      ['no checksum', ({ headers: { [checksum]: _, ...headers } }) => ({ headers })],
      [
        'the checksum in the query',
        ({ url, headers: { [checksum]: _, ...headers } }) => ({
          url: `${url}&${checksum}=${encodeURIComponent(sha256(content))}`,
          headers,
        }),
      ],
      [
        'two checksums',
        ({ headers }) => ({ content: other, headers: { ...headers, [checksum]: [sha256(other), sha256(content)] } }),
      ],
      [
        'another checksum beside it',
        ({ headers }) => ({ content: other, headers: { ...headers, 'x-amz-checksum-algorithm': 'CRC32' } }),
      ],
      [
        'another checksum in the words of a library',
        ({ headers }) => ({ content: other, headers: { ...headers, 'x-amz-sdk-checksum-algorithm': 'CRC32' } }),
      ],
      ['another part', ({ url }) => ({ url: url.replace('partNumber=1', 'partNumber=2') })],
      ['another upload', ({ url }) => ({ url: url.replace(/uploadId=[^&]+/, 'uploadId=ffffffffffffffff') })],
      ['no upload', ({ url }) => ({ url: url.replace(/partNumber=1&uploadId=[^&]+&/, '') })],
      ['another object', ({ url }) => ({ url: url.replace('5000a', '5000c') })],
      ['another bucket', ({ url }) => ({ url: url.replace('/photos/', '/photos2/') })],
      ['a longer life', ({ url }) => ({ url: url.replace(/Expires=\d+/, 'Expires=6000') })],
      ['another method', () => ({ method: 'GET' })],
      ['another method, which removes', () => ({ method: 'DELETE' })],
      ['another method, which completes', () => ({ method: 'POST' })],
    ])('it is rejected with %s', async (_what, change) => {
      const request = { ...right, ...change(right) }
      expect(request).not.toEqual(right)
      const { status } = await send(request)
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(500)
      expect(await store.parts.list(upload)).toEqual([])
      expect(await store.head('originals/5000c')).toBeNull()
    })

    test('it is rejected after ten minutes', async () => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 11 * 60_000 })
      const late = await sign()
      vi.useRealTimers()
      expect(await send(toRequest(late, content))).toMatchObject({ status: 403 })
      expect(await store.parts.list(upload)).toEqual([])
    })

    test('it is not signed with the main key', async () => {
      const signer = new URL(signed.url).searchParams.get('X-Amz-Credential') ?? ''
      expect(signer.startsWith(MINIO_CREDENTIALS.accessKey)).toBe('s3UploadAccessKey' in uploadKey)
    })
  })
}
