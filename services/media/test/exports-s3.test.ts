import { hasMinio, MINIO_CREDENTIALS, startMinio, type TestServer, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ExportResponse, sweepExpiredExports } from '../src/exports/export-rows.ts'
import { type ExportSources, serveExportSources, unpack } from './export-support.ts'
import { jpegOfSize, startTestMedia, type TestMedia, user } from './support.ts'

const minio = await hasMinio()
if (!minio) console.log('SKIPPED: exports on a real MinIO (run services/testkit/scripts/fetch-tool.sh minio)')

const me = user(1)
const MiB = 1024 * 1024

describe.skipIf(!minio)('an export on a real MinIO', () => {
  let server: TestServer
  let media: TestMedia
  let sources: ExportSources
  beforeAll(async () => {
    server = await startMinio()
    media = await startTestMedia({
      env: {
        S3_ENDPOINT: server.url,
        S3_BUCKET: 'photos',
        S3_ACCESS_KEY: MINIO_CREDENTIALS.accessKey,
        S3_SECRET_KEY: MINIO_CREDENTIALS.secretKey,
      },
    })
    sources = serveExportSources(media.nats)
    media.startWorker()
  })
  afterAll(async () => {
    await sources?.stop()
    await media?.close()
    await server?.stop()
  })

  const status = () => media.json<ExportResponse>('/api/user/export', me)

  test('is prepared, sent whole and in parts, resumed after a restart of the store, and swept', async () => {
    const originals = [await jpegOfSize(9 * MiB), await jpegOfSize(MiB)]
    for (const bytes of originals) await media.processed((await media.upload(1, {}, bytes)).id)
    await media.json('/api/user/export', me, 'POST', {})
    await waitFor(async () => (await status()).status === 'ready', { what: 'it is ready', timeoutMs: 60_000 })
    const { url, size } = await status()
    const read = async (headers: Record<string, string> = {}) => {
      const response = await media.call(url ?? '', me, { headers })
      return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
    }
    const whole = (await read()).bytes
    expect(whole.length).toBe(size)
    const files = await unpack(whole)
    const unpacked = ['originals/No folder/photo.jpg', 'originals/No folder/photo (2).jpg'].map((path) =>
      files.get(path),
    )
    expect(originals.map((bytes, index) => unpacked[index]?.equals(bytes))).toEqual([true, true])
    expect(JSON.parse(String(files.get('manifest.json')))).toHaveLength(2)

    await server.stop()
    expect((await read({ range: `bytes=${8 * MiB}-` })).status).toBe(503)
    expect(await status()).toMatchObject({ status: 'ready' })
    await server.start()
    const rest = await read({ range: `bytes=${8 * MiB}-` })
    expect(rest.status).toBe(206)
    expect(rest.bytes.equals(whole.subarray(8 * MiB))).toBe(true)

    const isStored = async () => (await media.keys()).some((key) => key.startsWith('exports/'))
    expect(await isStored()).toBe(true)
    await sweepExpiredExports(media.db, new Date(Date.now() + 8 * 24 * 3_600_000))
    await waitFor(async () => !(await isStored()), { what: 'its files are removed' })
    expect((await media.keys()).filter((key) => key.startsWith('originals/'))).toHaveLength(2)
  })
})
