import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import type { RenderRequest, RenderResponse } from './isolated-renderer.ts'
import { configureSharp, DamagedImageError, renderImage } from './render-image.ts'
import { stripMetadata } from './strip-metadata.ts'

// Draws one picture and is then ended by the worker (see apart.ts). It goes when the worker goes, and not before:
// a signal to the whole group must not make a photo fail.
process.on('disconnect', () => process.exit())
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})

async function answer(order: RenderRequest): Promise<RenderResponse> {
  const original = await buffer(process.stdin)
  if (original.length !== order.size) return { short: true }
  try {
    const { bytes, options } = await stripMetadata(original, order)
    return { drawing: await renderImage(bytes, options) }
  } catch (error) {
    return error instanceof DamagedImageError ? { damaged: String(error.cause) } : { failed: String(error) }
  }
}

const ordered = once(process, 'message')
// When memory runs out on Linux, this process is the one to go.
await writeFile('/proc/self/oom_score_adj', '1000').catch(() => {})
configureSharp()
const [order] = await ordered
process.send?.(await answer(order as RenderRequest))
