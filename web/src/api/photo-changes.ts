import type { Query, QueryClient } from '@tanstack/react-query'
import type { Position } from '../lib/geography.ts'
import { ApiError } from '../lib/http.ts'
import { api } from './client.ts'
import { createFolder, rankingsQuery } from './folders.ts'
import { refreshPhotoPages, refreshPhotos, updateCachedPhotos } from './photo-cache.ts'
import { PHOTO_PAGES } from './photo-lists.ts'
import { foldersQuery, PHOTO_PLACES } from './queries.ts'
import type { Folder, Photo, PhotoDownload, PhotoPosition } from './types.ts'

/** Deletes a photo for good. */
export async function deletePhoto(client: QueryClient, photo: Photo): Promise<void> {
  await api('delete', '/api/photos/{id}', { path: { id: photo.id } })
  updateCachedPhotos(client, [photo.id], [])
  invalidateFolders(client)
}

/** Moves a photo into a folder, or out of its folder with null, without touching the cache. */
function setPhotoFolder(photo: Photo, folderId: number | null): Promise<Photo> {
  return api('patch', '/api/photos/{id}/folder', { path: { id: photo.id }, body: { folderId } })
}

/** Moves a photo into a folder, or out of its folder with null. Lists show it at once and again without it on failure. */
export async function movePhoto(client: QueryClient, photo: Photo, folderId: number | null): Promise<Photo> {
  // A page that is read for the first time would stay empty.
  const wasRead = ({ state }: Query) => state.data !== undefined
  const keys = [PHOTO_PAGES, 'folder-photos']
  await Promise.all(keys.map((key) => client.cancelQueries({ queryKey: [key], predicate: wasRead })))
  updateCachedPhotos(client, [photo.id], [{ ...photo, folderId }])
  try {
    const moved = await setPhotoFolder(photo, folderId)
    updateCachedPhotos(client, [photo.id], [moved])
    return moved
  } catch (error) {
    updateCachedPhotos(client, [photo.id], [photo])
    refreshPhotos(client, new Set([photo.id])).catch(() => {}) // Live events will bring the current state.
    throw error
  } finally {
    invalidateFolders(client)
  }
}

/** Moves a photo back to the folder that it had before, with the visibility that it had: a move may change it. */
export async function undoMove(client: QueryClient, moved: Photo, before: Photo): Promise<void> {
  // In the folder it has become one of a pair, whose other file stays there. Or it was private only because of its place, otherwise it
  // would have stayed private: that is restored, rather than a choice of the user.
  const wasPaired = before.pairedWith === null && moved.pairedWith !== null
  if (wasPaired || (!before.isPublic && moved.isPublic)) return restorePlace(client, moved, before)
  const back = await movePhoto(client, moved, before.folderId)
  if (back.isPublic !== before.isPublic) await setPhotoVisibility(client, before.id, before.isPublic)
}

async function restorePlace(
  client: QueryClient,
  moved: Photo,
  { id, folderId, isPublic, pairedWith }: Photo,
): Promise<void> {
  const privateByChoice = !isPublic && !moved.isPublic
  const { failed } = await api('post', '/api/photos/bulk', {
    body: { action: 'restore', ids: [id], folderId, isPublic, privateByChoice, paired: pairedWith !== null },
  })
  const [failure] = failed
  if (failure) throw new ApiError(409, failure.message, { code: 'conflict', message: failure.message })
  invalidateFolders(client)
  const ids = [id, moved.pairedWith].filter((one) => one !== null)
  await refreshPhotos(client, new Set(ids)).catch(() => {}) // Live events will bring the current state.
}

/** Makes a photo public or private. */
export async function setPhotoVisibility(client: QueryClient, id: number, isPublic: boolean): Promise<Photo> {
  const changed = await api('patch', '/api/photos/{id}/privacy', { path: { id }, body: { isPublic } })
  updateCachedPhotos(client, [changed.id], [changed])
  invalidateFolders(client)
  return changed
}

/** What the owner may correct of a photo. An absent field keeps its value, null clears it. */
export interface Correction {
  title?: string
  description?: string | null
  city?: string | null
  state?: string | null
  /** Decimal degrees; both or neither. */
  latitude?: string | null
  longitude?: string | null
  /** ISO 8601, with or without a zone. */
  dateTaken?: string | null
}

