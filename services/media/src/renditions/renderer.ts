import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { createLimiter } from '@skyfolio/kit'
import { readTiff } from '../formats/tiff-structure.ts'
import { needsMuchMemory } from './decoder-memory.ts'
import { renderIsolated } from './isolated-renderer.ts'
import { MAX_IN_MEMORY_BYTES, type Original } from './original.ts'
import { DamagedImageError, type RenderOptions, type RenderResult, renderImage } from './render-image.ts'
import { stripMetadata } from './strip-metadata.ts'

/** What is shown of a photo. Of a DNG there is the camera's preview at most. */
export type Renditions = Pick<RenderResult, 'width' | 'height'> & {
  [part in 'thumbnail' | 'preview' | 'thumbhash']: RenderResult[part] | null
}

export interface Renderer {
  /**
   * Makes the renditions of an original; `alone` when it may be what ended a worker before.
   * @throws DamagedImageError when the original cannot be decoded, RenderAbortedError when decoding it must not be tried again
   */
  render(original: Original, alone: boolean): Promise<Renditions>
}

/** Longer than drawing a picture of few bytes in memory takes, also on a busy machine. */
const LIMIT_MS = 90_000

/**
 * Draws up to `concurrency` pictures at the same time, and those that need much memory alone and in their own process.
 * What takes longer than `limitMs` in this one is given up and holds its place no more; begun again it is `alone`, in a
 * process that can be ended.
 */
export function createRenderer(concurrency: number, maxPixels: number, limitMs = LIMIT_MS): Renderer {
  const limiter = createLimiter({ total: concurrency })

  async function inTime<T>(work: Promise<T>): Promise<T> {
    const settled = new AbortController()
    const tooLate = delay(limitMs, undefined, { signal: settled.signal }).then(() => {
      throw new Error(`drawing took longer than ${limitMs} ms`)
    })
    return Promise.race([work, tooLate]).finally(() => settled.abort())
  }

  async function drawBytes(original: Buffer, alone: boolean, o: RenderOptions): Promise<RenderResult> {
    if (!alone) {
      const { bytes, options } = await stripMetadata(original, o)
      if (!(await inTime(needsMuchMemory(bytes, o.format))))
        return limiter.run({ weight: 1 }, () => inTime(renderImage(bytes, options)))
    }
    return limiter.run({ weight: concurrency }, () =>
      renderIsolated(Readable.from([original]), { ...o, size: original.length }),
    )
  }

  async function drawDng({ source }: Original, alone: boolean): Promise<Renditions> {
    const { width, height, orientation, previews } = await readTiff(source)
    const size = orientation > 4 ? { width: height, height: width } : { width, height }
    for (const { start, length } of previews.filter((one) => one.length <= MAX_IN_MEMORY_BYTES)) {
      try {
        const bytes = await source.read(start, length)
        const { preview } = await drawBytes(bytes, alone, { format: 'jpg', maxPixels, orientation })
        return { ...size, thumbnail: null, preview, thumbhash: null }
      } catch (error) {
        // The raw image is what the photographer keeps; a smaller preview may be whole.
        if (!(error instanceof DamagedImageError)) throw error
      }
    }
    return { ...size, thumbnail: null, preview: null, thumbhash: null }
  }

  return {
    async render(original, alone) {
      const { format, bytes, source } = original
      if (format === 'dng') return drawDng(original, alone)
      if (bytes) return drawBytes(bytes, alone, { format, maxPixels })
      return limiter.run({ weight: concurrency }, async () =>
        renderIsolated(await original.stream(), { format, maxPixels, size: source.size }),
      )
    },
  }
}
