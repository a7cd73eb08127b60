import type { Photo } from '../generated/client.ts'
import type { Metadata } from '../metadata/facts.ts'
import { fitsPanorama } from '../metadata/panorama.ts'

/** How a picture that is no ordinary one is looked at: from within a sphere, or by panning. */
export type Projection = 'sphere' | 'wide'

/** From this ratio of width to height on a picture is wide. */
const WIDE_RATIO = 2.5

/** The projection of a photo; null for an ordinary picture, and until it is processed. */
export function projectionOf({
  metadata,
  width,
  height,
}: Pick<Photo, 'metadata' | 'width' | 'height'>): Projection | null {
  if (!width || !height) return null
  const { panorama } = (metadata as Metadata | null) ?? {}
  if (panorama && fitsPanorama(panorama, width / height)) return 'sphere'
  return width / height >= WIDE_RATIO ? 'wide' : null
}
