import { makeZip } from 'client-zip'
import type { Photo } from '../../api/types.ts'
import { canShowOriginal } from '../../components/renditions.ts'
import { hasStatus, send } from '../../lib/http.ts'
import {
  cornersWithin,
  drawingOrder,
  type GroundPicture,
  groundCorners,
  groundPicture,
} from '../../map/ground/ground-picture.ts'
import { fileNameOf, GDAL_PROJECTION, PROJECTION, writeKml, writeWorldFile } from './picture-files.ts'

/** A KML document with pictures as maps need them, or pictures as large as they are, each with a world file. */
export type PictureFormat = 'kmz' | 'world-files'

/** Of one file. */
const MAX_PICTURES = 1000
/** The file is made in the browser's memory. */
const MAX_ORIGINAL_BYTES = 2_000_000_000
/** Degrees: a world file can only move, turn and stretch a picture. */
const STRAIGHT_DOWN = 5

interface ExportedPhoto {
  photo: Photo
  picture: GroundPicture
}

/** What is made of a flight's photos. */
export interface ExportPlan {
  format: PictureFormat
  /** In their order. */
  photos: ExportedPhoto[]
  /** The number of photos by the reason why they are left out, a sentence without its full stop. */
  leftOut: Map<string, number>
  /** The originals are too large together: previews take their place. */
  isReduced: boolean
}

export function planExport(format: PictureFormat, photos: readonly Photo[]): ExportPlan {
  const exported: ExportedPhoto[] = []
  const leftOut = new Map<string, number>()
  for (const photo of photos) {
    const picture = groundPicture(photo)
    const reason = 'reason' in picture ? picture.reason : reasonAgainst(format, photo, picture, exported.length)
    if (reason !== null) leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1)
    else if (!('reason' in picture)) exported.push({ photo, picture })
  }
  const originals = format === 'kmz' ? [] : exported.filter(({ photo }) => canShowOriginal(photo))
  const isReduced = originals.reduce((sum, { photo }) => sum + photo.filesize, 0) > MAX_ORIGINAL_BYTES
  return { format, photos: exported, leftOut, isReduced }
}

function reasonAgainst(format: PictureFormat, photo: Photo, { tilt }: GroundPicture, before: number): string | null {
  if (format === 'world-files' && tilt > STRAIGHT_DOWN) return 'The camera did not look straight down'
  if (photo.thumbnailUrl === null) return 'This photo has no preview'
  return before < MAX_PICTURES ? null : 'One file has up to 1,000 pictures'
}

function sourceOf(photo: Photo, { format, isReduced }: ExportPlan): string {
  const { url, previewUrl, mediumUrl, thumbnailUrl } = photo
  if (format === 'kmz') return mediumUrl ?? previewUrl ?? thumbnailUrl ?? url
  return !isReduced && canShowOriginal(photo) ? url : (previewUrl ?? mediumUrl ?? thumbnailUrl ?? url)
}

interface ExportOptions {
  plan: ExportPlan
  /** Of the document. */
  title: string
  signal: AbortSignal
  onMade: () => void
  /** The picture could not be loaded: it was deleted, or is damaged. */
  onMissing: (photo: Photo) => void
  /** Resolves when the same picture is to be tried again. */
  onFailure: (error: unknown) => Promise<void>
}

interface Picture extends ExportedPhoto {
  /** Of what is left of the picture. */
  jpeg: { file: Blob; width: number; height: number }
}

/** Makes the archive. Of its pictures only the one that is being made is decoded. */
export function exportPictures(options: ExportOptions): Promise<Blob> {
  const { format } = options.plan
  const files = format === 'kmz' ? filesOfKmz(options) : filesWithWorldFiles(options)
  return new Response(makeZip(files)).blob()
}

/** The document comes last: it names the pictures that are there. */
async function* filesOfKmz(options: ExportOptions) {
  const drawn = ({ photo: { id, dateTaken }, picture: { tilt } }: ExportedPhoto) => ({ id, takenAt: dateTaken, tilt })
  const photos = options.plan.photos.toSorted((one, other) => drawingOrder(drawn(one), drawn(other)))
  const overlays = []
  for await (const { photo, picture, jpeg } of makePictures(photos, options)) {
    const path = `files/${photo.id}.jpg`
    overlays.push({ name: photo.title, path, corners: groundCorners(picture) })
    yield { name: path, input: jpeg.file }
  }
  yield { name: 'doc.kml', input: writeKml(options.title, overlays) }
}

async function* filesWithWorldFiles(options: ExportOptions) {
  const { photos } = options.plan
  let number = 0
  for await (const { photo, picture, jpeg } of makePictures(photos, options)) {
    number += 1
    const name = fileNameOf(photo.title, number, photos.length)
    yield { name: `${name}.jpg`, input: jpeg.file }
    yield { name: `${name}.jgw`, input: writeWorldFile(groundCorners(picture), jpeg) }
    yield { name: `${name}.prj`, input: PROJECTION }
    yield { name: `${name}.jpg.aux.xml`, input: GDAL_PROJECTION }
  }
}

async function* makePictures(photos: readonly ExportedPhoto[], options: ExportOptions): AsyncGenerator<Picture> {
  for (const { photo, picture } of photos) {
    const jpeg = await makeJpeg({ photo, picture }, options)
    if (jpeg) yield { photo, picture, jpeg }
    else options.onMissing(photo)
    options.onMade()
  }
}

async function makeJpeg(exported: ExportedPhoto, options: ExportOptions): Promise<Picture['jpeg'] | null> {
  const { signal, plan, onFailure } = options
  const { photo, picture } = exported
  try {
    signal.throwIfAborted()
    const response = await send(sourceOf(photo, plan), { signal })
    return await cropToJpeg(await response.blob(), picture.far)
  } catch (error) {
    if (signal.aborted) throw error
    if (hasStatus(error, 404) || (error instanceof DOMException && error.name === 'InvalidStateError')) return null
    await onFailure(error)
    return makeJpeg(exported, options)
  }
}

/** Upright and without metadata: the file must not have a second position. */
async function cropToJpeg(file: Blob, far: GroundPicture['far']): Promise<Picture['jpeg']> {
  const bitmap = await createImageBitmap(file)
  try {
    const [[left, top], , [right, bottom]] = cornersWithin(far)
    const width = Math.max(1, Math.round((right - left) * bitmap.width))
    const height = Math.max(1, Math.round((bottom - top) * bitmap.height))
    const canvas = new OffscreenCanvas(width, height)
    const context = canvas.getContext('2d')
    if (!context) throw new Error('This picture is too large for your browser')
    context.drawImage(bitmap, -left * bitmap.width, -top * bitmap.height)
    return { file: await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.92 }), width, height }
  } finally {
    bitmap.close()
  }
}
