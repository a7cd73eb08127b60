import { openPool } from '@skyfolio/kit'
import { dronePhoto, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openProcesses, type Processes } from './processes.ts'
import { startTraceCollector } from './trace-collector.ts'

const OWNER = 7
const UPLOAD = '/api/upload-photo'

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

/** Uploads a new photo. Returns its id. */
async function upload(): Promise<number> {
  const body = new FormData()
  const bytes = await dronePhoto({ latitude: 40.7, longitude: -74 })
  body.append('photo', new Blob([new Uint8Array(bytes)]), 'DJI_0001.JPG')
  const response = await processes.call(OWNER, UPLOAD, { method: 'POST', body })
  expect(response.status).toBe(201)
  return ((await response.json()) as { id: number }).id
}

/** Waits until folders shows the photo as processed, the last step of its trace. */
async function processed(id: number): Promise<void> {
  const pool = openPool(processes.foldersDatabase)
  const ready = async () => (await pool.query("SELECT FROM photos WHERE id = $1 AND status = 'ready'", [id])).rowCount
  await waitFor(ready, { what: `photo ${id} is processed`, timeoutMs: 90_000 })
  await pool.end()
}

const ROOT = `gateway: ${UPLOAD}`

/** The paths from the root of the upload's trace to each of its leaves. */
function waysOfUpload(): string[] {
  const root = collector.spans.find((span) => !span.parentSpanId && collector.pathTo(span)[0] === ROOT)
  const spans = collector.spans.filter(({ traceId }) => traceId === root?.traceId)
  const ends = spans.filter((span) => !spans.some(({ parentSpanId }) => parentSpanId === span.spanId))
  return ends.map((span) => collector.pathTo(span).join(' > ')).sort()
}

test("an upload is one trace, from the gateway to the worker's last step and its event to folders", async () => {
  await processed(await upload())
  const received = `${ROOT} > gateway: POST > media: ${UPLOAD}`
  const told = 'publish media.photo.changed > folders: consume media.photo.changed'
  const job = `${received} > media: addBulk photos > media-worker: process photos`
  const steps = ['read metadata', 'render', 'store renditions', `save result > ${told}`]
  const expected = [
    `${received} > ${told}`,
    `${job} > media-worker: complete photos`,
    ...steps.map((step) => `${job} > media-worker: ${step}`),
  ].sort()
  const complete = () => expected.every((way) => waysOfUpload().includes(way))
  await waitFor(complete, { what: 'the ends of the trace' }).catch(() => {})
  expect(waysOfUpload()).toEqual(expected)
})
