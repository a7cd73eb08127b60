import { Readable } from 'node:stream'
import { renderSizesIsolated } from './isolated-renderer.ts'
import type { RenderLimiter } from './render-limiter.ts'
import { type LackingSizes, renderSizes } from './render-sizes.ts'

export interface SizesRenderer {
  /**
   * Renders the sizes that a photo lacks from its preview; `isolated` when an earlier attempt may have killed a worker.
   * @throws DamagedImageError when the preview cannot be decoded, RenderAbortedError when decoding must not be attempted again
   */
  render(preview: Buffer, options: { userId: number; isolated: boolean }): Promise<LackingSizes>
}

/** Renders sizes within the share of the photos. */
export function createSizesRenderer(limiter: RenderLimiter): SizesRenderer {
  return {
    render: (preview, { userId, isolated }) =>
      limiter.photo(userId, () =>
        isolated ? renderSizesIsolated(Readable.from([preview]), preview.length) : renderSizes(preview),
      ),
  }
}
