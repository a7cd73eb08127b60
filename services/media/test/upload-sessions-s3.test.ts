import { buffer } from 'node:stream/consumers'
import type { PartedUpload } from '@skyfolio/kit'
import { hasMinio, MINIO_CREDENTIALS, startMinio, type TestServer } from '@skyfolio/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { readSession, uploadOf } from '../src/upload-sessions/rows.ts'
import { noise } from './fixtures/noise.ts'
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
    media = await startTestMedia({ env: environment() })
  })
  afterAll(async () => {
    await media?.close()
    await server?.stop()
  })

  const environment = () => ({
    ...{ S3_ENDPOINT: server.url, S3_BUCKET: 'photos', S3_PUBLIC_ENDPOINT: server.url },
    S3_ACCESS_KEY: MINIO_CREDENTIALS.accessKey,
    S3_SECRET_KEY: MINIO_CREDENTIALS.secretKey,
    // Pages of https send nothing to this server.
    PUBLIC_ORIGIN: 'http://skyfolio.test',
  })

  const bytesOf = (file: Buffer, number: number) =>
    new Uint8Array(file.subarray((number - 1) * PART, Math.min(file.length, number * PART)))

  async function sendToStore(file: Buffer, { number, url, headers }: SignedUpload): Promise<void> {
    const response = await fetch(url, { method: 'PUT', headers, body: bytesOf(file, number) })
    expect(response.status).toBe(200)
  }

  const sendToRoute = (file: Buffer, id: string, number: number, replica = media) =>
    replica.call(`/api/upload-sessions/${id}/parts/${number}`, me, {
      ...{ method: 'PUT', body: bytesOf(file, number), headers: { 'content-type': 'application/octet-stream' } },
    })

  async function uploadFor(id: string): Promise<PartedUpload> {
    const session = await readSession(media.db, 1, id)
    if (!session) throw new Error('no session')
    return uploadOf(session)
  }

  const keyOf = async (id: string) => (await uploadFor(id)).key

  async function sendToMedia(file: Buffer, id: string, number: number, replica = media): Promise<void> {
    expect((await sendToRoute(file, id, number, replica)).status).toBe(204)
  }

  test('parts go both ways into one session', async () => {
    const file = await jpegOfSize(11 * MIB)
    const { id, uploads, uploadsExpireAt } = await open(media, me, file)
    expect(uploads.map(({ number }: SignedUpload) => number)).toEqual([1, 2, 3])
    expect(Date.parse(uploadsExpireAt)).toBeGreaterThan(Date.now())
    await sendToStore(file, uploads[0])
    await sendToMedia(file, id, 2)
    expect((await ask(media, me, 'GET', `/${id}`)).body).toMatchObject({ missing: [3], uploads: [{ number: 3 }] })
    const again = await ask(media, me, 'POST', `/${id}/urls`, { parts: [3] })
    await sendToStore(file, again.body.uploads[0])
    expect(await complete(media, me, id)).toMatchObject({ status: 201, body: { filesize: 11 * MIB } })
  })

  test('an upload that the store has forgotten begins again', async () => {
    const file = await jpegOfSize(MIB)
    const { id } = await open(media, me, file)
    await sendToMedia(file, id, 1)
    await media.store.parts.abort(await uploadFor(id))
    const lost = await complete(media, me, id)
    expect([lost.status, lost.body.missing]).toEqual([409, [1]])
    await sendToMedia(file, id, 1)
    expect((await complete(media, me, id)).status).toBe(201)
    expect((await ask(media, me, 'DELETE', `/${id}`)).status).toBe(204)
  })

  test('what was sent of a session that is cancelled is removed', async () => {
    const file = await jpegOfSize(MIB)
    const { id } = await open(media, me, file, { direct: false })
    await sendToMedia(file, id, 1)
    const key = await keyOf(id)
    expect((await ask(media, me, 'DELETE', `/${id}`)).status).toBe(204)
    const { rows } = await media.pool.query('SELECT FROM object_removals WHERE key = $1', [key])
    expect(rows).toHaveLength(1)
  })

  describe('a file of one part that came through this process', () => {
    let seed = 100
    /** Larger than the block that an inspection reads first. */
    const largeJpeg = () => noise(500, 400, seed++).jpeg({ quality: 95 }).toBuffer()

    /** Its session, with the part stored by the route. */
    async function sendWhole(): Promise<{ file: Buffer; id: string }> {
      const file = await largeJpeg()
      const { id } = await open(media, me, file, { direct: false })
      await sendToMedia(file, id, 1)
      return { file, id }
    }

    /** What completions ask the store from now on. */
    function watchStore() {
      const calls: string[] = []
      const watch = <Name extends string>(object: Record<Name, (...args: never[]) => unknown>, name: Name) => {
        const call = object[name]
        vi.spyOn(object as Record<string, (...args: never[]) => unknown>, name).mockImplementation((...args) => {
          calls.push(name)
          return call(...args)
        })
      }
      for (const name of ['get', 'head'] as const) watch(media.store, name)
      watch(media.store.parts, 'complete')
      return calls
    }
    afterEach(() => vi.restoreAllMocks())

    const photos = (file: Buffer) => media.db.photo.findMany({ where: { userId: 1, filesize: file.length } })
    const ASKED = ['complete', 'get', 'get']

    test('is completed without reading it from the store', async () => {
      const { file, id } = await sendWhole()
      const calls = watchStore()
      const { status, body } = await complete(media, me, id)
      expect(status).toBe(201)
      expect(calls).toEqual(['complete'])
      const object = await media.store.get(`originals/${body.filename.split('.')[0]}`)
      expect(object && (await buffer(object.body)).equals(file)).toBe(true)
    })

    test('is rejected for its content as any other', async () => {
      const file = Buffer.concat([(await largeJpeg()).subarray(0, -2), Buffer.alloc(2)])
      const { id } = await open(media, me, file, { direct: false })
      await sendToMedia(file, id, 1)
      const { status, body } = await complete(media, me, id)
      expect([status, body.issues]).toEqual([400, [expect.stringContaining('is incomplete')]])
      expect(await photos(file)).toEqual([])
    })

    test('is asked for at the store when another process has stored it', async () => {
      const file = await largeJpeg()
      const { id } = await open(media, me, file, { direct: false })
      const { NATS_URL: natsUrl, REDIS_URL: redisUrl, DATABASE_URL: databaseUrl } = media.env
      const replica = await startTestMedia({ env: environment(), natsUrl, redisUrl, databaseUrl })
      onTestFinished(() => replica.close())
      await sendToMedia(file, id, 1, replica)
      const calls = watchStore()
      expect(await complete(media, me, id)).toMatchObject({ status: 201 })
      expect(calls).toEqual(ASKED)
    })

    test('is not read after a completion that has failed either', async () => {
      const { id } = await sendWhole()
      await media.db.deletedUser.create({ data: { userId: 1 } })
      expect((await complete(media, me, id)).status).toBe(404)
      await media.db.deletedUser.delete({ where: { userId: 1 } })
      const calls = watchStore()
      expect(await complete(media, me, id)).toMatchObject({ status: 201 })
      expect(calls).toEqual(['complete'])
    })

    test('is no photo when its session has ended elsewhere', async () => {
      const { file, id } = await sendWhole()
      const { key } = await uploadFor(id)
      await media.pool.query('DELETE FROM upload_sessions WHERE id = $1', [id])
      await media.store.remove(key)
      expect((await complete(media, me, id)).status).toBe(404)
      const { id: next } = await open(media, me, file, { direct: false })
      expect((await complete(media, me, next)).body).toMatchObject({ code: 'parts_missing', missing: [1] })
      expect(await photos(file)).toEqual([])
    })

    test('is no photo when its upload has begun again elsewhere', async () => {
      const { id } = await sendWhole()
      const { key, size } = await uploadFor(id)
      const begun = await media.store.parts.begin(key, size)
      await media.pool.query('UPDATE upload_sessions SET upload_id = $2 WHERE id = $1', [id, begun])
      expect((await complete(media, me, id)).body).toMatchObject({ code: 'parts_missing', missing: [1] })
    })
  })
})
