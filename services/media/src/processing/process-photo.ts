import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { inSpan, type Logger, metrics, type ObjectStore } from '@skyfolio/kit'
import { UPLOAD_FORMATS } from '@skyfolio/proto'
import type { Database } from '../database.ts'
import type { ImageSize } from '../formats/image-scanner.ts'
import { type Photo, Prisma } from '../generated/client.ts'
import { KINDS, type RowJob, startOf } from '../jobs/job-rows.ts'
import type { DisplayGroups } from '../metadata/display-groups.ts'
import { extractTags } from '../metadata/extract-tags.ts'
import { type PhotoFacts, readFacts } from '../metadata/facts.ts'
import { type FileMetadata, type MetadataReader, UnreadableMetadataError } from '../metadata/metadata-reader.ts'
import { hashClaims, ORIGINAL_MISSING, WRONG_FILE } from '../photos/status.ts'
import { type openPlaces, placeColumns } from '../places/places.ts'
import type { Folders } from '../projection/folders.ts'
import { RenderAbortedError } from '../renditions/isolated-renderer.ts'
import { type Original, openOriginal } from '../renditions/original.ts'
import { DamagedImageError } from '../renditions/render-image.ts'
import type { Renderer } from '../renditions/renderer.ts'
import { UnsupportedImageError } from '../renditions/tiff-picture.ts'
import { type ProcessingResult, previewChecksum, saveResult, storeRenditions } from './save-result.ts'

export interface ProcessingDeps {
  db: Database
  store: ObjectStore
  metadata: MetadataReader
  renderer: Renderer
  places: ReturnType<typeof openPlaces>
  folders: Pick<Folders, 'findVoted'>
  logger: Logger
  /** Called after the commit of a result. */
  afterCommit(): void
}

/** Photos in work per rendering: while one is rendered, another is fetched or its renditions are stored. */
export const PHOTOS_PER_RENDERING = 2

const NO_READING: FileMetadata = { facts: readFacts({}), groups: {} }
const DAMAGED = 'The photo is damaged and cannot be shown. The original file is kept.'
const UNREADABLE_METADATA = 'The metadata of this photo could not be read.'
const TOO_SLOW = 'The photo takes too long to decode. The original file is kept.'

const outcomes = metrics.counter('skyfolio_photos_processed_total', 'Processings of photos by outcome', ['outcome'])

/**
 * Processes a photo: its claimed hash, metadata, place, renditions. Safe to call at any time and concurrently; nothing happens
 * when the job is outdated, and the result counts only while no other worker has started on the photo. `wasTried`: an
 * earlier attempt failed or ended its worker. @throws when a further attempt may succeed
 */
export async function processPhoto(deps: ProcessingDeps, job: RowJob<number>, wasTried: boolean): Promise<void> {
  const [photo] = await deps.db.photo.updateManyAndReturn(startOf('photos', job))
  if (!photo) return
  try {
    const result = await attemptProcessing(deps, photo, wasTried)
    const isSaved = await inSpan('save result', {}, () => saveResult(deps, photo, result))
    if (isSaved) {
      countClaim(photo, result)
      deps.afterCommit()
    }
    outcomes.inc({ outcome: isSaved ? result.status : 'lost' })
  } catch (error) {
    outcomes.inc({ outcome: 'error' })
    throw error
  }
}

function lookUpPlace({ places }: ProcessingDeps, { latitude, longitude }: PhotoFacts) {
  const place = latitude !== null && longitude !== null ? places.lookup(Number(latitude), Number(longitude)) : null
  return placeColumns(place)
}

function countClaim(photo: Photo, { sha256, sha256Verified }: ProcessingResult): void {
  if (photo.sha256Verified || !sha256Verified) return
  hashClaims.inc({ outcome: sha256 ? 'wrong' : 'right' })
}

/** Reads the metadata. A photo that takes too much time or memory is left without, at once: others wait for the reader. */
async function readTags(deps: ProcessingDeps, photo: Photo, original: Original): Promise<FileMetadata | null> {
  const tags = await extractTags(original.source, original.format)
  if (tags === null) return NO_READING
  try {
    return await inSpan('read metadata', {}, () => deps.metadata.read(tags, photo.purpose === 'metadata'))
  } catch (error) {
    if (!(error instanceof UnreadableMetadataError)) throw error
    deps.logger.warn({ err: error, photoId: photo.id }, 'metadata unreadable, photo left without')
    return null
  }
}

/** The tags that the metadata screen shows: those of the file itself, and all that were read from it. */
function metadataScreenTags(
  photo: Photo,
  { format }: Original,
  groups: DisplayGroups,
  dimensions: Partial<ImageSize>,
): DisplayGroups {
  const { name, mediaType } = UPLOAD_FORMATS[format]
  const { originalName, filesize } = photo
  const file = { FileName: originalName, FileType: name, MIMEType: mediaType, FileSize: filesize }
  const { width, height } = dimensions
  return { File: { ...file, ...(width && height && { ImageWidth: width, ImageHeight: height }) }, ...groups }
}

