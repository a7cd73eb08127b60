import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { storageQuery } from '../../api/account.ts'
import { api } from '../../api/client.ts'
import type { UploadSession } from '../../api/types.ts'
import { countOf } from '../../lib/format.ts'
import { LIST } from './file-selection.ts'
import type { UploadApi } from './queue/deps.ts'
import type { StoredUpload } from './queue/items.ts'
import { photosOf } from './queue/photos.ts'
import { heldSessions } from './transport/device.ts'
import { uploadApi } from './transport/server.ts'

/** Of more uploads the progress is not read: each takes a request. */
const MAX_READ = 50
/** The server reads one at a time for each user. */
const READ_AT_ONCE = 5
/** So many are read again while the notice is shown, to follow what other devices do. */
const MAX_FOLLOWED = 10
const FOLLOW_MS = 10_000
/** After a part was stored by another device: the next one may take as long over a slow connection. */
const MOVING_MS = 60_000

/** A file of which the server has some parts, none yet, or all. Its progress is not known when there are many. */
export interface UnfinishedUpload extends StoredUpload {
  storedBytes: number | null
  /** When it was last seen to have more than before, in milliseconds. */
  grewAt: number | null
  /** Another device is sending it. */
  isMoving: boolean
}

/** Uploads that no tab of this browser is sending. */
export const unfinishedQuery = queryOptions({
  queryKey: ['unfinished-uploads'],
  queryFn: async ({ signal, client, queryKey }): Promise<UnfinishedUpload[]> => {
    const { sessions } = await api('get', '/api/upload-sessions', { signal })
    if (sessions.length === 0) return []
    const held = await heldSessions()
    const open = sessions.filter(({ id }) => !held.has(id))
    const before = client.getQueryState<UnfinishedUpload[]>(queryKey)
    const isRecent = before !== undefined && Date.now() - before.dataUpdatedAt < MOVING_MS
    return readUnfinished(uploadApi, open, isRecent ? before.data : [])
  },
  // What was read for an earlier form may be finished.
  gcTime: 0,
  refetchOnMount: 'always',
  // The page becomes visible again: other devices may have gone on.
  refetchOnWindowFocus: 'always',
  refetchInterval: ({ state: { data = [] } }) => (data.length > 0 && data.length <= MAX_FOLLOWED ? FOLLOW_MS : false),
})

/** Reads the progress of open upload sessions, and compares it with that of a short time ago. */
export async function readUnfinished(
  api: Pick<UploadApi, 'session'>,
  sessions: readonly UploadSession[],
  before: readonly UnfinishedUpload[] = [],
): Promise<UnfinishedUpload[]> {
  const earlier = new Map(before.map((upload) => [upload.id, upload]))
  const open = sessions.filter(({ state }) => state === 'open')
  if (open.length > MAX_READ) return open.map((session) => describe(session, undefined))
  const found: UnfinishedUpload[] = []
  for (let start = 0; start < open.length; start += READ_AT_ONCE) {
    const read = await Promise.allSettled(open.slice(start, start + READ_AT_ONCE).map(({ id }) => api.session(id)))
    // One that is gone has ended meanwhile.
    for (const result of read) {
      if (result.status === 'rejected' || result.value.state !== 'open') continue
      found.push(describe(result.value, earlier.get(result.value.id)))
    }
  }
  return found
}

function describe(
  { id, name, sha256, size, partBytes, missing }: UploadSession,
  before: UnfinishedUpload | undefined,
): UnfinishedUpload {
  const bytesOf = (part: number) => Math.min(partBytes, size - (part - 1) * partBytes)
  const missingBytes = missing?.reduce((sum, part) => sum + bytesOf(part), 0)
  const storedBytes = missingBytes === undefined ? null : size - missingBytes
  const hasGrown = storedBytes !== null && before !== undefined && storedBytes > (before.storedBytes ?? size)
  const grewAt = hasGrown ? Date.now() : (before?.grewAt ?? null)
  const isMoving = grewAt !== null && Date.now() - grewAt < MOVING_MS
  return { id, name, sha256, size, storedBytes, grewAt, isMoving }
}

