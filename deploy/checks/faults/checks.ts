import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { loadConfig, objectStoreSettings, openObjectStore } from '@skyfolio/kit'
import { openPool } from '@skyfolio/kit/database'
import type { RuntimeState } from '../../local/state.ts'
import type { Acknowledged, Report } from './load.ts'

interface PhotoRow {
  id: number
  userId: number
  folderId: number | null
  filename: string
  thumbnail: string | null
  preview: string | null
  sha256: string
  status: string
  statusMessage: string | null
  revision: number
}

/** What is looked at when the system is up again: its databases, its objects, and its public door. */
export interface Evidence {
  photos(): Promise<PhotoRow[]>
  /** Photos as the folders service knows them. */
  projected(): Promise<Pick<PhotoRow, 'id' | 'folderId' | 'revision'>[]>
  objectKeys(): Promise<string[]>
  close(): Promise<void>
}

type Row = Record<string, never>

export async function openEvidence(state: Pick<RuntimeState, 'env'>): Promise<Evidence> {
  const media = openPool(state.env.media?.DATABASE_URL ?? '', { max: 2 })
  const folders = openPool(state.env.folders?.DATABASE_URL ?? '', { max: 2 })
  const store = await openObjectStore(loadConfig(objectStoreSettings, state.env.media ?? {}))
  return {
    async photos() {
      const { rows } = await media.query<PhotoRow & Row>(
        `SELECT id, user_id AS "userId", folder_id AS "folderId", filename, thumbnail, preview, sha256, status,
           status_message AS "statusMessage", revision FROM photos ORDER BY id`,
      )
      return rows
    },
    async projected() {
      const { rows } = await folders.query<PhotoRow & Row>(
        'SELECT id, folder_id AS "folderId", revision FROM photos WHERE NOT deleted ORDER BY id',
      )
      return rows
    },
    async objectKeys() {
      const keys: string[] = []
      for await (const { key } of store.list('')) keys.push(key)
      return keys
    },
    close: async () => void (await Promise.all([media.end(), folders.end()])),
  }
}

/** Waits until `done` says so; gives the milliseconds that took, or null when it did not happen in time. */
export async function until(withinMs: number, done: () => Promise<boolean>): Promise<number | null> {
  const begun = Date.now()
  while (Date.now() - begun < withinMs) {
    if (await done().catch(() => false)) return Date.now() - begun
    await delay(200)
  }
  return null
}

/** Whether every service says that it is ready. */
export async function allReady(state: RuntimeState): Promise<boolean> {
  const ports = Object.values(state.env).map((env) => env.OPS_PORT)
  const answers = await Promise.all(ports.map((port) => fetch(`http://127.0.0.1:${port}/readyz`)))
  return answers.every(({ ok }) => ok)
}

/** What the rows say against what the users were told. */
export function checkRows(photos: PhotoRow[], { acknowledged }: Report): string[] {
  const wrong: string[] = []
  const byId = new Map(photos.map((photo) => [photo.id, photo]))
  for (const { photoId, file } of acknowledged) {
    const photo = byId.get(photoId)
    if (!photo) wrong.push(`photo ${photoId} (${file.name}) was acknowledged and is gone`)
    else if (photo.sha256 !== file.sha256) wrong.push(`photo ${photoId} is not ${file.name}`)
    else if (photo.status !== file.outcome)
      wrong.push(
        `photo ${photoId} (${file.name}) is ${photo.status} instead of ${file.outcome}: ${photo.statusMessage ?? ''}`,
      )
  }
  const known = new Set(acknowledged.map(({ photoId }) => photoId))
  for (const { id, status } of photos) if (!known.has(id)) wrong.push(`photo ${id} (${status}) was never acknowledged`)
  for (const [, [first, ...more]] of Map.groupBy(photos, ({ userId, sha256 }) => `${userId} ${sha256}`))
    if (more.length > 0) wrong.push(`photo ${first?.id} is stored again as ${more.map(({ id }) => id).join(', ')}`)
  return wrong
}

const stem = (key: string) => key.replace(/\.[^.]*$/, '')

/** Keys of objects that photos have; originals without the extension, which their keys need not carry. */
function keysOf({ filename, thumbnail, preview }: PhotoRow): string[] {
  const renditions = [thumbnail, preview].filter((name) => name !== null)
  return [stem(`originals/${filename}`), ...renditions.map((name) => stem(`renditions/${name}`))]
}

export function rowsWithoutObject(photos: PhotoRow[], objectKeys: string[]): string[] {
  const present = new Set(objectKeys.map(stem))
  return photos.flatMap((photo) => {
    const missing = keysOf(photo).filter((key) => !present.has(key))
    return missing.map((key) => `photo ${photo.id} has no object ${key}`)
  })
}

export function objectsWithoutRow(photos: PhotoRow[], objectKeys: string[]): string[] {
  const owned = new Set(photos.flatMap(keysOf))
  return objectKeys.filter((key) => !owned.has(stem(key)))
}

/** Whether folders knows the same photos, in the same folders, at the same revisions. */
export function projectionDiffers(photos: PhotoRow[], projected: Awaited<ReturnType<Evidence['projected']>>): string[] {
  const known = new Map(projected.map((photo) => [photo.id, photo]))
  const differing = photos.filter(({ id, folderId, revision }) => {
    const other = known.get(id)
    return other?.folderId !== folderId || other.revision !== revision
  })
  const ids = new Set(photos.map(({ id }) => id))
  return [
    ...differing.map(({ id }) => `folders does not know photo ${id} as it is`),
    ...projected.filter(({ id }) => !ids.has(id)).map(({ id }) => `folders knows photo ${id}, which is not there`),
  ]
}

/** Fetches every acknowledged photo as its owner and compares the bytes. */
export async function checkBytes(url: string, photos: PhotoRow[], acknowledged: Acknowledged[]): Promise<string[]> {
  const wrong: string[] = []
  const byId = new Map(photos.map((photo) => [photo.id, photo]))
  const waiting = [...new Map(acknowledged.map((one) => [one.photoId, one])).values()]
  async function compareNext(): Promise<void> {
    for (let one = waiting.pop(); one; one = waiting.pop()) {
      const { photoId, cookie, file } = one
      const answer = await fetch(`${url}/api/uploads/${byId.get(photoId)?.filename}`, { headers: { cookie } })
      const sha256 = createHash('sha256')
        .update(Buffer.from(await answer.arrayBuffer()))
        .digest('hex')
      if (sha256 !== file.sha256)
        wrong.push(`photo ${photoId} (${file.name}) answers ${answer.status} with other bytes`)
    }
  }
  await Promise.all(Array.from({ length: 4 }, compareNext))
  return wrong
}
