import { randomUUID } from 'node:crypto'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { sendRequest } from '@skyfolio/kit'
import {
  type PrintImageSpecificationSchema,
  PrintImageStatus,
  printImageCheck,
  printImagePrepare,
} from '@skyfolio/proto'
import { waitFor } from '@skyfolio/testkit'
import sharp from 'sharp'
import { newId } from '../src/files/object-keys.ts'
import type { TestMedia } from './support.ts'

export type Requested = MessageInitShape<typeof PrintImageSpecificationSchema>

const LIMIT = { timeoutMs: 10_000 }

/** Adds print images of a user that nobody renders, each of so many bytes. */
export async function addPrintImages({ db }: TestMedia, userId: number, count: number, filesize = 1): Promise<void> {
  const expiresAt = new Date(Date.now() + 3_600_000)
  const data = Array.from({ length: count }, () => {
    const id = newId()
    return { id, userId, specification: id, status: 'failed', filesize, expiresAt }
  })
  await db.printImage.createMany({ data })
}

/** What print-orders requests of media, over NATS. */
export function printRequests(media: TestMedia) {
  const prepare = async (userId: number, images: Requested[]) =>
    (await sendRequest(media.nats, printImagePrepare, { userId, images }, LIMIT)).images
  const check = async (userId: number, filenames: string[]) =>
    (await sendRequest(media.nats, printImageCheck, { userId, filenames }, LIMIT)).images
  return {
    prepare,
    check,

    /** Repeats the request until no image is rendering. */
    prepared: (userId: number, images: Requested[]) =>
      waitFor(
        async () => {
          const found = await prepare(userId, images)
          return found.every(({ status }) => status !== PrintImageStatus.RENDERING) && found
        },
        { what: 'the print images are rendered', timeoutMs: 90_000 },
      ),

    /** The bytes that anybody gets, without a session. */
    async fetched(filename: string | undefined): Promise<Buffer> {
      const response = await media.call(`/api/uploads/${filename}`)
      if (!response.ok) throw new Error(`${filename}: ${response.status}`)
      return Buffer.from(await response.arrayBuffer())
    },
  }
}

/** A JPEG with the left half red and the right half blue, as stored; a different file each time. */
export async function redAndBlue(width: number, height: number): Promise<Buffer> {
  const red = await sharp({ create: { width: width >> 1, height, channels: 3, background: '#ff0000' } })
    .png()
    .toBuffer()
  const image = await sharp({ create: { width, height, channels: 3, background: '#0000ff' } })
    .composite([{ input: red, left: 0, top: 0 }])
    .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
    .toBuffer()
  // Bytes after its end are not part of the image.
  return Buffer.concat([image, Buffer.from(randomUUID())])
}

/** The colour of an image at a position in fractions. */
export async function colourAt(image: Buffer, x: number, y: number): Promise<'red' | 'blue' | 'other'> {
  const { data, info } = await sharp(image).raw().toBuffer({ resolveWithObject: true })
  const at = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels
  const [red = 0, , blue = 0] = data.subarray(at, at + 3)
  if (red > 200 && blue < 60) return 'red'
  return blue > 200 && red < 60 ? 'blue' : 'other'
}

/** A JPEG that is hardly compressed: more than a byte for each pixel. */
export function noise(width: number, height: number): Promise<Buffer> {
  const create = {
    width,
    height,
    channels: 3 as const,
    background: '#000',
    noise: { type: 'gaussian' as const, mean: 128, sigma: 60 },
  }
  return sharp({ create }).jpeg({ quality: 95, chromaSubsampling: '4:4:4' }).toBuffer()
}
