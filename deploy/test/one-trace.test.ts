import { openPool, openRedis } from '@skyfolio/kit'
import { dronePhoto, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openProcesses, type Processes } from './processes.ts'
import { startTraceCollector } from './trace-collector.ts'

const OWNER = 7
const UPLOAD = '/api/upload-photo'
const RECEIVED = [`gateway: ${UPLOAD}`, 'gateway: POST', `media: ${UPLOAD}`]

const PROCESSING = 'media-worker: process photo'
const TOLD = ['publish media.photo.changed', 'folders: consume media.photo.changed']
const steps = (above: string[]) => [
  ...['read metadata', 'render', 'store renditions'].map((step) => [...above, PROCESSING, `media-worker: ${step}`]),
  [...above, PROCESSING, 'media-worker: save result', ...TOLD],
]
const comesIn = [...RECEIVED, ...TOLD]

let collector: Awaited<ReturnType<typeof startTraceCollector>>
let processes: Processes

beforeAll(async () => {
  collector = await startTraceCollector()
  processes = await openProcesses(collector.env)
  await processes.start('gateway', 'media', 'folders', 'media-worker')
})
afterAll(async () => {
  await processes.close()
  collector.close()
})

/** Uploads a new photo. Returns its id and the trace that started at the gateway. */
async function upload(): Promise<{ id: number; traceId: string }> {
  const seen = new Set(roots())
  const body = new FormData()
  const bytes = await dronePhoto({ latitude: 40.7 + seen.size / 100, longitude: -74 })
  body.append('photo', new Blob([new Uint8Array(bytes)]), 'DJI_0001.JPG')
  const response = await processes.call(OWNER, UPLOAD, { method: 'POST', body })
  expect(response.status).toBe(201)
  const { id } = (await response.json()) as { id: number }
  const root = await waitFor(() => roots().find((span) => !seen.has(span)), { what: 'the root of the trace' })
  return { id, traceId: root.traceId }
}

const roots = () => collector.spans.filter((span) => !span.parentSpanId && collector.pathTo(span)[0] === RECEIVED[0])

/** Waits until folders shows the photo as processed, the last step of its trace. */
async function processed(id: number): Promise<void> {
  const pool = openPool(processes.foldersDatabase)
  const ready = async () => (await pool.query("SELECT FROM photos WHERE id = $1 AND status = 'ready'", [id])).rowCount
  await waitFor(ready, { what: `photo ${id} is processed`, timeoutMs: 90_000 })
  await pool.end()
}

/** Returns the paths from the root of a trace to each leaf, once they include the expected ones. */
async function waysOf(traceId: string, expected: string[][]): Promise<string[]> {
  const ways = () => {
    const spans = collector.spans.filter((span) => span.traceId === traceId)
    const ends = spans.filter((span) => !spans.some(({ parentSpanId }) => parentSpanId === span.spanId))
    return ends.map((span) => collector.pathTo(span).join(' > '))
  }
  const complete = () => expected.every((way) => ways().includes(way.join(' > ')))
  await waitFor(complete, { what: 'the ends of the trace' }).catch(() => {})
  return ways()
}

test("an upload is one trace, from the gateway to the worker's last step and its event to folders", async () => {
  const { id, traceId } = await upload()
  await processed(id)
  const job = [...RECEIVED, 'media: add photos.photos', 'media-worker: process photos']
  const expected = [comesIn, ...steps(job), [...job, 'media-worker: complete photos']]
  expect((await waysOf(traceId, expected)).sort()).toEqual(expected.map((way) => way.join(' > ')).sort())
})

test('a part of an upload belongs to the trace of the gateway in media', async () => {
  const route = '/api/upload-sessions/:id/parts/:number'
  const part = route.replace(':id', 'a'.repeat(32)).replace(':number', '1')
  expect((await processes.call(OWNER, part, { method: 'PUT', body: 'x' })).status).toBe(404)
  const ways = () => collector.spans.map((span) => collector.pathTo(span).join(' > '))
  await waitFor(() => ways().includes(`gateway: ${route} > media: ${route}`), { what: 'the spans of the part' })
})

test('links the processing of a photo whose job was lost with the trace of the job that found it', async () => {
  await processes.stop('media-worker')
  const { id, traceId } = await upload()
  const redis = openRedis(processes.redis.url, 'test')
  await waitFor(async () => (await redis.keys('bull:photos:job-*')).length > 0, { what: 'the job' })
  await redis.flushall()
  redis.disconnect()
  await processes.start('media-worker')
  await processed(id)
  const expected = [comesIn, [...RECEIVED, 'media: add photos.photos'], ...steps(RECEIVED)]
  expect((await waysOf(traceId, expected)).sort()).toEqual(expected.map((way) => way.join(' > ')).sort())
  const processing = collector.spans.find((span) => span.traceId === traceId && span.name === 'process photo')
  expect(processing?.links).toEqual([expect.objectContaining({ traceId: expect.not.stringMatching(traceId) })])
})
