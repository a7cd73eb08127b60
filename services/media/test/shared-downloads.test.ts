import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createLinkCookies, type PictureKind } from '@skyfolio/kit'
import { dronePhoto, TEST_LINK_KEYS, testDirectory, waitFor } from '@skyfolio/testkit'
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { previewChecksum, storeRenditions } from '../src/processing/save-result.ts'
import { modificationTimes, unpack } from './export-support.ts'
import { OWNER, publicUrl } from './picture-support.ts'
import { jpeg, jpegOfSize, startTestMedia, type TestMedia, user, visitor } from './support.ts'

let media: TestMedia
let folders: ReturnType<TestMedia['folders']>
let folderId = 500
beforeAll(async () => {
  media = await startTestMedia()
  folders = media.folders()
})
beforeEach(() => {
  folderId += 1
  folders.set(folderId, OWNER, true)
})
afterAll(() => media.close())

type Link = NonNullable<NonNullable<ReturnType<typeof folders.known.get>>['links']>[number]

/** The folder's one link; without it all are withdrawn. */
function setLink(link?: Link): void {
  const folder = folders.known.get(folderId)
  if (!folder) throw new Error('no folder')
  folders.known.set(folderId, { ...folder, links: link ? [link] : [] })
}

const upload = async (name: string, bytes?: Buffer) => {
  const file = { name, bytes: bytes ?? (await jpeg()) }
  const fields = [['folderId', String(folderId)] as [string, string], ['photo', file] as [string, typeof file]]
  const { body } = await media.send('/api/upload-photo', user(OWNER), fields)
  return { id: body.id as number, bytes: file.bytes }
}

async function addPreview(id: number, bytes: Buffer): Promise<void> {
  const names = await storeRenditions(media.store, { small: bytes, thumbnail: bytes, medium: bytes, preview: bytes })
  await media.db.photo.update({ where: { id }, data: { ...names, ...previewChecksum(bytes), status: 'ready' } })
}

const code = () => `code-of-${folderId}`
const prepare = (body: object = {}, headers: Record<string, string> = {}, from: object = visitor) =>
  media.call(`/api/share/${code()}/download`, from, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
const urlOf = async (response: Response) => ((await response.json()) as { url: string }).url
const get = (url: string, headers: Record<string, string> = {}) => media.call(url, visitor, { headers })
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())
const filesOf = async (body: object = {}) => unpack(await bytesOf(await get(await urlOf(await prepare(body)))))

test('a visitor gets all visible photos byte for byte, named by their titles, with their dates, by ranges too', async () => {
  const [first, second, hidden] = [await upload('lake.jpg'), await upload('LAKE.JPG'), await upload('secret.jpg')]
  await media.db.photo.update({ where: { id: first.id }, data: { dateTaken: '2017-03-04T05:06:08' } })
  await media.db.photo.update({ where: { id: second.id }, data: { title: 'Lake', originalName: 'Home of Jane.jpg' } })
  await media.json(`/api/photos/${hidden.id}/privacy`, user(OWNER), 'PATCH', { isPublic: false })
  const url = await urlOf(await prepare())
  const response = await get(url)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip'])
  expect(response.headers.get('cache-control')).toBe('private, no-cache')
  expect(response.headers.get('content-disposition')).toContain(`filename="Folder ${folderId}.zip"`)
  const whole = await bytesOf(response)
  const files = await unpack(whole)
  expect([...files.keys()].sort()).toEqual(['Lake (2).jpg', 'lake.jpg'])
  expect([files.get('lake.jpg'), files.get('Lake (2).jpg')]).toEqual([first.bytes, second.bytes])
  expect(Object.values(await modificationTimes(whole))[0]).toBe('20170304.050608')
  const part = await get(url, { range: 'bytes=100-', 'if-range': response.headers.get('etag') ?? '' })
  expect([part.status, await bytesOf(part)]).toEqual([206, whole.subarray(100)])
})

test('a visitor gets chosen photos of the folder, and none of another folder or that is private', async () => {
  const [chosen, hidden] = [await upload('chosen.jpg'), await upload('hidden.jpg')]
  await media.json(`/api/photos/${hidden.id}/privacy`, user(OWNER), 'PATCH', { isPublic: false })
  const foreign = await media.upload(OWNER, {}, await jpeg())
  const ids = [chosen.id, hidden.id, foreign.id, 999_999]
  expect([...(await filesOf({ ids })).keys()]).toEqual(['chosen.jpg'])
  expect((await prepare({ ids: ids.slice(1) })).status).toBe(404)
  for (const body of [{ ids: [] }, { ids: ['1'] }, { size: 'huge' }, { filter: {} }]) {
    expect((await prepare(body)).status).toBe(400)
  }
})

