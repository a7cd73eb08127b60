import { randomBytes } from 'node:crypto'
import { dronePhoto, packagedPhotos } from '@skyfolio/testkit/photos'
import { sha256Of } from '../declared-file.ts'
import { pick, type Random } from './random.ts'

/** The expected result of an upload: a ready photo, a photo whose processing failed, or a rejection. */
export type Outcome = 'ready' | 'failed' | 'rejected'

export interface UploadFile {
  name: string
  bytes: Buffer
  sha256: string
  outcome: Outcome
  /** The SHA-256 that is declared of it in an upload session, if it is another one. */
  claimed?: string
}

type Kind = 'small' | 'large' | 'damaged' | 'truncated' | 'text' | 'changed'

const OUTCOMES: Record<Kind, Outcome> = {
  small: 'ready',
  large: 'ready',
  damaged: 'failed',
  truncated: 'rejected',
  text: 'rejected',
  // While it was being uploaded.
  changed: 'failed',
}

/** One file in so many is of each kind, two are large, the others small. */
const KINDS: Kind[] = ['large', 'large', 'damaged', 'truncated', 'text', 'changed', ...Array(24).fill('small')]
/** Three parts of an upload session, and more than one of a multipart upload to the object store. */
const LARGE_BYTES = 12 * 1024 * 1024

/** Overwrites image data with restart markers: a decoder fails while the file's structure is intact. */
function damage(jpeg: Buffer): Buffer {
  const damaged = Buffer.from(jpeg)
  const middle = damaged.length >> 1
  for (let at = middle; at < middle + 20_000; at += 2) damaged.writeUInt16BE(0xffd1, at)
  return damaged
}

function createBytes(kind: Kind, photo: Buffer, id: string): Buffer {
  if (kind === 'text') return Buffer.from(`This is not a photo, but the text ${id}.`)
  if (kind === 'truncated') return photo.subarray(0, -5_000)
  // What follows the image makes another file of it.
  const unique = Buffer.concat([photo, Buffer.from(id), randomBytes(kind === 'large' ? LARGE_BYTES : 0)])
  return kind === 'damaged' ? damage(unique) : unique
}

/** Creates the photographs with EXIF and DJI's XMP from which all files are made. */
export function createBasePhotos(): Promise<Buffer[]> {
  return Promise.all(
    packagedPhotos().map((base, index) => dronePhoto({ base, latitude: 46.8 + index, longitude: -91.9 - index })),
  )
}

/**
 * Creates a source of one user's files; `next` returns a new file, sometimes a previous one. For upload sessions there are such
 * whose declared SHA-256 is not theirs.
 */
export function createFileSource(
  random: Random,
  photos: Buffer[],
  user: string,
): { next(inParts?: boolean): UploadFile } {
  const earlier: UploadFile[] = []
  let count = 0
  return {
    next(inParts = false) {
      if (earlier.length > 0 && random() < 0.06) return pick(random, earlier)
      const drawn = pick(random, KINDS)
      const kind = drawn === 'changed' && !inParts ? 'small' : drawn
      count += 1
      const name = `${user}-${count}-${kind}.jpg`
      const bytes = createBytes(kind, pick(random, photos), name)
      const file = { name, bytes, sha256: sha256Of(bytes), outcome: OUTCOMES[kind] }
      if (kind === 'changed') return { ...file, claimed: sha256Of(Buffer.from(name)) }
      // Large files are not kept in memory.
      if (kind !== 'large') earlier.push(file)
      return file
    },
  }
}
