import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { originalKey } from '../src/files/object-keys.ts'
import type { PhotoResponse } from '../src/photos/photo-response.ts'
import { bitmaps } from './fixtures/bmp.ts'
import { noise } from './fixtures/noise.ts'
import { dng, page, tiff } from './fixtures/tiff.ts'
import { jpeg, startTestMedia, type TestMedia, type UploadFile, user } from './support.ts'

let media: TestMedia
beforeAll(async () => {
  media = await startTestMedia({ env: { UPLOAD_MAX_FILE_BYTES: '500000', UPLOAD_MAX_LARGE_FILE_BYTES: '2097152' } })
})
afterEach(async () => {
  for (const key of await media.keys()) await media.store.remove(key)
  await media.db.photo.deleteMany()
})
afterAll(() => media.close())

const me = user(1)
const send = (...files: UploadFile[]) =>
  media.send(
    '/api/upload-photos',
    me,
    files.map((file) => ['photos', file]),
  )
const bmp = bitmaps()['24 bits from the bottom'] as Buffer
const png = () => noise(310, 305).png().toBuffer()
const gif = () => noise(310, 305).gif().toBuffer()
const tif = () => noise(310, 305).toColourspace('rgb16').tiff({ compression: 'none' }).toBuffer()
const raw = async (width = 640, height = 480) =>
  dng({ previews: [{ jpeg: await jpeg(), width: 320, height: 300 }], width, height })

test.each<[string, string, () => Promise<Buffer>]>([
  ['jpg', 'image/jpeg', jpeg],
  ['png', 'image/png', png],
  ['gif', 'image/gif', gif],
  ['bmp', 'image/bmp', async () => bmp],
  ['tif', 'image/tiff', tif],
  ['dng', 'image/x-adobe-dng', raw],
])('recognises a %s by its content, stores it byte for byte and serves it as %s', async (extension, type, make) => {
  const bytes = await make()
  const { status, body } = await send({ name: 'misnamed.html', bytes })
  expect(status).toBe(201)
  const [photo] = body.photos
  expect(photo).toMatchObject({ originalName: 'misnamed.html', filesize: bytes.length })
  expect(photo.filename).toMatch(new RegExp(`^[0-9a-f]{32}\\.${extension}$`))
  const stored = await media.store.get(originalKey(photo.filename))
  expect(stored && (await buffer(stored.body)).equals(bytes)).toBe(true)
  expect(await media.keys()).toEqual([`originals/${photo.filename.slice(0, 32)}`])

  const response = await media.call(photo.url, me)
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': type,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  })
})

test.each<[string, () => Promise<Buffer>, number, RegExp]>([
  ['a PNG without its end', async () => (await png()).subarray(0, -12), 400, /^"x" is incomplete: the end of the file/],
  ['a GIF without its trailer', async () => (await gif()).subarray(0, -1), 400, /the end of the file is missing.$/],
  ['a BMP shorter than its pixels', async () => bmp.subarray(0, -1), 400, /the end of the file is missing.$/],
  ['a TIFF without its end', async () => (await tif()).subarray(0, -1), 400, /parts of the picture are missing.$/],
  ['a DNG without its end', async () => (await raw()).subarray(0, -9), 400, /parts of the picture are missing.$/],
  ['the first 8 bytes of a TIFF', async () => Buffer.from('II*\0\x08\0\0\0', 'latin1'), 400, /incomplete/],
  ['a small DNG', () => raw(640, 299), 400, /^"x" has 640 x 299 pixels; at least 300 x 300 are needed.$/],
  ['a GIF of a pixel', () => noise(1, 1).gif().toBuffer(), 400, /^"x" has 1 x 1 pixels/],
  ['a TIFF of 400 megapixels', async () => tiff([{ ...page(Buffer.alloc(9), 20_000, 20_000) }]), 413, /300 megapixels/],
  [
    'a BMP of 51 megapixels',
    async () => {
      const bytes = Buffer.from(bmp)
      bytes.writeInt32LE(10_200, 18)
      bytes.writeInt32LE(5_000, 22)
      return bytes
    },
    413,
    /^"x" has more than 50 megapixels, the most for a BMP.$/,
  ],
  ['a PNG of more bytes than allowed', () => noise(500, 500).png().toBuffer(), 413, /^"x" is larger than 0 MB.$/],
  [
    'a TIFF of more bytes than allowed',
    () => noise(900, 900).tiff({ compression: 'none' }).toBuffer(),
    413,
    /^"x" is larger than 2 MB.$/,
  ],
])('rejects %s and stores nothing', async (_what, make, status, issue) => {
  const response = await send({ name: 'x', bytes: await make() })
  expect([response.status, response.body.issues]).toEqual([status, [expect.stringMatching(issue)]])
  expect(await media.keys()).toEqual([])
  expect(await media.db.photo.count()).toBe(0)
})

test('accepts a TIFF that is larger than the limit for a PNG', async () => {
  const bytes = await noise(600, 600).tiff({ compression: 'none' }).toBuffer()
  expect(bytes.length).toBeGreaterThan(1_000_000)
  expect((await send({ name: 'large.tif', bytes })).status).toBe(201)
})

