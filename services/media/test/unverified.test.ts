import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { createLogger } from '@skyfolio/kit'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { newId, originalKey } from '../src/files/object-keys.ts'
import { removeDueObjects } from '../src/files/object-removals.ts'
import type { Photo } from '../src/generated/client.ts'
import { openVerified } from '../src/processing/process-photo.ts'
import { createFolders } from '../src/projection/folders.ts'
import { addPhotos, type Upload } from '../src/uploads/add-photos.ts'
import { dng } from './fixtures/tiff.ts'
import { jpeg, startTestMedia, type TestMedia, user } from './support.ts'

let media: TestMedia
beforeAll(async () => {
  media = await startTestMedia()
})
afterEach(async () => {
  for (const key of await media.keys()) await media.store.remove(key)
  await media.db.objectRemoval.deleteMany()
  await media.db.photo.deleteMany()
})
afterAll(() => media.close())

const me = user(1)
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const form = { description: null, isPublic: true, folderId: null, purpose: 'gallery' as const }

/** Stores an original as an upload in parts does: its hash is what the client says. */
async function store(bytes: Buffer, claimed = sha256(bytes), format = 'jpg') {
  const id = newId()
  await media.store.put(originalKey(id), Readable.from([bytes]), { contentType: 'application/octet-stream' })
  return {
    filename: `${id}.${format}`,
    originalName: 'photo.jpg',
    filesize: bytes.length,
    sha256: claimed,
    sha256Verified: false,
    crc32: null,
  }
}

/** Commits stored originals of upload sessions. */
function commit(originals: Upload['originals'], options: Partial<Upload> = {}) {
  const folders = createFolders(media.db, media.nats)
  return addPhotos({ ...media, folders }, { userId: 1, form, limit: null, originals, ...options })
}

async function claim(bytes: Buffer, claimed?: string, format?: string) {
  const { photosByHash } = await commit([await store(bytes, claimed, format)])
  const [photo] = photosByHash.values()
  if (!photo) throw new Error('no photo')
  return photo
}

const send = (bytes: Buffer) => media.send('/api/upload-photo', me, [['photo', { name: 'x.jpg', bytes }]])
const known = (bytes: Buffer) =>
  media.json<{ known: object }>('/api/photos/known', me, 'POST', { hashes: [sha256(bytes)] })

async function keysAfterRemovals(): Promise<string[]> {
  await removeDueObjects({ db: media.db, store: media.store, logger: createLogger('unverified', 'silent') })
  return media.keys()
}

test('a file with a claimed hash is not known, and a form that sends it gives its photo a verified original', async () => {
  const bytes = await jpeg()
  const photo = await claim(bytes)
  expect((await known(bytes)).known).toEqual({})
  expect(await send(bytes)).toMatchObject({
    status: 200,
    body: { id: photo.id, duplicate: true, status: 'processing' },
  })
  const after = await media.photo(photo.id)
  expect(after).toMatchObject({ sha256Verified: true, crc32: expect.any(BigInt), revision: 2 })
  expect((await known(bytes)).known).toEqual({ [sha256(bytes)]: photo.id })
  expect(await keysAfterRemovals()).toEqual([originalKey(after.filename)])
})

test('a wrong claim does not take the place of the file that has this hash, nor its bytes from the quota', async () => {
  const real = await jpeg(600, 500)
  const photo = await claim(await jpeg(), sha256(real))
  const sent = await send(real)
  expect(sent.status).toBe(201)
  expect(await media.photo(sent.body.id)).toMatchObject({ sha256Verified: true, copyNumber: 0 })
  expect(await media.photo(photo.id)).toMatchObject({ sha256Verified: false, copyNumber: 1, filename: photo.filename })
  expect((await known(real)).known).toEqual({ [sha256(real)]: sent.body.id })
  expect(await keysAfterRemovals()).toHaveLength(2)
})

test('a second claim of the same hash, and one of a known file, is a duplicate of which nothing stays', async () => {
  const [first, sent] = [await jpeg(), await jpeg()]
  const claimed = await claim(first)
  const verified = (await send(sent)).body
  const again = await commit([await store(first), await store(sent)])
  expect([...again.photosByHash.values()].map(({ id }) => id).sort()).toEqual([claimed.id, verified.id].sort())
  expect(again.createdIds.size).toBe(0)
  expect(await keysAfterRemovals()).toEqual([claimed, verified].map(({ filename }) => originalKey(filename)).sort())
})

test('a claim replaces one whose processing failed before it was verified', async () => {
  const bytes = await jpeg()
  const { id } = await claim(bytes)
  await media.db.photo.update({ where: { id }, data: { status: 'failed' } })
  const again = await claim(bytes)
  expect(again).toMatchObject({ id, status: 'processing', sha256Verified: false })
  expect(await keysAfterRemovals()).toEqual([originalKey(again.filename)])
})

test('a claim restores the missing original of a photo, which is verified anew', async () => {
  const bytes = await jpeg()
  const photo = (await send(bytes)).body
  await media.store.remove(originalKey(photo.filename))
  expect((await claim(bytes)).id).toBe(photo.id)
  expect(await media.photo(photo.id)).toMatchObject({ sha256Verified: false, crc32: null, status: 'processing' })
})

