import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { identityHeaders, packagedPhotos, waitFor } from '@skyfolio/testkit'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { originalKey } from '../src/files/object-keys.ts'
import { jpeg, jpegOfSize, PHOTO_EVENTS, startTestMedia, type TestMedia, type UploadFile, user } from './support.ts'

const MB = 1024 * 1024

let media: TestMedia
let folders: ReturnType<TestMedia['folders']>
beforeAll(async () => {
  media = await startTestMedia()
  folders = media.folders()
})
afterEach(async () => {
  for (const key of await media.keys()) await media.store.remove(key)
  await media.db.photo.deleteMany()
  await media.db.outbox.deleteMany()
})
afterAll(() => media.close())

const me = user(1)
const good = async (name = 'good.jpg'): Promise<UploadFile> => ({ name, bytes: await jpeg() })

async function expectNothing(): Promise<void> {
  expect(await media.keys()).toEqual([])
  expect(await media.db.photo.count()).toBe(0)
  expect(await media.db.outbox.count({ where: PHOTO_EVENTS })).toBe(0)
}

test('stores an upload byte for byte and returns a photo that is processing', async () => {
  const bytes = await readFile(packagedPhotos()[0] ?? '')
  const response = await media.send('/api/upload-photo', me, [
    ['description', '  Over the bay  '],
    ['isPublic', 'true'],
    ['photo', { name: 'Bucht über Genua.final.JPG', bytes }],
  ])
  expect(response.status).toBe(201)
  expect(response.body).toMatchObject({
    userId: 1,
    folderId: null,
    title: 'Bucht über Genua.final',
    originalName: 'Bucht über Genua.final.JPG',
    description: 'Over the bay',
    filesize: bytes.length,
    isPublic: true,
    status: 'processing',
    thumbnailUrl: null,
    url: `/api/uploads/${response.body.filename}`,
  })
  expect(response.body.filename).toMatch(/^[0-9a-f]{32}\.jpg$/)
  expect(response.body.issues).toBeUndefined()

  const stored = await media.store.get(originalKey(response.body.filename))
  expect(stored && (await buffer(stored.body)).equals(bytes)).toBe(true)
  const row = await media.photo(response.body.id)
  expect(row.sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
  expect(await media.db.outbox.findMany({ where: PHOTO_EVENTS, select: { subject: true } })).toEqual([
    { subject: 'media.photo.changed' },
  ])
})

/** One pixel of an image on a canvas of this size. */
function emptyGif(width: number, height: number): Buffer {
  const bytes = Buffer.from(
    ['474946383961', '00000000800000', '000000ffffff', '2c000000000100010000', '0202440100', '3b'].join(''),
    'hex',
  )
  bytes.writeUInt16LE(width, 6)
  bytes.writeUInt16LE(height, 8)
  return bytes
}

/** The JPEG with that width and height, and with more scans. */
function scannedOften(jpeg: Buffer, side: number, more: number): Buffer {
  const bytes = Buffer.from(jpeg)
  const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]))
  bytes.writeUInt16BE(side, frame + 5)
  bytes.writeUInt16BE(side, frame + 7)
  const scan = bytes.subarray(bytes.indexOf(Buffer.from([0xff, 0xda])), -2)
  return Buffer.concat([bytes.subarray(0, -2), ...Array(more).fill(scan), bytes.subarray(-2)])
}

const text = { name: 'notes.jpg', bytes: Buffer.from('These are notes, not a photo.') }

test.each<[string, () => Promise<UploadFile>, number, RegExp]>([
  [
    'a text named .jpg',
    async () => text,
    415,
    /^"notes.jpg" is not in an accepted format. Accepted formats: JPEG, PNG, TIFF, GIF, BMP, DNG.$/,
  ],
  ['the head of a PNG', async () => ({ name: 'p.jpg', bytes: Buffer.from('89504e470d0a1a0a', 'hex') }), 400, /incomp/],
  ['two bytes', async () => ({ name: 'two.jpg', bytes: Buffer.from([0xff, 0xd8]) }), 415, /^"two.jpg" is not in/],
  ['0 bytes', async () => ({ name: 'none.jpg', bytes: Buffer.alloc(0) }), 400, /^"none.jpg" is empty.$/],
  [
    'a truncated JPEG',
    async () => ({ name: 'cut.jpg', bytes: (await jpeg()).subarray(0, -2) }),
    400,
    /^"cut.jpg" is inc/,
  ],
  [
    'only the head of a JPEG',
    async () => ({ name: 'cut.jpg', bytes: (await jpeg()).subarray(0, 30) }),
    400,
    /incomplete/,
  ],
  ['a JPEG of 200 x 200', async () => ({ name: 's.jpg', bytes: await jpeg(200, 200) }), 400, /200 x 200.*300 x 300/],
  ['a JPEG of 4000 x 299', async () => ({ name: 's.jpg', bytes: await jpeg(4000, 299) }), 400, /4000 x 299/],
  [
    'a GIF of 282 megapixels in 35 bytes',
    async () => ({ name: 'flat.gif', bytes: emptyGif(20_000, 14_100) }),
    400,
    /^"flat.gif" has 282 megapixels in only 35 Bytes. Photos take more; please send it in another format or with/,
  ],
  [
    'a JPEG of 289 megapixels in 31 scans',
    async () => ({ name: 'scans.jpg', bytes: scannedOften(await jpeg(), 17_000, 30) }),
    400,
    /^"scans.jpg" has 289 megapixels in 31 scans, which takes too long to decode. Please save it as an ordinary JPEG.$/,
  ],
  ['26 MB', async () => ({ name: 'b.jpg', bytes: await jpegOfSize(26 * MB) }), 413, /^"b.jpg" is larger than 25 MB.$/],
])('rejects %s and stores nothing', async (_what, file, status, issue) => {
  const response = await media.send('/api/upload-photo', me, [['photo', await file()]])
  expect(response).toMatchObject({ status, body: { message: 'Failed to upload photo' } })
  expect(response.body.issues).toEqual([expect.stringMatching(issue)])
  expect(typeof response.body.code).toBe('string')
  await expectNothing()
})

