import { randomBytes } from 'node:crypto'
import { link, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { bitmaps } from '../../../services/media/test/fixtures/bmp.ts'
import { bandsPage, dng, tiff } from '../../../services/media/test/fixtures/tiff.ts'

const WIDTH = 400
const HEIGHT = 300

function createImage(shade: number) {
  const background = { r: shade % 256, g: (shade * 7) % 256, b: (shade * 13) % 256 }
  return sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background } })
}

/** Writes a directory as on a drone's memory card: small JPEGs, each with a different image. */
export async function writePhotos(folder: string, photos: number): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (let number = 1; number <= photos; number += 1) {
    const jpeg = await createImage(number)
      .withExif({ IFD0: { ImageDescription: `Shot ${number}` } })
      .jpeg()
      .toBuffer()
    await writeFile(join(folder, `DJI_${String(number).padStart(4, '0')}.JPG`), jpeg)
  }
}

/** Writes a directory with copies of one photo, named as the JPEG and the raw file of each shot. */
export async function writeCopies(folder: string, photo: string, copies: number): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (let number = 1; number <= copies; number += 1) {
    const shot = Math.ceil(number / 2)
    await link(photo, join(folder, `DJI_${shot}.${number % 2 === 1 ? 'JPG' : 'DNG'}`))
  }
}

/** Writes a raw file of this size, whose bytes no other file has. */
export async function writeRawFile(path: string, bytes: number): Promise<void> {
  const raw = await createRaw(210)
  await writeFile(path, Buffer.concat([raw, randomBytes(bytes - raw.length)]))
}

/** Where and when the raw files here were taken. */
export const RAW_SHOT = { latitude: 46.8426, longitude: -91.9945, takenAt: '2024:05:06 07:08:09' }

/** A DNG with a preview. */
export async function createRaw(shade: number): Promise<Buffer> {
  const jpeg = await createImage(shade).jpeg().toBuffer()
  return dng({ previews: [{ jpeg, width: WIDTH, height: HEIGHT }], width: WIDTH, height: HEIGHT })
}

/** A DNG whose only preview is a thumbnail. */
export async function createRawWithThumbnail(shade = 205): Promise<Buffer> {
  const jpeg = await createImage(shade).resize(160, 120).jpeg().toBuffer()
  return dng({ previews: [{ jpeg, width: 160, height: 120 }], width: 1600, height: 1200 })
}

/** A TIFF of temperatures, which rise from left to right. */
export function createTemperatures(): Buffer {
  const value = (x: number, y: number) => 18 + x / 40 + (y % 64) / 64
  return tiff([bandsPage({ width: 640, height: 512, samples: 1, bits: 32, format: 'float', value })])
}

/** Creates one image in each accepted format. */
export async function createEveryFormat(): Promise<{ name: string; mimeType: string; buffer: Buffer }[]> {
  return [
    { name: 'raw.dng', mimeType: 'image/x-adobe-dng', buffer: await createRaw(201) },
    { name: 'picture.png', mimeType: 'image/png', buffer: await createImage(202).png().toBuffer() },
    { name: 'scan.tif', mimeType: 'image/tiff', buffer: await createImage(203).tiff().toBuffer() },
    { name: 'moving.gif', mimeType: 'image/gif', buffer: await createImage(204).gif().toBuffer() },
    { name: 'bitmap.bmp', mimeType: 'image/bmp', buffer: Object.values(bitmaps())[0] as Buffer },
  ]
}