test('what an upload session has stored stays when it does not fit or the commit fails', async () => {
  const original = await store(await jpeg())
  const key = originalKey(original.filename)
  const added = await commit([original], { limit: 5 })
  expect(added.photosByHash.size).toBe(0)
  const inTransaction = async () => {
    throw new Error('the session is lost')
  }
  await expect(commit([original], { inTransaction })).rejects.toThrow('the session is lost')
  await commit([original], { form: { ...form, purpose: 'metadata' }, limit: 5 })
  expect(await media.db.photo.count()).toBe(0)
  expect(await keysAfterRemovals()).toEqual([key])
})

test('the photos of an upload and what its sessions note of them are committed together', async () => {
  const original = await store(await jpeg())
  const note = `note-${randomBytes(8).toString('hex')}`
  const inTransaction: Upload['inTransaction'] = async (tx, photosByHash) => {
    expect(photosByHash.get(original.sha256)).toMatchObject({ filename: original.filename })
    await tx.$executeRawUnsafe(`INSERT INTO object_removals (key, not_before) VALUES ($1, '2999-01-01')`, note)
  }
  await commit([original], { inTransaction })
  const other = await store(await jpeg())
  await commit([other], {
    form: { ...form, purpose: 'metadata' },
    inTransaction: async (tx, photos) =>
      void (await tx.$executeRawUnsafe(
        'UPDATE object_removals SET user_id = $2::int WHERE key = $1',
        note,
        photos.get(other.sha256)?.id ?? 0,
      )),
  })
  expect(await media.db.objectRemoval.findUnique({ where: { key: note } })).toMatchObject({
    userId: expect.any(Number),
  })
})

test('while a worker verifies a photo, a form that sends its file takes it over', async () => {
  const bytes = await jpeg()
  const { id } = await claim(bytes)
  const photo = await media.startOn(id)
  const opened = await openVerified(media.store, photo)
  expect(opened?.verification).toEqual({ sha256Verified: true, crc32: expect.any(Number) })
  await send(bytes)
  expect(await media.save(photo, { ...opened?.verification, status: 'ready' })).toBe(false)
  expect(await media.photo(id)).toMatchObject({ status: 'processing', sha256Verified: true, starts: 0 })
})

test('an original of which bytes are missing is no wrong claim', async () => {
  const photo = await media.db.photo.update({ where: { id: (await claim(await jpeg())).id }, data: { filesize: 1 } })
  await expect(openVerified(media.store, photo)).rejects.toThrow('of an original of 1')
})

describe('the worker', () => {
  beforeAll(() => void media.startWorker())

  const session = (photo: Pick<Photo, 'id' | 'filename'>, claimed: string) =>
    media.pool.query(
      `INSERT INTO upload_sessions (id, user_id, name, size, sha256, part_bytes, part_hashes, object_id, upload_id, state, photo_id, expires_at)
       VALUES ($1, 1, 'photo.jpg', 5, $2, 5, '', $1, '', 'completed', $3, now() + interval '1 day')`,
      [photo.filename.slice(0, 32), claimed, photo.id],
    )
  const countSessions = async () => (await media.pool.query('SELECT FROM upload_sessions')).rowCount

  test.each<[string, () => Promise<Buffer>]>([
    ['jpg', jpeg],
    ['dng', async () => dng({ previews: [{ jpeg: await jpeg(), width: 320, height: 300 }], width: 640, height: 480 })],
  ])('verifies the claimed hash of a %s with its CRC-32', async (format, make) => {
    const bytes = await make()
    const { id } = await claim(bytes, sha256(bytes), format)
    expect(await media.processed(id)).toMatchObject({
      status: 'ready',
      sha256: sha256(bytes),
      sha256Verified: true,
      crc32: BigInt(crc32(bytes)),
    })
    expect((await known(bytes)).known).toEqual({ [sha256(bytes)]: id })
  })

  test('fails a photo that is another file than announced, reports it, and lets the file be sent again', async () => {
    const [announced, real] = [await jpeg(), await jpeg()]
    const first = (await send(real)).body
    const { id, filename } = await claim(real, sha256(announced))
    await session({ id, filename }, sha256(announced))
    expect(await media.processed(id)).toMatchObject({
      status: 'failed',
      statusMessage: expect.stringContaining('not the file that was announced'),
      sha256: sha256(real),
      sha256Verified: true,
      copyNumber: 1,
      crc32: BigInt(crc32(real)),
      thumbnail: null,
    })
    expect(await countSessions()).toBe(0)
    expect(await media.db.failedUpload.findMany()).toMatchObject([{ userId: 1, photoId: id }])
    expect((await known(announced)).known).toEqual({})
    expect((await known(real)).known).toEqual({ [sha256(real)]: first.id })

    // The photo that failed has a file, too: sent again under its own hash, it is processed.
    await media.call(`/api/photos/${first.id}`, me, { method: 'DELETE' })
    expect((await known(real)).known).toEqual({})
    const mended = await claim(real)
    expect(mended.id).toBe(id)
    expect(await media.processed(id)).toMatchObject({ status: 'ready', sha256Verified: true })

    const again = await claim(announced)
    expect(again.id).not.toBe(id)
    expect(await media.processed(again.id)).toMatchObject({ status: 'ready', copyNumber: 0 })
  })
})
