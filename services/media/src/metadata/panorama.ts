import { Type } from 'typebox'
import type { Photo } from '../generated/client.ts'
import { parseNumber, parseText, type TagGroups } from './tag-values.ts'

const Degrees = (description: string) => Type.Optional(Type.Number({ description }))
const Pixels = (description: string) => Type.Optional(Type.Number({ description }))

/**
 * GPano of a spherical panorama, under its tag names. The part that the picture has of the sphere, in pixels of the picture
 * as it was stitched, is complete or absent; absent: the picture is the whole sphere.
 */
export const PanoramaBody = Type.Object({
  ProjectionType: Type.Optional(Type.String({ description: 'equirectangular' })),
  PoseHeadingDegrees: Degrees("Compass heading of the picture's middle"),
  PosePitchDegrees: Degrees('Of the camera, positive upwards'),
  PoseRollDegrees: Degrees('Of the camera, positive clockwise'),
  InitialViewHeadingDegrees: Degrees('Compass heading of the view to begin with'),
  InitialViewPitchDegrees: Degrees('Of the view to begin with, positive upwards'),
  InitialHorizontalFOVDegrees: Degrees('Field of view to begin with'),
  FullPanoWidthPixels: Pixels('Of the whole sphere'),
  FullPanoHeightPixels: Pixels('Of the whole sphere'),
  CroppedAreaImageWidthPixels: Pixels('Of the picture'),
  CroppedAreaImageHeightPixels: Pixels('Of the picture'),
  CroppedAreaLeftPixels: Pixels('From the left edge of the sphere to the picture'),
  CroppedAreaTopPixels: Pixels('From the top edge of the sphere to the picture'),
})
type Panorama = Type.Static<typeof PanoramaBody>

const ANGLES = [
  ...(['PoseHeadingDegrees', 'PosePitchDegrees', 'PoseRollDegrees'] as const),
  ...(['InitialViewHeadingDegrees', 'InitialViewPitchDegrees', 'InitialHorizontalFOVDegrees'] as const),
]
const CROP = [
  ...(['FullPanoWidthPixels', 'FullPanoHeightPixels'] as const),
  ...(['CroppedAreaImageWidthPixels', 'CroppedAreaImageHeightPixels'] as const),
  ...(['CroppedAreaLeftPixels', 'CroppedAreaTopPixels'] as const),
]
/** Stitchers round. */
const MAX_DIFFERENCE = 0.02

/** The spherical panorama that the file says it is; undefined for other projections, and where its viewer is turned off. */
export function readPanorama({ 'XMP-GPano': gpano = {} }: TagGroups): Panorama | undefined {
  if (parseText(gpano.ProjectionType)?.toLowerCase() !== 'equirectangular') return undefined
  if (parseText(gpano.UsePanoramaViewer)?.toLowerCase() === 'false') return undefined
  const angles = ANGLES.flatMap((tag) => {
    const degrees = parseNumber(gpano[tag])
    return degrees === undefined || Math.abs(degrees) > 360 ? [] : [[tag, degrees]]
  })
  return { ProjectionType: 'equirectangular', ...Object.fromEntries(angles), ...readCrop(gpano) }
}

/** Nothing unless the tags are complete and describe a part of a sphere, twice as wide as high. */
function readCrop(gpano: Record<string, unknown>): Partial<Panorama> {
  const numbers = CROP.map((tag) => parseNumber(gpano[tag]) ?? Number.NaN)
  const [fullWidth = 0, fullHeight = 0, width = 0, height = 0, left = 0, top = 0] = numbers
  // None of the comparisons is true without a number.
  const isInside =
    Math.min(fullWidth, fullHeight, width, height) > 0 &&
    Math.min(left, top) >= 0 &&
    left + width <= fullWidth * (1 + MAX_DIFFERENCE) &&
    top + height <= fullHeight * (1 + MAX_DIFFERENCE)
  if (!isInside || !isSimilar(fullWidth / fullHeight, 2)) return {}
  return Object.fromEntries(CROP.map((tag, index) => [tag, numbers[index]]))
}

/**
 * Whether a picture with this ratio of width to height can be what the tags describe: editors keep them when they crop.
 */
function fitsPanorama(panorama: Panorama, ratio: number): boolean {
  const { CroppedAreaImageWidthPixels: width, CroppedAreaImageHeightPixels: height } = panorama
  return isSimilar(ratio, width && height ? width / height : 2)
}

function isSimilar(ratio: number, expected: number): boolean {
  return Math.abs(ratio / expected - 1) <= MAX_DIFFERENCE
}

/** How a picture that is no ordinary one is looked at: from within a sphere, or by panning. */
type Projection = 'sphere' | 'wide'

/** From this ratio of width to height on a picture is wide. */
const WIDE_RATIO = 2.5

/** The projection of a photo; null for an ordinary picture, and until it is processed. */
export function projectionOf({
  metadata,
  width,
  height,
}: Pick<Photo, 'metadata' | 'width' | 'height'>): Projection | null {
  if (!width || !height) return null
  const { panorama } = (metadata as { panorama?: Panorama } | null) ?? {}
  if (panorama && fitsPanorama(panorama, width / height)) return 'sphere'
  return width / height >= WIDE_RATIO ? 'wide' : null
}