test('a link gives the size that it allows, and the largest by default', async () => {
  const { id } = await upload('shot.jpg')
  await addPreview(id, Buffer.from('a preview'))
  expect([...(await filesOf({ size: 'web' })).keys()]).toEqual(['shot.webp'])
  setLink({ downloads: 'web' })
  expect([...(await filesOf())]).toEqual([['shot.webp', Buffer.from('a preview')]])
})

test('with hidden places the files bear the dates of the clock of the camera, which tell no zone', async () => {
  const { id } = await upload('shot.jpg')
  await media.db.photo.update({ where: { id }, data: { dateTaken: '2017-03-04T05:06:08+02:00' } })
  const timesOf = async () => {
    const archive = await bytesOf(await get(await urlOf(await prepare())))
    return Object.values(await modificationTimes(archive))
  }
  expect(await timesOf()).toEqual(['20170304.030608'])
  setLink({ showPlaces: false })
  expect(await timesOf()).toEqual(['20170304.050608'])
})

test('a ticket is for its link, and ends with it', async () => {
  await upload('shot.jpg')
  const url = await urlOf(await prepare())
  setLink({ id: 77_777 })
  expect((await get(url)).status).toBe(404)
  setLink({ downloads: 'none' })
  expect((await get(url)).status).toBe(403)
  setLink({})
  expect((await get(url)).status).toBe(200)
  setLink()
  expect((await get(url)).status).toBe(404)
})

test('a ticket of a link with a password needs the password', async () => {
  await upload('shot.jpg')
  setLink({ id: 5, passwordRevision: 3 })
  const { unlocked } = createLinkCookies(TEST_LINK_KEYS, true)
  const cookie = `${unlocked.add(undefined, [5, 3])}`.split(';')[0] as string
  expect((await prepare()).status).toBe(403)
  const url = await urlOf(await prepare({}, { cookie }))
  expect([(await get(url)).status, (await get(url, { cookie })).status]).toEqual([403, 200])
})

test.each([
  ['the link is withdrawn', async () => setLink()],
  ['the link is changed', async () => setLink({ revision: 2, downloads: 'web' })],
  [
    'a photo becomes private',
    async (id: number) => media.json(`/api/photos/${id}/privacy`, user(OWNER), 'PATCH', { isPublic: false }),
  ],
])('an archive that is being sent ends when %s', async (_what, change) => {
  const ids: number[] = []
  for (const number of [1, 2, 3, 4]) ids.push((await upload(`${number}.jpg`, await jpegOfSize(4_000_000))).id)
  await expectCutOff(await get(await urlOf(await prepare())), () => change(ids[3] as number))
})

test('an original that is being sent ends when the link is withdrawn', async () => {
  const { id } = await upload('large.jpg', await jpegOfSize(16_000_000))
  const url = publicUrl({ id, folderId } as Parameters<typeof publicUrl>[0], 'original')
  await expectCutOff(await get(url), async () => setLink())
})

/** That what is left of a response is not sent after the change. */
async function expectCutOff(response: Response, change: () => Promise<unknown>): Promise<void> {
  const size = Number(response.headers.get('content-length'))
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  let received = (await reader.read()).value?.length ?? 0
  await change()
  const readOn = async () => {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      received += value.length
      // So slowly that the whole takes two seconds: a change takes effect within one.
      await delay(value.length / 8_000)
    }
  }
  await expect(readOn()).rejects.toThrow()
  expect(received).toBeLessThan(size)
}

const run = promisify(execFile)
const exiftool = fileURLToPath(import.meta.resolve('exiftool-vendored.pl/bin/exiftool'))
const PLACES = /gps|latitude|longitude|altitude|position|city|state|country|location|region|makernote|xmp|iptc/i

/** What ExifTool finds in the file, of all groups, unknown tags and embedded files too. */
async function tagsOf(bytes: Buffer): Promise<Record<string, unknown>> {
  const path = join(testDirectory(), 'file')
  await writeFile(path, bytes)
  const { stdout } = await run('perl', [exiftool, '-json', '-G1', '-a', '-u', '-ee', '-n', path])
  return JSON.parse(stdout)[0]
}
const placesIn = async (bytes: Buffer) => Object.keys(await tagsOf(bytes)).filter((tag) => PLACES.test(tag))

