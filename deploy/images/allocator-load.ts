import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import sharp from 'sharp'
import { configureSharp } from '../../services/media/src/renditions/render-image.ts'
import { createRenderLimiter } from '../../services/media/src/renditions/render-limiter.ts'
import { createRenderer } from '../../services/media/src/renditions/renderer.ts'

// Runs in the image of the media worker, see allocator.ts. `make <folder>` writes photos; `render <folder> <photos>` renders them
// as the worker does and prints the memory used.
const [task, folder = '', count = '0'] = process.argv.slice(2)
const MEGAPIXELS = [3, 8, 12, 16, 20, 24, 36, 48]
const CONCURRENCY = 2
const MAX_PIXELS = 300_000_000
const REST_MS = 15_000

async function make(): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const megapixels of MEGAPIXELS) {
    const height = Math.round(Math.sqrt((megapixels * 1e6 * 3) / 4))
    const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const
    const photo = sharp({
      create: { width: Math.round((height * 4) / 3), height, channels: 3, background: '#888', noise },
    })
    writeFileSync(join(folder, `${megapixels}.jpg`), await photo.jpeg({ quality: 85 }).toBuffer())
  }
}

async function renderAll(): Promise<void> {
  configureSharp()
  const renderer = createRenderer(createRenderLimiter(CONCURRENCY), MAX_PIXELS)
  const files = readdirSync(folder)
  let peak = 0
  const sampling = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20)
  const startedAt = performance.now()
  let next = 0
  const work = async () => {
    for (let index = next++; index < Number(count); index = next++) {
      // Consecutive photos differ in size, as uploads do: that is what fragments memory.
      const bytes = readFileSync(join(folder, files[(index * 5) % files.length] ?? ''))
      const source = { size: bytes.length, read: async (at: number, length: number) => bytes.subarray(at, at + length) }
      await renderer.render(
        { format: 'jpg', bytes, source, stream: () => Promise.reject(new Error('not needed')) },
        { userId: 1, isolated: false },
      )
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  const seconds = (performance.now() - startedAt) / 1000
  clearInterval(sampling)
  const atEnd = process.memoryUsage.rss()
  await delay(REST_MS)
  const megabytes = (bytes: number) => Math.round(bytes / 1e6)
  const { user, system } = process.cpuUsage()
  const cpuMs = Math.round((user + system) / 1000 / Number(count))
  console.log(
    JSON.stringify({
      peak: megabytes(peak),
      atEnd: megabytes(atEnd),
      atRest: megabytes(process.memoryUsage.rss()),
      seconds: Math.round(seconds),
      cpuMs,
    }),
  )
}

await (task === 'make' ? make() : renderAll())
