import type { PublicPhoto, PublicPhotoDetails } from '../../../api/types.ts'
import { canShowOriginal } from '../../../components/renditions.ts'
import type { Size } from '../use-zoom.ts'

/** GPano of a spherical panorama: `metadata.panorama` of a photo. */
export type Panorama = NonNullable<NonNullable<PublicPhotoDetails['metadata']>['panorama']>

/** The fields that the viewer needs, common to a user's own and public photos. */
export type ViewedPhoto = Omit<PublicPhoto, 'folderId'>

/** Vertical fields of view in degrees: the closest, the widest, and the one to begin with. */
export const FIELDS_OF_VIEW = { least: 10, most: 100, first: 65 }

/** Where a view looks, in radians from the middle of the sphere's picture, and how close: 0 the widest, 100 the closest. */
export interface SphereView {
  yaw: number
  pitch: number
  zoom: number
}

const RADIANS = Math.PI / 180

/** The part of the sphere that the picture is of, in pixels of the picture as it was stitched; null: the whole sphere. */
function partOf(panorama: Panorama) {
  const { FullPanoWidthPixels: fullWidth, FullPanoHeightPixels: fullHeight } = panorama
  const { CroppedAreaImageWidthPixels: width, CroppedAreaImageHeightPixels: height } = panorama
  const { CroppedAreaLeftPixels: left = 0, CroppedAreaTopPixels: top = 0 } = panorama
  return fullWidth && fullHeight && width && height ? { fullWidth, fullHeight, width, height, left, top } : null
}

/** Where a picture of this size belongs on the sphere, in its pixels. Angles in degrees. */
export function placeOnSphere(panorama: Panorama, picture: Size) {
  const pose = { posePitch: panorama.PosePitchDegrees ?? 0, poseRoll: panorama.PoseRollDegrees ?? 0 }
  const part = partOf(panorama)
  if (!part) {
    // Stitchers round: a row of pixels too few or too many stays at the poles.
    const fullHeight = Math.round(picture.width / 2)
    const croppedHeight = Math.min(picture.height, fullHeight)
    const croppedY = Math.round((fullHeight - croppedHeight) / 2)
    const whole = { fullWidth: picture.width, fullHeight, croppedWidth: picture.width, croppedHeight }
    return { ...whole, croppedX: 0, croppedY, ...pose }
  }
  const scale = picture.width / part.width
  const fullWidth = Math.max(picture.width, 2 * Math.round((part.fullWidth * scale) / 2))
  const fullHeight = Math.max(picture.height, fullWidth / 2)
  const within = (start: number, length: number, full: number) => Math.min(Math.round(start * scale), full - length)
  return {
    fullWidth,
    fullHeight,
    croppedWidth: picture.width,
    croppedHeight: picture.height,
    croppedX: within(part.left, picture.width, fullWidth),
    croppedY: within(part.top, picture.height, fullHeight),
    ...pose,
  }
}

/**
 * The view that the file asks for, else the middle of the picture.
 *
 * @param ratio width to height of the box, since GPano has the horizontal field of view
 */
export function initialView(panorama: Panorama, ratio: number): SphereView {
  const part = partOf(panorama)
  const { InitialViewHeadingDegrees: heading, InitialViewPitchDegrees: pitch } = panorama
  const middle = part
    ? {
        yaw: ((part.left + part.width / 2) / part.fullWidth - 0.5) * 360,
        pitch: (0.5 - (part.top + part.height / 2) / part.fullHeight) * 180,
      }
    : { yaw: 0, pitch: 0 }
  // Headings are the compass's; that of the pose is where the middle of the sphere's picture looks.
  const yaw = heading === undefined ? middle.yaw : heading - (panorama.PoseHeadingDegrees ?? 0)
  return {
    yaw: turned(yaw * RADIANS),
    pitch: clamp(pitch ?? middle.pitch, -90, 90) * RADIANS,
    zoom: zoomOf(verticalField(panorama.InitialHorizontalFOVDegrees, ratio) ?? widestFilled(part, ratio)),
  }
}

/** In degrees, from a horizontal field of view; undefined where a flat view has no such field. */
function verticalField(horizontal: number | undefined, ratio: number): number | undefined {
  if (horizontal === undefined || horizontal <= 0 || horizontal >= 180) return undefined
  return (2 * Math.atan(Math.tan((horizontal * RADIANS) / 2) / ratio)) / RADIANS
}

/** The usual field, or less where a part of a sphere would leave the box black around it. */
function widestFilled(part: ReturnType<typeof partOf>, ratio: number): number {
  if (!part) return FIELDS_OF_VIEW.first
  const high = (part.height / part.fullHeight) * 180
  const wide = verticalField((part.width / part.fullWidth) * 360, ratio) ?? high
  return Math.min(FIELDS_OF_VIEW.first, high, wide)
}

function zoomOf(field: number): number {
  const { least, most } = FIELDS_OF_VIEW
  return (100 * (most - clamp(field, least, most))) / (most - least)
}

/** A part of the field of view. */
const TURN = 1 / 8
const ZOOM_STEP = 10
const TURNS: Record<string, [yaw: number, pitch: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
}

/** The view after a key; null for other keys. */
export function viewAfterKey(key: string, view: SphereView, initial: SphereView): SphereView | null {
  const turn = TURNS[key]
  if (turn) {
    const step = fieldOf(view) * RADIANS * TURN
    const pitch = clamp(view.pitch + turn[1] * step, -Math.PI / 2, Math.PI / 2)
    return { ...view, yaw: turned(view.yaw + turn[0] * step), pitch }
  }
  if (key === '+' || key === '=') return zoomed(view, 1)
  if (key === '-') return zoomed(view, -1)
  return key === '0' ? initial : null
}

/** The view one step closer (1) or wider (-1). */
export function zoomed(view: SphereView, steps: number): SphereView {
  return { ...view, zoom: clamp(view.zoom + steps * ZOOM_STEP, 0, 100) }
}

function fieldOf({ zoom }: SphereView): number {
  const { least, most } = FIELDS_OF_VIEW
  return most - (zoom / 100) * (most - least)
}

function turned(radians: number): number {
  const full = 2 * Math.PI
  return ((radians % full) + full) % full
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most)
}

/**
 * The pictures of a sphere in the order in which they are shown: the preview, then the original where browsers can show it,
 * since a preview has a few pixels only for each degree. Nothing without a preview.
 */
export function spherePictures(photo: PictureUrls, withoutOriginal: boolean): string[] {
  const original = canShowOriginal(photo) && !withoutOriginal ? [photo.url] : []
  return photo.previewUrl === null ? [] : [photo.previewUrl, ...original]
}

type PictureUrls = Pick<PublicPhoto, 'previewUrl' | 'url' | 'filename' | 'width' | 'height'>

/** The user asked the browser to load little. */
export function savesData(): boolean {
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true
}

/**
 * Opens something that takes a while. The returned function closes it, also while it is being opened; then neither callback is
 * called any more.
 */
export function openUntilClosed<Opened extends { destroy(): void }>(
  open: () => Promise<Opened>,
  onOpen: (opened: Opened) => void,
  onFailure: () => void,
): () => void {
  let closed = false
  let destroy = () => {}
  open().then(
    (opened) => {
      if (closed) return opened.destroy()
      destroy = () => opened.destroy()
      onOpen(opened)
    },
    () => closed || onFailure(),
  )
  return () => {
    closed = true
    destroy()
  }
}
