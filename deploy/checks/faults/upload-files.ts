import { randomBytes } from 'node:crypto'
import { dronePhoto, packagedPhotos } from '@skyfolio/testkit/photos'
import { sha256Of } from '../declared-file.ts'
import type { Random } from './random.ts'

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

/** Larger than one part of a multipart upload to the object store. */
const LARGE_PADDING_BYTES = 9 * 1024 * 1024
/** Three parts of an upload session. */
const PARTED_PADDING_BYTES = 12 * 1024 * 1024
const MAX_SEGMENT_BYTES = 65_533

function comment(text: Buffer): Buffer {
  const head = Buffer.from([0xff, 0xfe, 0, 0])
  head.writeUInt16BE(text.length + 2, 2)
  return Buffer.concat([head, text])
}

/** Adds comments after the start marker: another file of the same image. */
function withComments(jpeg: Buffer, texts: Buffer[]): Buffer {
  return Buffer.concat([jpeg.subarray(0, 2), ...texts.map(comment), jpeg.subarray(2)])
}

function padding(bytes: number): Buffer[] {
  const count = Math.ceil(bytes / MAX_SEGMENT_BYTES)
  return Array.from({ length: count }, () => randomBytes(MAX_SEGMENT_BYTES))
}

/** Overwrites image data with restart markers: a decoder fails while the file's structure is intact. */
function damage(jpeg: Buffer): Buffer {
  const damaged = Buffer.from(jpeg)
  const middle = damaged.length >> 1
  for (let at = middle; at < middle + 20_000; at += 2) damaged.writeUInt16BE(0xffd1, at)
  return damaged
}

function chooseKind(chance: number, inParts: boolean): Kind {
  if (chance < 0.04) return 'large'
  if (chance < 0.07) return 'damaged'
  if (chance < 0.1) return 'truncated'
  if (chance < 0.13) return 'text'
  if (inParts && chance < 0.16) return 'changed'
  return inParts && chance < 0.26 ? 'large' : 'small'
}

function createBytes(kind: Kind, photo: Buffer, id: string, inParts: boolean): Buffer {
  if (kind === 'text') return Buffer.from(`This is not a photo, but the text ${id}.`)
  const paddingBytes = inParts ? PARTED_PADDING_BYTES : LARGE_PADDING_BYTES
  const unique = withComments(photo, [Buffer.from(id), ...(kind === 'large' ? padding(paddingBytes) : [])])
  if (kind === 'damaged') return damage(unique)
  return kind === 'truncated' ? unique.subarray(0, -5_000) : unique
}

/** Creates the photographs with EXIF and DJI's XMP from which all files are made. */
export function createBasePhotos(): Promise<Buffer[]> {
  return Promise.all(
    packagedPhotos().map((base, index) => dronePhoto({ base, latitude: 46.8 + index, longitude: -91.9 - index })),
  )
}

/**
 * Creates a source of one user's files; `next` returns a new file, sometimes a previous one. For upload sessions there are more
 * large files, and such whose declared SHA-256 is not theirs.
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
      const again = random() < 0.06 ? earlier[Math.floor(random() * earlier.length)] : undefined
      if (again) return again
      const kind = chooseKind(random(), inParts)
      const photo = photos[Math.floor(random() * photos.length)] ?? Buffer.alloc(0)
      count += 1
      const name = `${user}-${count}-${kind}.jpg`
      const bytes = createBytes(kind, photo, name, inParts)
      const file = { name, bytes, sha256: sha256Of(bytes), outcome: OUTCOMES[kind] }
      if (kind === 'changed') return { ...file, claimed: sha256Of(Buffer.from(name)) }
      // Large files are not kept in memory.
      if (kind !== 'large') earlier.push(file)
      return file
    },
  }
}