test('ExifTool finds no place in anything that a link with hidden places gives, and the pixels are the same', async () => {
  const original = await dronePhoto({ latitude: 46.84, longitude: -92.03 })
  expect((await placesIn(original)).length).toBeGreaterThan(5)
  const { id } = await upload('shot.jpg', original)
  await addPreview(id, await sharp(original).resize(640).webp().toBuffer())
  const raw = await media.upload(OWNER, { folderId: String(folderId) }, await jpeg())
  await media.db.photo.update({ where: { id: raw.id }, data: { filename: raw.filename.replace('.jpg', '.dng') } })
  setLink({ showPlaces: false, revision: 2 })
  const photo = await media.json<Parameters<typeof publicUrl>[0]>(`/api/photos/${id}`, user(OWNER), 'PATCH', {})

  const nameOf = (kind: PictureKind, linkRevision = 2) => publicUrl(photo, kind, { linkRevision })
  const isOpen = async (url: string) => (await get(url)).status === 200
  await waitFor(() => isOpen(nameOf('thumbnail')), { what: 'media knows the link' })
  const given = new Map<string, Buffer>()
  const receive = async (what: string, response: Response) => {
    expect(response.status, what).toBeLessThan(300)
    given.set(what, await bytesOf(response))
  }
  for (const kind of ['original', 'small', 'thumbnail', 'medium', 'preview'] as const) {
    await receive(kind, await get(nameOf(kind)))
    await receive(`${kind}, to save`, await get(`${nameOf(kind)}?download`))
  }
  await receive('image', await get(`/api/photos/${id}/image`, { 'x-share-code': code() }))
  await receive('range', await get(nameOf('original'), { range: 'bytes=0-' }))
  for (const size of ['original', 'web']) {
    for (const [name, bytes] of await filesOf({ size })) given.set(name, bytes)
  }
  expect([...given.keys()].filter((name) => /^shot/.test(name))).toEqual(['shot.jpg', 'shot.webp'])
  for (const [what, bytes] of given) expect(await placesIn(bytes), what).toEqual([])

  const cleaned = given.get('original') as Buffer
  expect(cleaned).toEqual(given.get('shot.jpg'))
  expect(await sharp(cleaned).raw().toBuffer()).toEqual(await sharp(original).raw().toBuffer())
  expect(await tagsOf(cleaned)).toMatchObject({ 'IFD0:Model': 'FC300S' })
  const ofDng = publicUrl({ ...photo, id: raw.id } as typeof photo, 'original', { linkRevision: 2, extension: 'dng' })
  expect((await get(ofDng)).status).toBe(403)
  setLink({ showCamera: false, revision: 3 })
  await waitFor(() => isOpen(nameOf('thumbnail', 3)), { what: 'media knows the change' })
  const plain = await bytesOf(await get(nameOf('original', 3)))
  expect(await placesIn(plain)).toEqual([])
  expect(JSON.stringify(await tagsOf(plain))).not.toContain('FC300S')
})

test('networks that take archives slowly give way to one that has none', async () => {
  await upload('large.jpg', await jpegOfSize(16_000_000))
  const url = await urlOf(await prepare())
  const from = (site: number) => media.call(url, { ...visitor, address: `203.0.113.${site}` })
  const slow = await Promise.all([1, 2, 3, 4].flatMap((site) => [1, 2, 3, 4].map(() => from(site))))
  expect(new Set(slow.map(({ status }) => status))).toEqual(new Set([200]))
  const late = await from(5)
  expect(late.status).toBe(200)
  for (const { body } of [...slow, late]) await body?.cancel().catch(() => {})
})

test('one network prepares 60 downloads an hour of a link, and others go on', async () => {
  await upload('shot.jpg')
  const from = (address: string) => ({ ...visitor, address })
  const statuses = new Set<number>()
  for (let count = 0; count < 60; count += 1) statuses.add((await prepare({}, {}, from('198.51.100.7'))).status)
  expect([...statuses]).toEqual([201])
  expect((await prepare({}, {}, from('198.51.100.7'))).status).toBe(429)
  expect((await prepare({}, {}, from('198.51.100.8'))).status).toBe(201)
  setLink({ id: 88_888 })
  expect((await prepare({}, {}, from('198.51.100.7'))).status).toBe(201)
})