test('rejects a PNG of 30,000 x 30,000 by its header, before the rest arrives', async () => {
  const small = await png()
  const header = Buffer.from(small.subarray(0, 33))
  header.writeUInt32BE(30_000, 16)
  header.writeUInt32BE(30_000, 20)
  const bomb = { name: 'bomb.png', bytes: Buffer.concat([header, small.subarray(33)]) }
  const answer = await send({ name: 'good.png', bytes: small }, bomb)
  expect(answer.body.issues).toEqual(['"bomb.png" has more than 300 megapixels.'])
  expect(await media.keys()).toHaveLength(1)
  const part = '--b\r\nContent-Disposition: form-data; name="photos"; filename="bomb.png"\r\n\r\n'
  let sent = 0
  const body = new ReadableStream({
    pull(controller) {
      sent += 1
      if (sent === 1) controller.enqueue(Buffer.concat([Buffer.from(part), bomb.bytes]))
      else if (sent < 1000) controller.enqueue(new Uint8Array(65_536))
      else {
        controller.enqueue(Buffer.from('\r\n--b--\r\n'))
        controller.close()
      }
    },
  })
  const init = { method: 'POST', body, duplex: 'half', headers: { 'content-type': 'multipart/form-data; boundary=b' } }
  const response = await media.call('/api/upload-photos', me, init as RequestInit)
  const { issues } = (await response.json()) as { issues: string[] }
  expect([response.status, issues]).toEqual([413, ['"bomb.png" has more than 300 megapixels.']])
})

test('rejects files that only claim to be photos, names the accepted formats, and stores the valid file', async () => {
  const sensor = { ...page(Buffer.alloc(9), 640, 480), 262: [32803] }
  const disguised: Record<string, Buffer> = {
    'drawing.svg': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
    'page.jpg': Buffer.from('<!DOCTYPE html><script>alert(1)</script>'),
    'paper.png': Buffer.from('%PDF-1.7\n'),
    'phone.heic': Buffer.from('000000206674797068656963000000006d696631', 'hex'),
    'pack.zip': Buffer.from('504b0304140000000800000021000000000000', 'hex'),
    'DSC_0001.NEF': tiff([{ ...page(Buffer.alloc(9), 160, 120), 330: { parts: [sensor] } }]),
    'IMG_0001.CR2': Buffer.from('II*\0\x10\0\0\0CR\x02\0\0\0\0\0\0\0\0\0', 'latin1'),
  }
  const bad = Object.entries(disguised).map(([name, bytes]) => ({ name, bytes }))
  const { status, body } = await send({ name: 'first.png', bytes: await png() }, ...bad, {
    name: 'last.dng',
    bytes: await raw(),
  })
  expect([status, body.photos.map((photo: { title: string }) => photo.title)]).toEqual([201, ['first', 'last']])
  expect(body.issues).toEqual(
    bad.map(({ name }) => `"${name}" is not in an accepted format. Accepted formats: JPEG, PNG, TIFF, GIF, BMP, DNG.`),
  )
  expect(await media.keys()).toHaveLength(2)
})

test('accepts a photo with a page and an archive after its end', async () => {
  const tail = Buffer.concat([Buffer.from('<script>alert(1)</script>PK\x05\x06'), Buffer.alloc(18)])
  for (const image of [await jpeg(), await png(), await gif()]) {
    const { body } = await send({ name: 'both.html', bytes: Buffer.concat([image, tail]) })
    const { headers } = await media.call(body.photos[0].url, me)
    expect(headers.get('content-type')).toMatch(/^image\/(jpeg|png|gif)$/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
  }
})

describe('names', () => {
  /** Sends a photo under a name that is written to the form byte for byte. */
  async function sendNamed(name: string) {
    const head = `--b\r\nContent-Disposition: form-data; name="photo"; filename="${name}"\r\n\r\n`
    const bytes = await sharp(await jpeg())
      .jpeg({ quality: 40 + (name.length % 50) })
      .toBuffer()
    const body = new Uint8Array(Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--b--\r\n')]))
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    const response = await media.call('/api/upload-photo', me, { method: 'POST', body, headers })
    return { status: response.status, photo: (await response.json()) as PhotoResponse }
  }

  test.each([
    ['../../etc/passwd.jpg', 'passwd.jpg'],
    ['..\\\\..\\\\windows\\\\system.jpg', 'system.jpg'],
    ['holiday\0.jpg', 'holiday.jpg'],
    ['gpj.\u202eexe.jpg', 'gpj.exe.jpg'],
    ['a\u200e\u061c\u200b\ufeffb.jpg', 'ab.jpg'],
    ['two\tlines.jpg', 'twolines.jpg'],
    [`${'é'.repeat(300)}.jpg`, `${'é'.repeat(251)}.jpg`],
    ['👩‍🚀 over the bay.jpg', '👩‍🚀 over the bay.jpg'],
    ['..', 'photo.jpg'],
    ['   ', 'photo.jpg'],
  ])('%j becomes %j', async (name, originalName) => {
    const { status, photo } = await sendNamed(name)
    expect([status, photo.originalName]).toEqual([201, originalName])
    const served = await media.call(photo.url, me)
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
    expect(photo.filename).toMatch(/^[0-9a-f]{32}\.jpg$/)
  })

  test('describes a rejected file without a name', async () => {
    const response = await send({ name: ' ', bytes: Buffer.from('text, and no picture') })
    expect(response.body.issues).toEqual([
      expect.stringMatching(/^A file without a name is not in an accepted format\./),
    ])
  })
})