const NO_RENDITIONS = {
  ...{ small: null, thumbnail: null, medium: null, preview: null, thumbhash: null },
  ...previewChecksum(null),
}

/** The result for errors that are the photo's fault: a damaged or unknown image, or a rendering that was stopped. */
function toFailedResult(error: unknown): ProcessingResult | null {
  if (error instanceof UnsupportedImageError)
    return { ...NO_RENDITIONS, status: 'failed', statusMessage: error.message }
  if (error instanceof DamagedImageError) return { ...NO_RENDITIONS, status: 'failed', statusMessage: DAMAGED }
  if (error instanceof RenderAbortedError) {
    const statusMessage = error.tookTooLong ? TOO_SLOW : KINDS.photos.failure
    return { ...NO_RENDITIONS, status: 'failed', statusMessage }
  }
  return null
}

/** Determines the columns that processing sets. */
async function processOriginal(
  deps: ProcessingDeps,
  photo: Photo,
  original: Original,
  isolated: boolean,
): Promise<ProcessingResult> {
  const reading = await readTags(deps, photo, original)
  const { facts, groups } = reading ?? NO_READING
  const tagsFor = (dimensions: Partial<ImageSize>) =>
    photo.purpose === 'metadata' ? { tags: metadataScreenTags(photo, original, groups, dimensions) } : {}
  const readColumns = { ...facts, ...lookUpPlace(deps, facts), metadata: facts.metadata ?? Prisma.DbNull }
  try {
    const rendered = await inSpan('render', {}, () =>
      deps.renderer.render(original, { userId: photo.userId, alone: isolated }),
    )
    const names = await inSpan('store renditions', {}, () => storeRenditions(deps.store, rendered))
    const { preview, thumbhash, width, height, note } = rendered
    const sentences = [note, reading ? null : UNREADABLE_METADATA].filter((sentence) => sentence !== null)
    return {
      ...readColumns,
      ...tagsFor({ width, height }),
      ...{ width, height, thumbhash },
      ...names,
      ...previewChecksum(preview),
      status: 'ready',
      statusMessage: sentences.join(' ') || null,
    }
  } catch (error) {
    const failure = toFailedResult(error)
    if (!failure) throw error
    deps.logger.info({ err: error }, 'photo cannot be rendered')
    return { ...readColumns, ...tagsFor({}), ...failure }
  }
}

async function attemptProcessing(deps: ProcessingDeps, photo: Photo, wasTried: boolean): Promise<ProcessingResult> {
  const opened = await openVerified(deps.store, photo)
  if (!opened) return ORIGINAL_MISSING
  const { original, verification } = opened
  if (verification?.sha256) return { ...NO_RENDITIONS, ...verification, ...WRONG_FILE }
  // It may have crashed its worker: then it is rendered in an isolated process.
  return { ...(await processOriginal(deps, photo, original, wasTried)), ...verification }
}

/** An original whose claimed hash was compared with its bytes; without `verification` where that was done before. */
interface VerifiedOriginal {
  original: Original
  /** Columns of the photo; `sha256` is the real one where the client claimed another. */
  verification?: { sha256?: string; sha256Verified: true; crc32: number }
}

/**
 * Opens the photo's original and verifies a claimed hash: in memory with the bytes that are read anyway, otherwise in one
 * pass over the object. Null when the store does not have it. @throws when it is incomplete
 */
export async function openVerified(store: ObjectStore, photo: Photo): Promise<VerifiedOriginal | null> {
  if (photo.sha256Verified) {
    const original = await openOriginal(store, photo)
    return original && { original }
  }
  const digest = createDigest()
  const original = await openOriginal(store, photo, digest.add)
  if (!original) return null
  if (original.bytes === null) {
    await inSpan('verify original', {}, async () => {
      for await (const chunk of await original.stream()) digest.add(chunk)
    })
  }
  const { bytes, sha256, crc32 } = digest.finish()
  if (bytes !== photo.filesize) throw new Error(`read ${bytes} bytes of an original of ${photo.filesize}`)
  const isRight = sha256 === photo.sha256
  return { original, verification: { ...(isRight ? {} : { sha256 }), sha256Verified: true, crc32 } }
}

function createDigest() {
  const hash = createHash('sha256')
  let checksum = 0
  let bytes = 0
  return {
    add(chunk: Buffer): void {
      hash.update(chunk)
      checksum = crc32(chunk, checksum)
      bytes += chunk.length
    },
    finish: () => ({ bytes, sha256: hash.digest('hex'), crc32: checksum }),
  }
}
