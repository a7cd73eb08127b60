import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { loadConfig, objectStoreSettings, openObjectStore } from '@skyfolio/kit'
import { openPool } from '@skyfolio/kit/database'
import type { LaunchedSystem } from '../../local/launch.ts'
import { root } from '../../local/paths.ts'
import type { RuntimeState } from '../../local/runtime-file.ts'
import { compareOriginals } from '../load/compare-originals.ts'
import { expectEventually, type Verdict } from './runner.ts'
import type { Acknowledged, UploadReport } from './upload-load.ts'

/** The ledger of deletions, which has no rows. */
const LEDGER = 'deletions/'
const CONNECT_TIMEOUT_MS = 30_000
const RECOVERY_TIMEOUT_MS = 60_000

interface PhotoRow {
  id: number
  userId: number
  folderId: number | null
  filename: string
  small: string | null
  thumbnail: string | null
  medium: string | null
  preview: string | null
  sha256: string
  /** False: it is what the client declared. */
  sha256Verified: boolean
  status: string
  statusMessage: string | null
  revision: number
}

/** An image for the print partner. `source` is the name of its original until it is rendered. */
interface PrintImageRow {
  id: string
  source: string | null
  status: string
}

interface UploadSessionRow {
  id: string
  state: string
  uploadId: string
  isExpired: boolean
}

type Row = Record<string, never>

/** The stored data that is checked after a run: databases and objects. */
export type StoredData = Awaited<ReturnType<typeof openStoredData>>

export async function openStoredData({ env }: Pick<RuntimeState, 'env'>) {
  const media = openPatientPool(env.media?.DATABASE_URL)
  const folders = openPatientPool(env.folders?.DATABASE_URL)
  const store = await openObjectStore(loadConfig(objectStoreSettings, env.media ?? {}))
  return {
    async photos(): Promise<PhotoRow[]> {
      const { rows } = await media.query<PhotoRow & Row>(
        `SELECT id, user_id AS "userId", folder_id AS "folderId", filename, small, thumbnail, medium, preview, sha256,
           sha256_verified AS "sha256Verified", status, status_message AS "statusMessage", revision FROM photos ORDER BY id`,
      )
      return rows
    },
    async printImages(): Promise<PrintImageRow[]> {
      const { rows } = await media.query<PrintImageRow & Row>('SELECT id, source, status FROM print_images')
      return rows
    },
    /** The folders service's projection of photos. */
    async projectedPhotos(): Promise<Pick<PhotoRow, 'id' | 'folderId' | 'revision'>[]> {
      const { rows } = await folders.query<PhotoRow & Row>(
        'SELECT id, folder_id AS "folderId", revision FROM photos WHERE NOT deleted ORDER BY id',
      )
      return rows
    },
    async objectKeys(): Promise<string[]> {
      const keys: string[] = []
      for await (const { key } of store.list('')) keys.push(key)
      return keys
    },
    async uploadSessions(): Promise<UploadSessionRow[]> {
      const { rows } = await media.query<UploadSessionRow & Row>(
        'SELECT id, state, upload_id AS "uploadId", expires_at <= now() AS "isExpired" FROM upload_sessions',
      )
      return rows
    },
    /** The time of all upload sessions is over. */
    expireUploadSessions: () => media.query('UPDATE upload_sessions SET expires_at = now()'),
    /** Ids of the uploads that have begun at the store and did not end. */
    async incompleteUploads(): Promise<string[]> {
      const ids: string[] = []
      for await (const { id } of store.incomplete()) ids.push(id)
      return ids
    },
    close: () => Promise.all([media.end(), folders.end()]),
  }
}

/** A run must not fail because its own connection takes longer, on a machine that it keeps busy, than a request may wait. */
function openPatientPool(url = '') {
  const pool = openPool(url, { max: 2 })
  pool.options.connectionTimeoutMillis = CONNECT_TIMEOUT_MS
  return pool
}

/** Whether every service is ready. */
export async function areAllReady(state: RuntimeState): Promise<boolean> {
  const ports = Object.values(state.env).map((env) => env.OPS_PORT)
  const responses = await Promise.all(ports.map((port) => fetch(`http://127.0.0.1:${port}/readyz`)))
  return responses.every(({ ok }) => ok)
}

/** Waits until every service is ready and folders has the photos of media, and records what still differs. */
export async function expectRecovery(verdict: Verdict, system: LaunchedSystem, stored: StoredData): Promise<void> {
  const compare = async () => compareProjection(await stored.photos(), await stored.projectedPhotos())
  await expectEventually(verdict, 'every service is ready', RECOVERY_TIMEOUT_MS, async () =>
    areAllReady(await system.state()),
  )
  await expectEventually(verdict, 'the projection in folders matches media', RECOVERY_TIMEOUT_MS, async () => {
    return (await compare()).length === 0
  })
  verdict.errors.push(...(await compare()))
}

