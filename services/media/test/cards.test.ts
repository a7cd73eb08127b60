import { Readable } from 'node:stream'
import { waitFor } from '@skyfolio/testkit'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId, renditionKey } from '../src/files/object-keys.ts'
import type { PhotoResponse } from '../src/photos/photo-response.ts'
import { renderCard } from '../src/pictures/cards.ts'
import { OWNER, processedPhoto, publicUrl } from './picture-support.ts'
import { startTestMedia, type TestMedia, visitor } from './support.ts'

const RED = '#c02020'
const BLUE = '#2020c0'

/** A preview whose left or upper half is red, the other one blue. */
async function halves(width: number, height: number): Promise<Buffer> {
  const upright = height > width
  const [left, top] = upright ? [0, Math.round(height / 2)] : [Math.round(width / 2), 0]
  const half = { width: width - left, height: height - top, channels: 3 as const, background: BLUE }
  const input = await sharp({ create: half }).png().toBuffer()
  return sharp({ create: { width, height, channels: 3, background: RED } })
    .composite([{ input, left, top }])
    .webp({ quality: 80 })
    .toBuffer()
}

/** The colour at a place of a card: `red`, `blue`, or `dark` for the backdrop. */
async function colourAt(card: Buffer, left: number, top: number): Promise<string> {
  const pixel = await sharp(card).extract({ left, top, width: 1, height: 1 }).removeAlpha().raw().toBuffer()
  const [red = 0, , blue = 0] = pixel
  if (Math.max(red, blue) < 150) return 'dark'
  return red > blue ? 'red' : 'blue'
}

describe('a card is a JPEG of 1,200 × 630 pixels', () => {
  test.each([
    ['4:3', 2048, 1536],
    ['3:2', 2048, 1365],
    ['a square', 1000, 1000],
    ['a sphere', 2048, 1024],
    ['small', 320, 240],
  ])('that the middle of the photo fills: %s', async (_, width, height) => {
    const card = await renderCard(await halves(width, height))
    expect(await sharp(card).metadata()).toMatchObject({ format: 'jpeg', width: 1200, height: 630 })
    expect(await Promise.all([2, 590, 610, 1197].map((left) => colourAt(card, left, 2)))).toEqual([
      'red',
      'red',
      'blue',
      'blue',
    ])
  })

  test.each([
    ['a panorama', 2048, 341, [2, 315, 'red'], [1197, 315, 'blue'], [2, 2, 'dark'], [1197, 627, 'dark']],
    ['an upright photo', 1536, 2048, [600, 2, 'red'], [600, 627, 'blue'], [2, 2, 'dark'], [1197, 627, 'dark']],
    ['a very tall one', 20, 2048, [600, 2, 'red'], [600, 627, 'blue'], [580, 2, 'dark'], [620, 627, 'dark']],
  ] as [string, number, number, ...[number, number, string][]][])(
    'that shows the whole of %s on a backdrop',
    async (_, width, height, ...places) => {
      const card = await renderCard(await halves(width, height))
      expect(await sharp(card).metadata()).toMatchObject({ format: 'jpeg', width: 1200, height: 630 })
      for (const [left, top, colour] of places) expect(await colourAt(card, left, top), `${left}, ${top}`).toBe(colour)
    },
  )

  test('that is opaque, without metadata, and has at most 300 KB however noisy the photo is', async () => {
    const noise = { type: 'gaussian', mean: 128, sigma: 80 } as const
    const create = { width: 1280, height: 960, channels: 3 as const, background: '#888', noise }
    const noisy = await renderCard(await sharp({ create }).webp({ quality: 75 }).toBuffer())
    expect(noisy.length).toBeLessThanOrEqual(300_000)
    const clear = { width: 800, height: 600, channels: 4 as const, background: { r: 0, g: 0, b: 0, alpha: 0 } }
    const card = await renderCard(await sharp({ create: clear }).webp().toBuffer())
    expect([...(await sharp(card).extract({ left: 9, top: 9, width: 1, height: 1 }).raw().toBuffer())]).toEqual([
      255, 255, 255,
    ])
    expect(await sharp(card).metadata()).not.toHaveProperty('exif')
  })
})

describe('a card under its public name', () => {
  const FOLDER = 10
  let media: TestMedia
  let folders: ReturnType<TestMedia['folders']>
  let photo: PhotoResponse
  let path: string
  beforeAll(async () => {
    media = await startTestMedia()
    folders = media.folders()
    folders.set(FOLDER, OWNER, true)
    photo = await processedPhoto(media, FOLDER)
    const preview = `${newId()}.webp`
    const body = Readable.from([await halves(2048, 1536)])
    await media.store.put(renditionKey(preview), body, { contentType: 'image/webp' })
    await media.db.photo.update({ where: { id: photo.id }, data: { preview } })
    path = publicUrl(photo, 'card')
  })
  afterAll(() => media.close())

  test('comes whole, in part, for HEAD, and not again to who has it, with the headers of public pictures', async () => {
    const whole = await media.call(path, visitor)
    const bytes = Buffer.from(await whole.arrayBuffer())
    expect(whole.status).toBe(200)
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 1200, height: 630 })
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-length': String(bytes.length),
      'cache-control': 'public, max-age=0, s-maxage=1, must-revalidate',
      'content-disposition': expect.stringMatching(/^inline; filename="photo.jpg"/),
      'accept-ranges': 'bytes',
    })
    const head = await media.call(path, visitor, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)])
    const part = await media.call(path, visitor, { headers: { range: 'bytes=100-199' } })
    expect(part.status).toBe(206)
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100, 200))).toBe(true)
    const etag = whole.headers.get('etag') ?? ''
    expect((await media.call(path, visitor, { headers: { 'if-none-match': etag } })).status).toBe(304)
  })

  test('is confirmed and loaded for the memory of the gateway', async () => {
    const { object, headers } = (await (await media.pictureState(path)).json()) as {
      object: string
      headers: Record<string, string>
    }
    expect([object, headers['content-type']]).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.jpg$/), 'image/jpeg'])
    const bytes = Buffer.from(await (await media.call(`/picture-bytes/${object}`)).arrayBuffer())
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 1200, height: 630 })
    expect((await media.call(`/picture-bytes/${newId()}.jpg`)).status).toBe(404)
  })

  test('is 404 when it is forged, without a preview, or of a photo that visitors do not see', async () => {
    const status = async (url: string) => (await media.call(url, visitor)).status
    expect(await status(path.replace('-c-', '-p-'))).toBe(404)
    expect(await status(publicUrl(photo, 'card', { extension: 'png' }))).toBe(404)
    folders.set(FOLDER, OWNER, false)
    await waitFor(async () => (await status(path)) === 404, { what: 'the folder is private' })
    folders.set(FOLDER, OWNER, true)
    await waitFor(async () => (await status(path)) === 200, { what: 'the folder is public again' })
    await media.db.photo.update({ where: { id: photo.id }, data: { preview: null } })
    expect(await status(path)).toBe(404)
  })
})
