import type { KnownFilesBody, OpenedUploads, UploadSession } from '../../../api/types.ts'
import { request } from '../../../lib/http.ts'
import type { PhotoStatus, UploadApi, UploadedPhoto } from '../queue/deps.ts'
import { holdSession } from './device.ts'
import { hashFile, problemOf } from './hash-file.ts'
import { sendPart } from './send-part.ts'

/** A connection that broke silently must not hold up the queue. */
const TIMEOUT_MS = 30_000
/** The object store may need a while to make one object of many parts. */
const COMPLETE_TIMEOUT_MS = 60_000

const post = <T>(path: string, body?: unknown, timeout = TIMEOUT_MS) =>
  request<T>(path, { method: 'POST', body, signal: AbortSignal.timeout(timeout) })
const sessionPath = (id: string) => `/api/upload-sessions/${id}`

/** The queue's access to the real browser and server. */
export const uploadApi: UploadApi = {
  hash: hashFile,
  problemOf,
  holdSession,
  sendPart,
  findKnown: async (hashes) => {
    const { known, quota } = await post<KnownFilesBody>('/api/photos/known', { hashes })
    return { known, quota: quota.limit === null ? null : { used: quota.used, limit: quota.limit } }
  },
  openSessions: async (files, { description, folderId, isPublic }, direct) => {
    const declared = files.map(({ name, size, hashes }) => ({ name, size, ...hashes }))
    const fields = { folderId, isPublic, direct, ...(description && { description }) }
    const { results } = await post<OpenedUploads>('/api/upload-sessions', { files: declared, ...fields })
    return results
  },
  session: (id) => request<UploadSession>(sessionPath(id), { signal: AbortSignal.timeout(TIMEOUT_MS) }),
  sign: (id, parts) => post(`${sessionPath(id)}/urls`, { parts }),
  complete: (id) => post<UploadedPhoto>(`${sessionPath(id)}/complete`, undefined, COMPLETE_TIMEOUT_MS),
  cancel: (id) => request(sessionPath(id), { method: 'DELETE', signal: AbortSignal.timeout(TIMEOUT_MS) }),
  move: async (ids, folderId) => {
    const { failed } = await post<{ failed: { id: number }[] }>('/api/photos/bulk', { ids, action: 'move', folderId })
    return failed.map(({ id }) => id)
  },
  status: (ids) => post<PhotoStatus[]>('/api/photos/status', { ids }),
  reprocess: (id) => post<PhotoStatus>(`/api/photos/${id}/reprocess`),
}
