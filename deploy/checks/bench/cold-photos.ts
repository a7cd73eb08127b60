import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { openPool } from '@skyfolio/kit'
import type { SignedInClient } from '../../local/signed-in-client.ts'
import { createFolder } from '../load/seed-folders.ts'
import type { BenchSystem } from './system.ts'

const BUCKET = 'skyfolio'
const CONCURRENT_PUTS = 16
const keyOf = (name: string) => `renditions/${name}`

export async function readObject({ store }: BenchSystem, name: string): Promise<Buffer> {
  return buffer(await store.getObject(BUCKET, keyOf(name)))
}

/** Path and query of a URL that reads the object from the store. */
export async function signObject({ store }: BenchSystem, name: string): Promise<string> {
  const { pathname, search } = new URL(await store.presignedGetObject(BUCKET, keyOf(name), 3600))
  return pathname + search
}

interface Renditions {
  thumbnail: Buffer
  preview: Buffer
}

/** A photo with the names of its objects. */
interface ColdPhoto {
  thumbnail: string
  preview: string
  bytes: Renditions
}

/** Makes a public folder of photos that were never requested: rows in both databases, and objects of their own. */
export async function createColdPhotos(
  system: BenchSystem,
  owner: SignedInClient,
  renditions: Renditions[],
): Promise<{ code: string; photos: Map<number, ColdPhoto> }> {
  const folder = await createFolder(owner, 'Cold')
  const { id: userId } = (await owner.call('GET', '/api/user')) as { id: number }
  const photos = renditions.map((bytes): ColdPhoto => ({ thumbnail: newName(), preview: newName(), bytes }))
  await storeObjects(system, photos)
  const thumbnails = photos.map(({ thumbnail }) => thumbnail)
  const previews = photos.map(({ preview }) => preview)
  const media = openPool(system.env.media?.DATABASE_URL ?? '', { max: 1 })
  const folders = openPool(system.env.folders?.DATABASE_URL ?? '', { max: 1 })
  const values = [userId, folder.id, thumbnails, previews]
  const { rows } = await media.query<{ id: number; thumbnail: string }>(PHOTOS, values)
  const ids = new Map(rows.map(({ id, thumbnail }) => [thumbnail, id]))
  const inOrder = thumbnails.map((name) => ids.get(name) ?? 0)
  await folders.query(PROJECTION, [...values, inOrder])
  await Promise.all([media.end(), folders.end()])
  return { code: folder.code, photos: new Map(photos.map((photo, index) => [inOrder[index] ?? 0, photo])) }
}

const newName = () => `${randomBytes(16).toString('hex')}.webp`

async function storeObjects({ store }: BenchSystem, photos: ColdPhoto[]): Promise<void> {
  const type = { 'Content-Type': 'image/webp' }
  const waiting = photos.values()
  const put = async () => {
    for (const { thumbnail, preview, bytes } of waiting) {
      await store.putObject(BUCKET, keyOf(thumbnail), bytes.thumbnail, bytes.thumbnail.length, type)
      await store.putObject(BUCKET, keyOf(preview), bytes.preview, bytes.preview.length, type)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_PUTS }, put))
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
FROM unnest($3::text[], $4::text[], $5::integer[]) AS names (thumbnail, preview, id)`
