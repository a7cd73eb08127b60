import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { readTiff } from '../formats/tiff-structure.ts'
import type { RenderLimiter } from '../limits.ts'
import { needsMuchMemory } from './decoder-memory.ts'
import { readPreviews } from './dng-previews.ts'
import { renderIsolated } from './isolated-renderer.ts'
import type { Original } from './original.ts'
import { DamagedImageError, type RenderOptions, type RenderResult, renderImage } from './render-image.ts'
import type { Rendition } from './sizes.ts'
import { stripMetadata } from './strip-metadata.ts'

/** Renditions of a photo. A DNG has the camera's preview at most. */
export type Renditions = Pick<RenderResult, 'width' | 'height'> & {
  [name in Rendition | 'thumbhash']: RenderResult[name] | null
}

/** A DNG has no rendition but the preview: its cards show a placeholder. */
const OF_DNG = { small: null, thumbnail: null, medium: null, thumbhash: null }

export interface Renderer {
  /**
   * Renders an original; `isolated` when an earlier attempt may have killed a worker or took too long.
   * @throws DamagedImageError when the original cannot be decoded, RenderAbortedError when decoding must not be attempted again
   */
  render(original: Original, options: { userId: number; isolated: boolean }): Promise<Renditions>
}

/** Longer than rendering an image that needs little memory takes, also on a busy machine. */
const TIMEOUT_MS = 90_000

/**
 * Renders as many photos at the same time as `limiter` allows; images that need much memory are rendered alone, in an
 * isolated process. Rendering in this process that takes longer than `timeoutMs` is abandoned and no longer counts; the next
 * attempt is isolated, in a process that can be killed.
 */
export function createRenderer(limiter: RenderLimiter, maxPixels: number, timeoutMs = TIMEOUT_MS): Renderer {
  async function withTimeout<T>(work: Promise<T>): Promise<T> {
    const settled = new AbortController()
    const timeout = delay(timeoutMs, undefined, { signal: settled.signal }).then(() => {
      throw new Error(`rendering took longer than ${timeoutMs} ms`)
    })
    return Promise.race([work, timeout]).finally(() => settled.abort())
  }

  async function renderBytes(
    original: Buffer,
    { userId, isolated }: { userId: number; isolated: boolean },
    options: RenderOptions,
  ): Promise<RenderResult> {
    if (!isolated) {
      const stripped = await stripMetadata(original, options)
      if (!(await withTimeout(needsMuchMemory(stripped.bytes, options.format))))
        return limiter.photo(userId, () => withTimeout(renderImage(stripped.bytes, stripped.options)))
    }
    return limiter.alone(userId, () => renderIsolated(Readable.from([original]), { ...options, size: original.length }))
  }

  async function renderDng({ source }: Original, how: { userId: number; isolated: boolean }): Promise<Renditions> {
    const { width, height, orientation, previews } = await readTiff(source)
    const size = orientation > 4 ? { width: height, height: width } : { width, height }
    for await (const { bytes } of readPreviews(source, previews)) {
      try {
        const { preview } = await renderBytes(bytes, how, { format: 'jpg', maxPixels, orientation })
        return { ...size, ...OF_DNG, preview }
      } catch (error) {
        // The raw image is what matters to the photographer; a smaller preview may be intact.
        if (!(error instanceof DamagedImageError)) throw error
      }
    }
    return { ...size, ...OF_DNG, preview: null }
  }

  return {
    async render(original, how) {
      const { format, bytes, source } = original
      if (format === 'dng') return renderDng(original, how)
      if (bytes) return renderBytes(bytes, how, { format, maxPixels })
      return limiter.alone(how.userId, async () =>
        renderIsolated(await original.stream(), { format, maxPixels, size: source.size }),
      )
    },
  }
}
