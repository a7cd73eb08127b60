import { execFile } from 'node:child_process'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createLogger, type ObjectStore } from '@skyfolio/kit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { newId, originalKey, RENDITION_COLUMNS, renditionKey } from '../src/files/object-keys.ts'
import { removeDueObjects } from '../src/files/object-removals.ts'
import { reconcile } from '../src/files/reconcile.ts'
import { jpegOfSize, PHOTO_EVENTS, startTestMedia, type TestMedia, user } from './support.ts'

const HOUR = 3_600_000

let media: TestMedia
let deps: Parameters<typeof reconcile>[0]
beforeAll(async () => {
  media = await startTestMedia()
  deps = { db: media.db, store: media.store, logger: createLogger('reconcile', 'silent') }
})
afterEach(async () => {
  for (const key of await media.keys()) await media.store.remove(key)
  await media.db.objectRemoval.deleteMany()
  await media.db.photo.deleteMany()
})
afterAll(() => media.close())

const run = (options: { orphanAgeMs?: number; dryRun?: boolean } = {}) =>
  reconcile(deps, { orphanAgeMs: HOUR, dryRun: false, ...options })

const put = (key: string, size = 5) =>
  media.store.put(key, Readable.from([Buffer.alloc(size, 1)]), { contentType: 'image/x' })

const FILE_BYTES = 5

/** Creates a processed photo with its objects. */
async function readyPhoto() {
  const renditions = Object.fromEntries(RENDITION_COLUMNS.map((column) => [column, `${newId()}.webp`]))
  const filename = `${newId()}.jpg`
  await put(originalKey(filename), FILE_BYTES)
  for (const name of Object.values(renditions)) await put(renditionKey(name))
  return media.db.photo.create({
    data: {
      ...renditions,
      filename,
      userId: 1,
      title: 'A photo',
      originalName: 'a.jpg',
      filesize: FILE_BYTES,
      sha256: newId(),
      status: 'ready',
    },
  })
}

const events = () => media.db.outbox.count({ where: PHOTO_EVENTS })

test('marks a photo without its original as failed, and processes it again when the original is back', async () => {
  await readyPhoto()
  const photo = await readyPhoto()
  expect(await run()).toMatchObject({
    photos: 2,
    objects: 10,
    missingOriginals: 0,
    foundOriginals: 0,
    missingRenditions: 0,
    orphans: 0,
  })
  await media.store.remove(originalKey(photo.filename))
  const told = await events()

  expect(await run()).toMatchObject({ missingOriginals: 1, missingOriginalIds: [photo.id] })
  const lost = await media.photo(photo.id)
  expect(lost).toMatchObject({ status: 'failed', statusMessage: 'The original file is missing.', revision: 2 })
  expect(await events()).toBe(told + 1)
  expect(await run()).toMatchObject({ missingOriginals: 1 })
  expect(await media.photo(photo.id)).toEqual(lost)

  await put(originalKey(photo.filename), FILE_BYTES)
  expect(await run()).toMatchObject({ missingOriginals: 0, foundOriginals: 1 })
  expect(await media.photo(photo.id)).toMatchObject({ status: 'processing', statusMessage: null, run: 1, starts: 0 })
  expect(await run()).toMatchObject({ missingOriginals: 0, foundOriginals: 0 })
})

test('treats an incomplete original as missing', async () => {
  const photo = await readyPhoto()
  await put(originalKey(photo.filename), FILE_BYTES - 1)
  expect(await run()).toMatchObject({ missingOriginals: 1, orphans: 0 })
  expect(await media.photo(photo.id)).toMatchObject({ status: 'failed' })
})

test.each(RENDITION_COLUMNS)('processes a photo without its %s again', async (column) => {
  const photo = await readyPhoto()
  await media.store.remove(renditionKey(photo[column] ?? ''))
  expect(await run()).toMatchObject({ missingRenditions: 1, orphans: 0 })
  expect(await media.photo(photo.id)).toMatchObject({ status: 'processing' })
})

test('processes a photo with missing renditions again, unless its processing had failed', async () => {
  const [kept, missing, failed] = [await readyPhoto(), await readyPhoto(), await readyPhoto()]
  await media.db.photo.update({ where: { id: failed.id }, data: { status: 'failed', statusMessage: 'Damaged.' } })
  for (const photo of [missing, failed]) await media.store.remove(renditionKey(photo.thumbnail ?? ''))
  await media.store.remove(renditionKey(missing.preview ?? ''))
  expect(await run()).toMatchObject({ missingOriginals: 0, orphans: 0 })
  const status = async ({ id }: { id: number }) => (await media.photo(id)).status
  expect([await status(kept), await status(missing), await status(failed)]).toEqual(['ready', 'processing', 'failed'])
})

