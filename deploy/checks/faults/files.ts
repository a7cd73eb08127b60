import { createHash, randomBytes } from 'node:crypto'
import { dronePhoto, packagedPhotos } from '@skyfolio/testkit/photos'
import type { Random } from './random.ts'

/** What must become of a file: a photo that is ready, a photo whose processing failed, or no photo at all. */
export type Outcome = 'ready' | 'failed' | 'refused'

export interface UploadFile {
  name: string
  bytes: Buffer
  sha256: string
  outcome: Outcome
}

type Kind = 'small' | 'large' | 'damaged' | 'truncated' | 'text'

const outcomes: Record<Kind, Outcome> = {
  small: 'ready',
  large: 'ready',
  damaged: 'failed',
  truncated: 'refused',
  text: 'refused',
}

/** Longer than one part of a multipart upload to the store. */
const largePadding = 9 * 1024 * 1024
const longestSegment = 65_533

function comment(text: Buffer): Buffer {
  const head = Buffer.from([0xff, 0xfe, 0, 0])
  head.writeUInt16BE(text.length + 2, 2)
  return Buffer.concat([head, text])
}

/** The JPEG with comments after its start marker: another file, the same picture. */
function withComments(jpeg: Buffer, texts: Buffer[]): Buffer {
  return Buffer.concat([jpeg.subarray(0, 2), ...texts.map(comment), jpeg.subarray(2)])
}

function padding(bytes: number): Buffer[] {
  const count = Math.ceil(bytes / longestSegment)
  return Array.from({ length: count }, () => randomBytes(longestSegment))
}

/** Restart markers where the picture's data were: a decoder cannot go on, while the file's structure is whole. */
function damage(jpeg: Buffer): Buffer {
  const damaged = Buffer.from(jpeg)
  const middle = damaged.length >> 1
  for (let at = middle; at < middle + 20_000; at += 2) damaged.writeUInt16BE(0xffd1, at)
  return damaged
}

function kindOf(chance: number): Kind {
  if (chance < 0.04) return 'large'
  if (chance < 0.07) return 'damaged'
  if (chance < 0.1) return 'truncated'
  if (chance < 0.13) return 'text'
  return 'small'
}

function bytesOf(kind: Kind, photo: Buffer, id: string): Buffer {
  if (kind === 'text') return Buffer.from(`This is no photo, but the text ${id}.`)
  const unique = withComments(photo, [Buffer.from(id), ...(kind === 'large' ? padding(largePadding) : [])])
  if (kind === 'damaged') return damage(unique)
  return kind === 'truncated' ? unique.subarray(0, -5_000) : unique
}

/** Photographs with EXIF and DJI's XMP, of which each file is made. */
export function basePhotos(): Promise<Buffer[]> {
  return Promise.all(
    packagedPhotos().map((base, index) => dronePhoto({ base, latitude: 46.8 + index, longitude: -91.9 - index })),
  )
}

/** The files of one user; `next` gives new ones, now and then one that it gave before. */
export function createFiles(random: Random, photos: Buffer[], user: string): { next(): UploadFile } {
  const earlier: UploadFile[] = []
  let count = 0
  return {
    next() {
      const again = random() < 0.06 ? earlier[Math.floor(random() * earlier.length)] : undefined
      if (again) return again
      const kind = kindOf(random())
      const photo = photos[Math.floor(random() * photos.length)] ?? Buffer.alloc(0)
      count += 1
      const name = `${user}-${count}-${kind}.jpg`
      const bytes = bytesOf(kind, photo, name)
      const file = { name, bytes, sha256: createHash('sha256').update(bytes).digest('hex'), outcome: outcomes[kind] }
      // Large ones are not kept in memory.
      if (kind !== 'large') earlier.push(file)
      return file
    },
  }
}
