import { hasMinio, MINIO_CREDENTIALS, startMinio, type TestServer } from '@skyfolio/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSession, uploadOf } from '../src/upload-sessions/rows.ts'
import { ask, complete, open } from './session-support.ts'
import { jpegOfSize, startTestMedia, type TestMedia, user } from './support.ts'

const minio = await hasMinio()
if (!minio) console.log('SKIPPED: upload sessions on a real MinIO (run services/testkit/scripts/fetch-tool.sh minio)')

const me = user(1)
const MIB = 1024 * 1024
const PART = 5 * MIB

interface SignedUpload {
  number: number
  url: string
  headers: Record<string, string>
}

describe.skipIf(!minio)('upload sessions on a real MinIO', () => {
  let server: TestServer
  let media: TestMedia
  beforeAll(async () => {
    server = await startMinio()
    media = await startTestMedia({
      env: {
        ...{ OBJECT_STORE: 's3', S3_ENDPOINT: server.url, S3_BUCKET: 'photos', S3_PUBLIC_ENDPOINT: server.url },
        S3_ACCESS_KEY: MINIO_CREDENTIALS.accessKey,
        S3_SECRET_KEY: MINIO_CREDENTIALS.secretKey,
        // Pages of https send nothing to this server.
        PUBLIC_ORIGIN: 'http://skyfolio.test',
      },
    })
  })
  afterAll(async () => {
    await media?.close()
    await server?.stop()
  })

  const bytesOf = (file: Buffer, number: number) =>
    new Uint8Array(file.subarray((number - 1) * PART, Math.min(file.length, number * PART)))

  async function sendToStore(file: Buffer, { number, url, headers }: SignedUpload): Promise<string> {
    const response = await fetch(url, { method: 'PUT', headers, body: bytesOf(file, number) })
    expect(response.status).toBe(200)
    return response.headers.get('etag') ?? ''
  }

  async function sendToMedia(file: Buffer, id: string, number: number): Promise<string> {
    const response = await media.call(`/api/upload-sessions/${id}/parts/${number}`, me, {
      ...{ method: 'PUT', body: bytesOf(file, number), headers: { 'content-type': 'application/octet-stream' } },
    })
    expect(response.status).toBe(200)
    return ((await response.json()) as { etag: string }).etag
  }

  test('parts go both ways into one session, and it is completed with or without their tags', async () => {
    for (const withTags of [false, true]) {
      const file = await jpegOfSize(11 * MIB)
      const { id, uploads, uploadsExpireAt } = await open(media, me, file)
      expect(uploads.map(({ number }: SignedUpload) => number)).toEqual([1, 2, 3])
      expect(Date.parse(uploadsExpireAt)).toBeGreaterThan(Date.now())
      const etags: Record<number, string> = { 1: await sendToStore(file, uploads[0]) }
      etags[2] = await sendToMedia(file, id, 2)
      expect((await ask(media, me, 'GET', `/${id}`)).body).toMatchObject({ missing: [3], uploads: [{ number: 3 }] })
      const again = await ask(media, me, 'POST', `/${id}/urls`, { parts: [3] })
      etags[3] = await sendToStore(file, again.body.uploads[0])
      const answer = await complete(media, me, id, withTags ? { etags } : {})
      expect(answer).toMatchObject({ status: 201, body: { filesize: 11 * MIB } })
    }
  })

  test('wrong tags cost nothing, and an upload that the store has forgotten begins again', async () => {
    const file = await jpegOfSize(MIB)
    const { id } = await open(media, me, file, { direct: false })
    const etag = await sendToMedia(file, id, 1)
    const session = await readSession(media.pool, 1, id)
    if (!session) throw new Error('no session')
    await media.store.parts.abort(uploadOf(session))
    const lost = await complete(media, me, id, { etags: { 1: etag } })
    expect([lost.status, lost.body.missing]).toEqual([409, [1]])
    await sendToMedia(file, id, 1)
    const wrong = '"00000000000000000000000000000000"'
    expect((await complete(media, me, id, { etags: { 1: wrong } })).status).toBe(201)
    expect((await ask(media, me, 'DELETE', `/${id}`)).status).toBe(204)
  })
})