test('accepts exactly 25 MB and rejects one byte more', async () => {
  const response = await media.send('/api/upload-photos', me, [
    ['photos', { name: 'fits.jpg', bytes: await jpegOfSize(25 * MB) }],
    ['photos', { name: 'not.jpg', bytes: await jpegOfSize(25 * MB + 1) }],
  ])
  expect(response.status).toBe(201)
  expect(response.body.photos).toEqual([expect.objectContaining({ originalName: 'fits.jpg', filesize: 25 * MB })])
  expect(response.body.issues).toEqual(['"not.jpg" is larger than 25 MB.'])
})

test('rejects more than 300 megapixels by the header alone', async () => {
  const bytes = await jpeg()
  const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]))
  bytes.writeUInt16BE(20_000, frame + 5)
  bytes.writeUInt16BE(15_001, frame + 7)
  const response = await media.send('/api/upload-photo', me, [['photo', { name: 'huge.jpg', bytes }]])
  expect(response).toMatchObject({ status: 413, body: { issues: ['"huge.jpg" has more than 300 megapixels.'] } })
  await expectNothing()
})

test('accepts large blank images as tools write them, in very few bytes', async () => {
  const blank = sharp({ create: { width: 8000, height: 6500, channels: 3, background: 'white' } })
  const files: [string, UploadFile][] = [
    ['photos', { name: 'one-bit.png', bytes: await blank.clone().png({ palette: true, colours: 2 }).toBuffer() }],
    ['photos', { name: 'blank.gif', bytes: await blank.clone().gif().toBuffer() }],
    ['photos', { name: 'blank.jpg', bytes: await blank.clone().jpeg({ mozjpeg: true, quality: 30 }).toBuffer() }],
  ]
  const { body } = await media.send('/api/upload-photos', me, files)
  expect(body.issues).toEqual([])
  expect(body.photos).toHaveLength(3)
})

test('stores valid files of an upload with invalid ones', async () => {
  const response = await media.send('/api/upload-photos', me, [
    ['photos', text],
    ['photos', await good('first.jpg')],
    ['photos', { name: 'big.jpg', bytes: await jpegOfSize(26 * MB) }],
    ['photos', { name: 'empty.jpg', bytes: Buffer.alloc(0) }],
    ['photos', await good('second.jpg')],
  ])
  expect(response.status).toBe(201)
  expect(response.body.photos.map((photo: { title: string }) => photo.title)).toEqual(['first', 'second'])
  expect(response.body.issues).toEqual([
    expect.stringContaining('"notes.jpg"'),
    '"big.jpg" is larger than 25 MB.',
    '"empty.jpg" is empty.',
  ])
  expect(await media.keys()).toHaveLength(2)
  expect(await media.db.photo.count()).toBe(2)
})

test('lists every issue of an upload with invalid files only', async () => {
  const response = await media.send('/api/upload-photos', me, [
    ['photos', text],
    ['photos', { name: 'empty.jpg', bytes: Buffer.alloc(0) }],
  ])
  expect(response).toMatchObject({ status: 400, body: { message: 'Failed to upload photos' } })
  expect(response.body.issues).toHaveLength(2)
  await expectNothing()
})

test('rejects the whole upload for an 11th file', async () => {
  const files = await Promise.all(Array.from({ length: 11 }, (_, index) => good(`${index}.jpg`)))
  const response = await media.send(
    '/api/upload-photos',
    me,
    files.map((file) => ['photos', file]),
  )
  expect(response).toMatchObject({ status: 413, body: { code: 'payload_too_large' } })
  expect(response.body.message).toBe('At most 10 photos are accepted in one upload.')
  await expectNothing()
})

