// The pictures of the benchmark: real photos that the worker renders, and many more objects with the same bytes.
import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openPool } from '@skyfolio/kit'
import { createFolder, type ListedPhoto, waitUntilShown } from '../load/seed-folders.ts'
import { type BenchSystem, BUCKET } from './picture-system.ts'

export type Kind = 'thumbnail' | 'preview'
const KINDS: Kind[] = ['thumbnail', 'preview']

/** A rendition with its addresses for visitors, for its owner, and in the reference. */
export interface Picture {
  publicPath: string
  ownPath: string
  bytes: Buffer
}

export type Pictures = Record<Kind, Picture[]>

const urlOf = (photo: ListedPhoto, kind: Kind) => (kind === 'thumbnail' ? photo.thumbnailUrl : photo.previewUrl) ?? ''

/** Pairs what visitors and the owner see of each photo, with the bytes of the object store. */
export async function readPictures(system: BenchSystem): Promise<Pictures> {
  const { code, photos } = system.folder
  const shown = await waitUntilShown(system.url, code, photos.length, true)
  const own = (await system.owner.call('GET', '/api/photos')) as ListedPhoto[]
  const ownPhotos = new Map(own.map((photo) => [photo.id, photo]))
  const pictures: Pictures = { thumbnail: [], preview: [] }
  for (const photo of shown) {
    for (const kind of KINDS) {
      const ownPath = urlOf(ownPhotos.get(photo.id) as ListedPhoto, kind)
      const bytes = await readObject(system, ownPath)
      pictures[kind].push({ publicPath: urlOf(photo, kind), ownPath, bytes })
    }
  }
  return pictures
}

/** The object behind an owner's address, which ends with the stored name. */
export function objectKey(ownPath: string): string {
  return `renditions/${ownPath.slice(ownPath.lastIndexOf('/') + 1)}`
}

async function readObject({ store }: BenchSystem, ownPath: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of await store.getObject(BUCKET, objectKey(ownPath))) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Writes the files of the reference: at the owner's addresses, with the same bytes. */
export async function writeReferenceFiles({ reference }: BenchSystem, pictures: Pictures): Promise<void> {
  for (const { ownPath, bytes } of KINDS.flatMap((kind) => pictures[kind])) {
    const path = join(reference.files, ownPath)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, bytes)
  }
}

const CONCURRENT_PUTS = 16

/**
 * Makes a public folder of so many photos that were never requested: rows in both databases, and objects of their own with
 * the bytes of the given pictures.
 */
export async function createColdFolder(system: BenchSystem, pictures: Pictures, count: number): Promise<Pictures> {
  const folder = await createFolder(system.owner, 'Cold')
  const { id: userId } = (await system.owner.call('GET', '/api/user')) as { id: number }
  const names = { thumbnail: newNames(count), preview: newNames(count) }
  const bytesOf = (kind: Kind, index: number) => pictures[kind][index % pictures[kind].length]?.bytes as Buffer
  const waiting = Array.from({ length: count }, (_, index) => KINDS.map((kind) => ({ kind, index })))
    .flat()
    .values()
  const put = async () => {
    for (const { kind, index } of waiting) {
      const type = { 'Content-Type': 'image/webp' }
      const [key, bytes] = [`renditions/${names[kind][index]}`, bytesOf(kind, index)]
      await system.store.putObject(BUCKET, key, bytes, bytes.length, type)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_PUTS }, put))
  const ids = await insertPhotos(system, { userId, folderId: folder.id, names })
  const positions = new Map(ids.map((id, index) => [id, index]))
  const cold: Pictures = { thumbnail: [], preview: [] }
  for (const photo of await waitUntilShown(system.url, folder.code, count, true)) {
    const index = positions.get(photo.id) ?? 0
    for (const kind of KINDS) {
      const ownPath = `/api/uploads/${names[kind][index]}`
      cold[kind].push({ publicPath: urlOf(photo, kind), ownPath, bytes: bytesOf(kind, index) })
    }
  }
  return cold
}

const newNames = (count: number) => Array.from({ length: count }, () => `${randomBytes(16).toString('hex')}.webp`)

interface NewPhotos {
  userId: number
  folderId: number
  names: Record<Kind, string[]>
}

/** Returns the ids of the photos, in the order of their names. */
async function insertPhotos({ env }: BenchSystem, { userId, folderId, names }: NewPhotos): Promise<number[]> {
  const media = openPool(env.media?.DATABASE_URL ?? '', { max: 1 })
  const folders = openPool(env.folders?.DATABASE_URL ?? '', { max: 1 })
  try {
    const { rows } = await media.query<{ id: number; thumbnail: string }>(PHOTOS, [
      userId,
      folderId,
      names.thumbnail,
      names.preview,
    ])
    const ids = new Map(rows.map(({ id, thumbnail }) => [thumbnail, id]))
    const inOrder = names.thumbnail.map((name) => ids.get(name) ?? 0)
    await folders.query(PROJECTION, [userId, folderId, inOrder, names.thumbnail, names.preview])
    return inOrder
  } finally {
    await Promise.all([media.end(), folders.end()])
  }
}

const PHOTOS = `
INSERT INTO photos (user_id, folder_id, title, filename, original_name, filesize, sha256, crc32, status, width, height,
  thumbnail, preview)
SELECT $1, $2, 'Cold', replace(thumbnail, '.webp', '.jpg'), 'cold.jpg', 1000000, thumbnail, 0, 'ready', 2600, 1950,
  thumbnail, preview
FROM unnest($3::text[], $4::text[]) AS names (thumbnail, preview)
RETURNING id, thumbnail`

const PROJECTION = `
INSERT INTO photos (id, revision, user_id, folder_id, title, filename, filesize, status, width, height, thumbnail, preview)
SELECT id, 1, $1, $2, 'Cold', replace(thumbnail, '.webp', '.jpg'), 1000000, 'ready', 2600, 1950, thumbnail, preview
FROM unnest($3::integer[], $4::text[], $5::text[]) AS names (id, thumbnail, preview)`
