import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterAll, expect, test } from 'vitest'
import { bufferSource } from '../src/formats/byte-source.ts'
import { createRenderLimiter } from '../src/limits.ts'
import { extractTags } from '../src/metadata/extract-tags.ts'
import { startMetadataReader } from '../src/metadata/metadata-reader.ts'
import { DamagedImageError } from '../src/renditions/render-image.ts'
import { createRenderer } from '../src/renditions/renderer.ts'
import { inspectTiff, PhotoInspector } from '../src/uploads/photo-inspector.ts'
import { type HostileFile, hostileFiles } from './fixtures/hostile-files.ts'
import './support.ts'

const MAX_PIXELS = 300_000_000
const MB = 1024 * 1024
const limits = { fileBytes: 25 * MB, largeFileBytes: 150 * MB, minWidth: 300, minHeight: 300, maxPixels: MAX_PIXELS }
const reader = startMetadataReader()
const renderer = createRenderer(createRenderLimiter(1), MAX_PIXELS)
afterAll(() => reader.stop())

const milliseconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000

interface Cost {
  total: number
  longestTurn: number
}

/** The least cost of three runs: the first also compiles code, and each may collect the garbage of others. */
async function leastCost(work: () => Promise<void>): Promise<Cost> {
  const costs = [await measure(work), await measure(work), await measure(work)]
  return {
    total: Math.min(...costs.map(({ total }) => total)),
    longestTurn: Math.min(...costs.map(({ longestTurn }) => longestTurn)),
  }
}

/** CPU time of `work` in milliseconds: that of the process, and the longest of one turn of the event loop. */
async function measure(work: () => Promise<void>): Promise<Cost> {
  const start = process.cpuUsage()
  let last = process.threadCpuUsage()
  let longestTurn = 0
  const endTurn = () => {
    longestTurn = Math.max(longestTurn, milliseconds(process.threadCpuUsage(last)))
    last = process.threadCpuUsage()
  }
  const timer = setInterval(endTurn, 1)
  await work()
  endTurn()
  clearInterval(timer)
  return { total: milliseconds(process.cpuUsage(start)), longestTurn }
}

/** As the API inspects the file of a form; returns the sentence of the rejection. */
async function inspect(bytes: Buffer): Promise<string | undefined> {
  const inspector = new PhotoInspector('file', limits)
  const pieces = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, index) =>
    bytes.subarray(index * 65_536, (index + 1) * 65_536),
  )
  const store = new Writable({ write: (_piece, _encoding, done) => void setImmediate(done) })
  await pipeline(Readable.from(pieces), inspector, store).catch(() => {})
  if (inspector.kind !== 'tif' || inspector.rejection) return inspector.rejection?.message
  const found = await inspectTiff(bufferSource(bytes), 'file')
  return 'rejection' in found ? found.rejection.message : undefined
}

/** As the worker does, also with files that the API rejects: older ones were accepted. Returns the preview. */
async function processFile({ format, bytes }: HostileFile): Promise<Buffer | null> {
  const source = bufferSource(bytes)
  const tags = await extractTags(source, format)
  if (tags) await reader.read(tags, true)
  const original = {
    format,
    source,
    bytes: format === 'dng' ? null : bytes,
    stream: async () => Readable.from([bytes]),
  }
  try {
    return (await renderer.render(original, { userId: 1, alone: false })).preview
  } catch (error) {
    if (error instanceof DamagedImageError) return null
    throw error
  }
}

test.each(hostileFiles())('a $format of $what costs an upload and a worker little', async (file) => {
  expect(file.bytes.length).toBeLessThanOrEqual(MB)
  let rejection: string | undefined
  const upload = await leastCost(async () => {
    rejection = await inspect(file.bytes)
  })
  expect(upload.longestTurn).toBeLessThan(50)
  expect(upload.total).toBeLessThan(1000)
  if (rejection) expect(rejection).toMatch(/^"file" is (damaged|incomplete): /)

  let preview: Buffer | null = null
  const worker = await leastCost(async () => {
    preview = await processFile(file)
  })
  expect(worker.longestTurn).toBeLessThan(50)
  expect(worker.total).toBeLessThan(1000)
  // It would be rendered in another process, whose time is not measured.
  if (file.format === 'dng') expect(preview).toBeNull()
})