/** Compares the rows with what was acknowledged to users. */
export function checkRows(photos: PhotoRow[], { acknowledged }: UploadReport): string[] {
  const wrong: string[] = []
  const byId = new Map(photos.map((photo) => [photo.id, photo]))
  for (const { photoId, file } of acknowledged) {
    const photo = byId.get(photoId)
    if (!photo) wrong.push(`photo ${photoId} (${file.name}) was acknowledged and does not exist`)
    else if (photo.sha256 !== file.sha256) wrong.push(`photo ${photoId} is not ${file.name}`)
    else if (photo.status !== file.outcome)
      wrong.push(
        `photo ${photoId} (${file.name}) is ${photo.status} instead of ${file.outcome}: ${photo.statusMessage ?? ''}`,
      )
  }
  const known = new Set(acknowledged.map(({ photoId }) => photoId))
  // Whoever did not get the response and declares a changed file again after the worker has read it, uploads it again.
  const changed = new Set(acknowledged.flatMap(({ file }) => (file.claimed ? file.sha256 : [])))
  const stored = photos.filter(({ sha256, status }) => !(changed.has(sha256) && status === 'failed'))
  for (const { id, status } of stored) if (!known.has(id)) wrong.push(`photo ${id} (${status}) was never acknowledged`)
  for (const [, [first, ...more]] of Map.groupBy(stored, ({ userId, sha256 }) => `${userId} ${sha256}`))
    if (more.length > 0) wrong.push(`photo ${first?.id} is stored again as ${more.map(({ id }) => id).join(', ')}`)
  return wrong
}

const withoutExtension = (key: string) => key.replace(/\.[^.]*$/, '')

/** Keys of a photo's objects, without extensions, which the keys of originals need not have. */
function objectKeysOf({ filename, small, thumbnail, medium, preview }: PhotoRow): string[] {
  const renditions = [small, thumbnail, medium, preview].filter((name) => name !== null)
  return [
    withoutExtension(`originals/${filename}`),
    ...renditions.map((name) => withoutExtension(`renditions/${name}`)),
  ]
}

const printImageKey = ({ id }: PrintImageRow) => `print-images/${id}`

export function findRowsWithoutObject(
  photos: PhotoRow[],
  objectKeys: string[],
  printImages: PrintImageRow[] = [],
): string[] {
  const present = new Set(objectKeys.map(withoutExtension))
  const ofPhotos = photos.flatMap((photo) => {
    const missing = objectKeysOf(photo).filter((key) => !present.has(key))
    return missing.map((key) => `photo ${photo.id} has no object ${key}`)
  })
  const ready = printImages.filter(({ status }) => status === 'ready').map(printImageKey)
  return [...ofPhotos, ...ready.filter((key) => !present.has(key)).map((key) => `there is no object ${key}`)]
}

export function findObjectsWithoutRow(
  photos: PhotoRow[],
  objectKeys: string[],
  printImages: PrintImageRow[] = [],
): string[] {
  const sources = printImages.flatMap(({ source }) => (source ? withoutExtension(`originals/${source}`) : []))
  const owned = new Set([...photos.flatMap(objectKeysOf), ...printImages.map(printImageKey), ...sources])
  return objectKeys.filter((key) => !owned.has(withoutExtension(key)) && !key.startsWith(LEDGER))
}

/** Compares the projection in folders with media: the same photos, folders and revisions. */
export function compareProjection(
  photos: PhotoRow[],
  projected: Pick<PhotoRow, 'id' | 'folderId' | 'revision'>[],
): string[] {
  const known = new Map(projected.map((photo) => [photo.id, photo]))
  const differing = photos.filter(({ id, folderId, revision }) => {
    const other = known.get(id)
    return other?.folderId !== folderId || other.revision !== revision
  })
  const ids = new Set(photos.map(({ id }) => id))
  return [
    ...differing.map(({ id }) => `the projection of photo ${id} in folders differs`),
    ...projected.filter(({ id }) => !ids.has(id)).map(({ id }) => `folders has photo ${id}, which does not exist`),
  ]
}

/** Downloads every acknowledged photo as its owner and compares the bytes. */
export async function checkBytes(url: string, photos: PhotoRow[], acknowledged: Acknowledged[]): Promise<string[]> {
  const filenames = new Map(photos.map(({ id, filename }) => [id, filename]))
  const originals = acknowledged.map(({ photoId: id, cookie, file: { sha256 } }) => {
    return { id, url: `${url}/api/uploads/${filenames.get(id)}`, sha256, cookie }
  })
  const { wrong } = await compareOriginals([...new Map(originals.map((one) => [one.id, one])).values()])
  return wrong
}

/** The time of all upload sessions is over: waits until nothing of them is left. */
export async function sweepSessions(verdict: Verdict, stored: StoredData, timeoutMs: number): Promise<void> {
  const sessions = await stored.uploadSessions()
  const uploads = new Set(await stored.incompleteUploads())
  await stored.expireUploadSessions()
  // Who still uploads opens new ones.
  const isSwept = async () => !(await stored.uploadSessions()).some(({ isExpired }) => isExpired)
  await expectEventually(verdict, 'no expired upload session is left', timeoutMs, isSwept)
  const owned = new Set(sessions.map(({ uploadId }) => uploadId).filter((id) => uploads.has(id)))
  const left = (await stored.incompleteUploads()).filter((id) => owned.has(id))
  verdict.errors.push(...left.map((id) => `the upload ${id} of a swept session remained at the store`))
}

/** Objects that belong to nothing are removed after six hours, uploads at the store aborted after a day. */
const TOMORROW = 'data:text/javascript,const now=Date.now;Date.now=()=>now()+25*3600e3'

/**
 * Compares object store and database as `npm run ops -- media:reconcile` does, regardless of the age of objects and uploads, since
 * the uploads have ended. The removals, otherwise delayed by a minute, become due at once; the worker executes them.
 */
export async function reconcileNow({ env }: RuntimeState): Promise<string> {
  const worker = env['media-worker'] ?? {}
  const command = join(root, 'services/media/src/commands/reconcile.ts')
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', TOMORROW, command], {
    env: { ...process.env, ...worker },
  })
  const pool = openPool(worker.DATABASE_URL ?? '', { max: 1 })
  await pool.query('UPDATE object_removals SET not_before = now()')
  await pool.end()
  return stdout.trim()
}