/** What is to be done about each of them. `hasFailed`: it could not be completed. */
export function sortUnfinished(uploads: readonly UnfinishedUpload[], hasFailed: (id: string) => boolean) {
  const resting = uploads.filter(({ isMoving }) => !isMoving)
  const isStored = ({ id, storedBytes, size }: UnfinishedUpload) => storedBytes === size && !hasFailed(id)
  return {
    /** Another device is sending them. */
    moving: uploads.filter(({ isMoving }) => isMoving),
    /** They only have to be completed. */
    stored: resting.filter(isStored),
    /** They need their files. */
    stopped: resting.filter((upload) => !isStored(upload)),
  }
}

/** '2 photos were not finished (40%).' */
export function stoppedSentence(uploads: readonly UnfinishedUpload[], progress = progressOf(uploads)): string {
  const photos = countPhotos(uploads)
  return `${countOf(photos, 'photo')} ${photos === 1 ? 'was' : 'were'} not finished${progress}.`
}

const NAMED = 3

/** 'DJI_1.JPG, DJI_2.JPG, DJI_3.JPG, and 4 more' */
export function namesOf(uploads: readonly UnfinishedUpload[]): string {
  const names = uploads.map(({ name }) => name)
  // As long as one more name.
  if (names.length <= NAMED + 1) return LIST.format(names)
  return LIST.format([...names.slice(0, NAMED), `${names.length - NAMED} more`])
}

/** '1 photo is being uploaded elsewhere (40%).' */
export function movingSentence(uploads: readonly UnfinishedUpload[], progress = progressOf(uploads)): string {
  const photos = countPhotos(uploads)
  return `${countOf(photos, 'photo')} ${photos === 1 ? 'is' : 'are'} being uploaded elsewhere${progress}.`
}

export function countPhotos(uploads: readonly UnfinishedUpload[]): number {
  return photosOf(uploads, ({ name }) => name).length
}

/** For screen readers: without the progress, which changes all the time. */
export function announcement(stopped: readonly UnfinishedUpload[], moving: readonly UnfinishedUpload[]): string {
  const sentences = [
    stopped.length > 0 && stoppedSentence(stopped, ''),
    moving.length > 0 && movingSentence(moving, ''),
  ]
  return sentences.filter(Boolean).join(' ')
}

/** What discarding them means, also for a device that is sending one of them, which cannot always be seen. */
export function discardWarning(uploads: readonly UnfinishedUpload[]): string {
  const [photos, it] = countPhotos(uploads) === 1 ? ['photo', 'it'] : ['photos', 'one of them']
  return `What is stored of the ${photos} is removed. A device that is uploading ${it} right now has to start again from the beginning.`
}

/** ' (40%)', 0 to 99; empty when it is not known. */
function progressOf(uploads: readonly UnfinishedUpload[]): string {
  const size = uploads.reduce((sum, upload) => sum + upload.size, 0)
  const stored = uploads.reduce((sum, { storedBytes }) => sum + (storedBytes ?? Number.NaN), 0)
  const percent = Math.min(Math.floor((stored / size) * 100), 99)
  return Number.isNaN(percent) ? '' : ` (${percent}%)`
}

export async function discardUploads(client: QueryClient, uploads: readonly UnfinishedUpload[]): Promise<void> {
  try {
    for (const { id } of uploads) await uploadApi.cancel(id)
  } finally {
    await refreshUnfinished(client)
  }
}

/** Reads again which uploads are not finished, and what they take of the storage. */
export async function refreshUnfinished(client: QueryClient): Promise<void> {
  const keys = [unfinishedQuery.queryKey, storageQuery.queryKey]
  await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })))
}