test('finds the same in a dry run and changes nothing', async () => {
  const [lost, back, missing] = [await readyPhoto(), await readyPhoto(), await readyPhoto()]
  await media.store.remove(originalKey(lost.filename))
  const sentence = { status: 'failed', statusMessage: 'The original file is missing.' }
  await media.db.photo.update({ where: { id: back.id }, data: sentence })
  await media.store.remove(renditionKey(missing.preview ?? ''))
  await put(renditionKey(`${newId()}.webp`))
  const state = async () => ({
    photos: await media.db.photo.findMany({ orderBy: { id: 'asc' } }),
    removals: await media.db.objectRemoval.findMany(),
    keys: await media.keys(),
    events: await events(),
  })
  const before = await state()
  const found = { photos: 3, missingOriginals: 1, foundOriginals: 1, missingRenditions: 1, orphans: 1, recent: 0 }
  expect(await run({ orphanAgeMs: -1, dryRun: true })).toMatchObject(found)
  expect(await state()).toEqual(before)
  expect(await run({ orphanAgeMs: -1 })).toMatchObject(found)
  expect(await media.db.objectRemoval.count()).toBe(1)
})

test('keeps recent objects that belong to no photo', async () => {
  await put(originalKey(newId()))
  expect(await run()).toMatchObject({ recent: 1, orphans: 0 })
  expect(await media.db.objectRemoval.count()).toBe(0)
})

test('keeps the originals of concurrent uploads, however often it runs', async () => {
  let uploading = true
  const uploads = Array.from({ length: 12 }, async (_, index) => {
    const bytes = await jpegOfSize(100_000 + index)
    return media.send('/api/upload-photo', user(index), [['photo', { name: 'a.jpg', bytes }]])
  })
  const all = Promise.all(uploads).finally(() => {
    uploading = false
  })
  while (uploading) await run({ orphanAgeMs: -1 })
  expect((await all).map(({ status }) => status)).toEqual(uploads.map(() => 201))
  await media.db.objectRemoval.updateMany({ data: { notBefore: new Date() } })
  await removeDueObjects(deps)
  expect(await run({ orphanAgeMs: -1 })).toMatchObject({ photos: 12, objects: 12, missingOriginals: 0, orphans: 0 })
  expect(await media.db.photo.count({ where: { status: 'processing' } })).toBe(12)
})

test('compares more photos than one page without a gap', async () => {
  const ids = Array.from({ length: 1_100 }, () => newId())
  for (let at = 0; at < ids.length; at += 100) {
    await Promise.all(ids.slice(at, at + 100).map((id) => put(originalKey(id), FILE_BYTES)))
  }
  const row = { userId: 1, title: '', originalName: '', filesize: FILE_BYTES, status: 'ready' }
  await media.db.photo.createMany({ data: ids.map((id) => ({ ...row, filename: `${id}.png`, sha256: id })) })
  expect(await run({ orphanAgeMs: -1 })).toMatchObject({
    photos: 1_100,
    objects: 1_100,
    missingOriginals: 0,
    orphans: 0,
  })
  await media.store.remove(originalKey(ids[700] as string))
  await media.db.photo.delete({ where: { filename: `${ids[300]}.png` } })
  expect(await run({ orphanAgeMs: -1 })).toMatchObject({
    photos: 1_099,
    objects: 1_099,
    missingOriginals: 1,
    orphans: 1,
  })
})

test('aborts uploads that began more than a day ago, and no others', async () => {
  const ended: string[] = []
  const store: ObjectStore = {
    ...media.store,
    async *incomplete() {
      for (const [name, age] of [['old', 25 * HOUR] as const, ['young', 23 * HOUR] as const]) {
        yield { id: 'upload', startedAt: new Date(Date.now() - age), end: async () => void ended.push(name) }
      }
    },
  }
  const options = { orphanAgeMs: HOUR, dryRun: true }
  expect(await reconcile({ ...deps, store }, options)).toMatchObject({ incompleteUploads: 1 })
  expect(ended).toEqual([])
  expect(await reconcile({ ...deps, store }, { ...options, dryRun: false })).toMatchObject({ incompleteUploads: 1 })
  expect(ended).toEqual(['old'])
})

test('changes nothing when the store has no originals at all', async () => {
  const photo = await readyPhoto()
  await media.store.remove(originalKey(photo.filename))
  await expect(run()).rejects.toThrow('is it the right one?')
  expect(await media.photo(photo.id)).toEqual(photo)
})

test('prints what the command found and did', async () => {
  const command = (...args: string[]) => {
    const file = fileURLToPath(new URL('../src/commands/reconcile.ts', import.meta.url))
    return promisify(execFile)(process.execPath, [file, ...args], { env: { ...process.env, ...media.env } })
  }
  await readyPhoto()
  expect((await command()).stdout).toBe('1 photos and 5 objects are compared.\nAll is in order.\n')
  const photo = await readyPhoto()
  await media.store.remove(originalKey(photo.filename))
  const lost = `1 photos lack their original (ids ${photo.id})`
  expect((await command('--dry-run')).stdout).toContain(`${lost}: nothing is changed.`)
  expect(await media.photo(photo.id)).toEqual(photo)
  expect((await command()).stdout).toContain(`${lost}: ready ones are marked as failed.`)
  expect(await media.photo(photo.id)).toMatchObject({ status: 'failed' })
  await expect(command('--force')).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('Usage') })
})