export async function correctPhoto(client: QueryClient, id: number, correction: Correction): Promise<void> {
  const corrected = await api('patch', '/api/photos/{id}', { path: { id }, body: correction })
  updateCachedPhotos(client, [corrected.id], [corrected])
  client.invalidateQueries({ queryKey: [PHOTO_PLACES] })
  // In an order by date, or on the map, the photo is elsewhere now.
  if (correction.dateTaken !== undefined || correction.latitude !== undefined) refreshPhotoPages(client)
}

/** A new position of a photo. */
export interface Placement extends PhotoPosition {
  /** The one before, as the user has seen it. */
  from: Position | null
}

/** What `setPositions` did. */
export interface PlacedPhotos {
  /** How many photos; those that no longer exist are not counted. */
  count: number
  /** Those that an error left as they were. */
  left: { positions: readonly Placement[]; error: unknown } | null
  /** Gives the photos the positions back that they had. May be repeated after an error. */
  undo: () => Promise<void>
}

/** The photos of a request. The server takes twice as many files: of each pair there are two. */
const POSITIONS_PER_REQUEST = 100

/**
 * Gives each photo its own position, or none, in requests that each succeed or fail as a whole.
 * @param onProgress gets the number of photos that are done
 * @throws the error of the first request
 */
export async function setPositions(
  client: QueryClient,
  positions: readonly Placement[],
  onProgress: (done: number) => void = () => {},
): Promise<PlacedPhotos> {
  /** The last request first: it may have changed a photo that one before it has changed. */
  const before: PhotoPosition[][] = []
  const placed: PlacedPhotos = {
    count: 0,
    left: null,
    async undo() {
      // With both files of a pair in one request: a file that is not named goes with the other one.
      for (const some of before) await sendPositions(some)
      refreshPositions(client)
    },
  }
  for (let done = 0; done < positions.length && !placed.left; done += POSITIONS_PER_REQUEST) {
    const some = positions.slice(done, done + POSITIONS_PER_REQUEST)
    try {
      const had = await sendPositions(some.map(({ id, position }) => ({ id, position })))
      const found = new Set(had.map(({ id }) => id))
      before.unshift(wasDone(some, had) ? some.map(({ id, from }) => ({ id, position: from })) : had)
      placed.count += some.filter(({ id }) => found.has(id)).length
      onProgress(done + some.length)
    } catch (error) {
      if (done === 0) throw error
      placed.left = { positions: positions.slice(done), error }
    }
  }
  refreshPositions(client)
  return placed
}

/** Returns the positions that the photos had. */
async function sendPositions(positions: PhotoPosition[]): Promise<PhotoPosition[]> {
  return (await api('put', '/api/photos/positions', { body: { positions } })).before
}

/** Whether a request changed nothing: then the response to it may have been lost the first time. */
function wasDone(sent: readonly PhotoPosition[], had: readonly PhotoPosition[]): boolean {
  const hadOf = new Map(had.map(({ id, position }) => [id, position]))
  return sent.every(({ id, position }) => !hadOf.has(id) || isSame(position, hadOf.get(id) ?? null))
}

/** With as many decimals as the server keeps. */
function isSame(one: Position | null, other: Position | null): boolean {
  if (!one || !other) return one === other
  return Math.max(Math.abs(one.latitude - other.latitude), Math.abs(one.longitude - other.longitude)) < 1e-7
}

/** Reads again what depends on where photos are. */
function refreshPositions(client: QueryClient): void {
  refreshPhotoPages(client)
  for (const queryKey of [['photo'], [PHOTO_PLACES], ['folder-photos']]) client.invalidateQueries({ queryKey })
}

/** A JPEG and its raw file, which are one photo (`paired`) or two. */
export interface Pairing {
  id: number
  rawId: number
  paired: boolean
}