test.each<[string, [string, string][], number]>([
  ['an unknown folder', [['folderId', '404']], 404],
  ["another user's folder", [['folderId', '20']], 404],
  ['a folder that is no number', [['folderId', 'first']], 400],
  ['a flag that is neither true nor false', [['isPublic', 'yes']], 400],
  ['a purpose that is neither', [['metadata', 'yes']], 400],
  ['a description beyond its limit', [['description', 'x'.repeat(5001)]], 400],
])('rejects the upload for %s, before and after the file', async (_what, fields, status) => {
  folders.set(20, 2, true)
  const file = await good()
  for (const entries of [
    [...fields, ['photo', file]],
    [['photo', file], ...fields],
  ]) {
    const response = await media.send('/api/upload-photo', me, entries as [string, string][])
    expect(response).toMatchObject({ status, body: { message: expect.any(String) } })
    await expectNothing()
  }
})

test('rejects a form without a photo, and a body that is not a form', async () => {
  expect(await media.send('/api/upload-photo', me, [['description', 'none']])).toMatchObject({
    status: 400,
    body: { message: 'At least one photo is required' },
  })
  const body = '{"photo":1}'
  const headers = { 'content-type': 'application/json' }
  expect((await media.call('/api/upload-photo', me, { method: 'POST', body, headers })).status).toBe(400)
})

test('rejects uploads of visitors and with a forged identity', async () => {
  expect(await media.send('/api/upload-photo', {}, [['photo', await good()]])).toMatchObject({ status: 401 })
  const forged = `${Buffer.from('{}').toString('base64url')}.${'A'.repeat(43)}`
  const response = await fetch(`${media.origin}/api/photos`, { headers: { 'x-skyfolio-identity': forged } })
  expect(response.status).toBe(401)
  await expectNothing()
})

test('accepts fields after the file', async () => {
  folders.set(10, 1, true)
  const response = await media.send('/api/upload-photo', me, [
    ['photo', await good()],
    ['folderId', '10'],
    ['description', 'late'],
    ['isPublic', 'false'],
  ])
  expect(response.body).toMatchObject({ folderId: 10, description: 'late', isPublic: true })
})

test('removes paths and unprintable characters from a file name', async () => {
  const name = '..\\..\\etc/pass\u202ewd\u0007.jpg'
  const response = await media.send('/api/upload-photo', me, [['photo', { ...(await good()), name }]])
  expect(response.body).toMatchObject({ originalName: 'passwd.jpg', title: 'passwd' })
})

test.each(['.jpg', '', '..', '%0D%0A'])('names a file photo when its name "%s" has no title', async (name) => {
  const response = await media.send('/api/upload-photo', me, [['photo', { ...(await good()), name }]])
  expect(response.body).toMatchObject({ originalName: 'photo.jpg', title: 'photo' })
})

test('decodes what browsers escape in a file name, and nothing else', async () => {
  // The form escapes as browsers do.
  const name = 'bay\r\nof "Genoa" 100%20%0d.jpg'
  const response = await media.send('/api/upload-photo', me, [['photo', { ...(await good()), name }]])
  expect(response.body).toMatchObject({ originalName: 'bayof "Genoa" 100%20%0d.jpg' })
})

test('stores nothing when the client disconnects', async () => {
  const bytes = await jpegOfSize(4 * MB)
  const boundary = 'the-boundary'
  const part = (name: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="photos"; filename="${name}"\r\nContent-Type: image/jpeg\r\n\r\n`
  const sending = request(`${media.origin}/api/upload-photos`, {
    method: 'POST',
    headers: { ...identityHeaders(me), 'content-type': `multipart/form-data; boundary=${boundary}` },
  })
  sending.on('error', () => {})
  sending.write(part('whole.jpg'))
  sending.write(bytes)
  sending.write(`\r\n${part('half.jpg')}`)
  sending.write(bytes.subarray(0, 2 * MB))
  await waitFor(async () => (await media.keys()).length === 1, { what: 'the first file is stored' })
  sending.destroy()
  await waitFor(async () => (await media.keys()).length === 0, { what: 'the first file is removed again' })
  await expectNothing()
})

test('rejects a form that ends early', async () => {
  const boundary = 'the-boundary'
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="photo"; filename="a.jpg"\r\n\r\n`
  const body = new Uint8Array(Buffer.concat([Buffer.from(head), await jpeg()]))
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  const response = await media.call('/api/upload-photo', me, { method: 'POST', body, headers })
  expect(response.status).toBe(400)
  await expectNothing()
})

test('drops an upload that stops sending, and stores nothing', async () => {
  const impatient = await startTestMedia({ api: { stallMs: 1_000 } })
  const bytes = await jpeg()
  const body = `--b\r\nContent-Disposition: form-data; name="photo"; filename="a.jpg"\r\n\r\n`
  const sending = request(`${impatient.origin}/api/upload-photo`, {
    method: 'POST',
    headers: { ...identityHeaders(me), 'content-type': 'multipart/form-data; boundary=b' },
  })
  sending.write(body)
  sending.write(bytes.subarray(0, 500))
  await expect(once(sending, 'response')).rejects.toThrow('socket hang up')
  expect(await impatient.keys()).toEqual([])
  await impatient.close()
})
