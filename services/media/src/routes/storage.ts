import { type App, errorResponses, Nullable, requireUser } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { MediaDeps } from '../deps.ts'
import { readRoom } from '../upload-sessions/declared-files.ts'
import { signedIn } from './schemas.ts'

const amount = {
  photos: Type.Integer(),
  bytes: Type.Integer({ description: 'Of the originals' }),
}
const Amount = Type.Object(amount)
type Amount = Type.Static<typeof Amount>

/** What takes a user's storage: all photos are those of the metadata screen and those of all folders, or of all years. */
const StorageBody = Type.Object({
  used: Type.Integer({ description: 'Bytes of the originals of all photos' }),
  uploading: Type.Integer({ description: 'Bytes of the files of open upload sessions, which are reserved' }),
  quota: Nullable(Type.Integer({ description: 'Bytes that they may have; null: any number' })),
  metadataScreen: Amount,
  folders: Type.Array(
    Type.Object({ folderId: Nullable(Type.Integer({ description: 'null: in no folder' })), ...amount }),
    { description: 'Largest first' },
  ),
  years: Type.Array(Type.Object({ year: Nullable(Type.Integer()), ...amount }), {
    description: 'The year in which a photo was taken, or else uploaded; newest first',
  }),
})

export type Storage = Type.Static<typeof StorageBody>

interface Sum extends Amount {
  purpose: 'gallery' | 'raw' | 'metadata'
  folderId: number | null
  year: number
}

/** Reads what takes the user's storage, from a row for each folder and year. */
async function readStorage({ db, pool, defaultQuota }: MediaDeps, userId: number): Promise<Storage> {
  const room = await readRoom(pool, userId, defaultQuota)
  // Photos of a deleted folder leave it soon.
  const sums = await db.$queryRaw<Sum[]>`
    SELECT purpose, CASE WHEN folders.deleted THEN NULL ELSE nullif(folder_id, 0) END AS "folderId", year,
      CASE WHEN purpose = 'raw' THEN 0 ELSE photos END AS photos, bytes::float8 AS bytes
    FROM photo_sums LEFT JOIN folders ON folders.id = folder_id WHERE photo_sums.user_id = ${userId}`
  const gallery = sums.filter(({ purpose }) => purpose !== 'metadata')
  const folders = totals(gallery, ({ folderId }) => folderId).map(([folderId, sum]) => ({ folderId, ...sum }))
  const years = totals(gallery, ({ year }) => year).map(([year, sum]) => ({ year, ...sum }))
  return {
    used: totalOf(sums).bytes,
    uploading: room.staged,
    quota: room.limit,
    metadataScreen: totalOf(sums.filter(({ purpose }) => purpose === 'metadata')),
    folders: folders.sort((a, b) => b.bytes - a.bytes),
    years: years.sort((a, b) => b.year - a.year),
  }
}

function totals<Key>(sums: Sum[], keyOf: (sum: Sum) => Key): [Key, Amount][] {
  return [...Map.groupBy(sums, keyOf)].map(([key, group]) => [key, totalOf(group)])
}

function totalOf(sums: Amount[]): Amount {
  return {
    photos: sums.reduce((total, { photos }) => total + photos, 0),
    bytes: sums.reduce((total, { bytes }) => total + bytes, 0),
  }
}

const read = {
  summary: 'Returns what takes the storage of the user: by folder, by year, and on the metadata screen',
  response: { 200: StorageBody, ...errorResponses },
}

export function storageRoutes(app: App, deps: MediaDeps): void {
  app.get('/api/photos/storage', { ...signedIn, schema: read }, async (request, reply) => {
    reply.header('cache-control', 'private, no-store')
    return readStorage(deps, requireUser(request).userId)
  })
}