/** Makes a pair of two photos, or separates it. The server rejects two that do not fit. */
export async function setPairing(client: QueryClient, { id, rawId, paired }: Pairing): Promise<void> {
  const body = { pairedWith: paired ? rawId : null }
  const changed = await api('patch', '/api/photos/{id}', { path: { id }, body })
  updateCachedPhotos(client, [id], [changed])
  invalidateFolders(client)
  await refreshPhotos(client, new Set([rawId])).catch(() => {}) // Live events will bring the current state.
}

/** Starts the processing of a photo again. */
export async function reprocessPhoto(client: QueryClient, id: number): Promise<void> {
  const changed = await api('post', '/api/photos/{id}/reprocess', { path: { id } })
  updateCachedPhotos(client, [changed.id], [changed])
}

/** Invalidates what depends on the photos of folders. */
export function invalidateFolders(client: QueryClient): void {
  for (const key of ['rankings', 'folders', 'folder']) client.invalidateQueries({ queryKey: [key] })
}

/** The folder of the photos marked for printing. The server allows each user only one folder of this name. */
export const PRINTED = 'Printed'

/** Marking a photo for printing failed at this step. */
export class PrintingError extends Error {
  readonly step: 'folder' | 'photo'

  constructor(step: PrintingError['step'], cause: unknown) {
    super(`Marking for printing failed: ${step}`, { cause })
    this.step = step
  }
}

/** Moves a photo into the folder 'Printed', which is created for the first one. @throws PrintingError */
export async function markForPrinting(client: QueryClient, photo: Photo): Promise<Photo> {
  try {
    const folder = await printedFolder(client).catch((error: unknown) => {
      throw new PrintingError('folder', error)
    })
    const moved = await setPhotoFolder(photo, folder.id).catch((error: unknown) => {
      throw new PrintingError('photo', error)
    })
    updateCachedPhotos(client, [moved.id], [moved])
    return moved
  } finally {
    invalidateFolders(client)
  }
}

/** The votes that stop counting when a photo leaves its folder. */
export interface VotesLeft {
  folder: Folder
  /** Of this photo; others in the folder may have all votes. */
  votes: number
}

/** The votes in the folder of a photo; null when the photo is in none, or in one without votes. */
export async function votesLeftBehind(client: QueryClient, photo: Photo): Promise<VotesLeft | null> {
  const { id, folderId } = photo
  if (folderId === null) return null
  const [folders, { tallies }] = await Promise.all([
    client.fetchQuery(foldersQuery),
    client.fetchQuery({ ...rankingsQuery(folderId), staleTime: 0 }),
  ])
  const folder = folders.find((other) => other.id === folderId)
  if (!folder || tallies.length === 0) return null
  return { folder, votes: tallies.find(({ photoId }) => photoId === id)?.voters ?? 0 }
}

async function printedFolder(client: QueryClient): Promise<Folder> {
  const folders = await client.fetchQuery(foldersQuery)
  const found = folders.find((folder) => folder.name === PRINTED)
  if (found) return found
  // If another click or tab has created it meanwhile, the server returns that folder.
  return createFolder(client, { name: PRINTED, description: 'Photos marked for printing' })
}

/** As which files photos are downloaded: their originals, or their previews. */
export type DownloadSize = 'original' | 'web'

/** Photos by their ids, or those of the gallery or a folder that match a filter, except some. */
export type DownloadedPhotos = { ids: number[] } | { filter: object; except: number[] }

/**
 * Starts a download of photos as one archive: what it would have in each size. `name`: of the archive, if it has one; `files`: which
 * originals it has.
 */
export function createDownload(
  photos: DownloadedPhotos,
  name: string | null,
  files: 'jpeg' | 'raw' | 'both' = 'both',
): Promise<PhotoDownload> {
  return api('post', '/api/photos/downloads', { body: { ...photos, files, ...(name !== null && { name }) } })
}

/**
 * Has the server prepare a download, which may take several requests when its photos are old. Returns the URL of the archive.
 * @param onProgress gets the number of photos that are left
 */
export async function prepareDownload(
  id: string,
  size: DownloadSize,
  onProgress: (left: number) => void,
  signal: AbortSignal,
): Promise<string> {
  for (;;) {
    const input = { path: { id, size }, signal }
    const { left, url } = await api('post', '/api/photos/downloads/{id}/{size}', input)
    if (left === 0) return url
    onProgress(left)
  }
}
