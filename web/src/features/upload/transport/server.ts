import { api } from '../../../api/client.ts'
import type { UploadApi } from '../queue/deps.ts'
import { holdSession } from './device.ts'
import { hashFile, problemOf } from './hash-file.ts'
import { sendPart } from './send-part.ts'

/** A connection that broke silently must not hold up the queue. */
const TIMEOUT_MS = 30_000
/** The object store may need a while to make one object of many parts. */
const COMPLETE_TIMEOUT_MS = 60_000

const inTime = () => AbortSignal.timeout(TIMEOUT_MS)

export const uploadApi: UploadApi = {
  hash: hashFile,
  problemOf,
  holdSession,
  sendPart,
  findKnown: async (hashes) => {
    const { known, quota } = await api('post', '/api/photos/known', { body: { hashes }, signal: inTime() })
    return { known, quota: quota.limit === null ? null : { used: quota.used, limit: quota.limit } }
  },
  openSessions: async (files, { description, folderId, isPublic }, direct) => {
    const declared = files.map(({ hashes, ...file }) => ({ ...file, ...hashes }))
    const body = { files: declared, folderId, isPublic, direct, ...(description && { description }) }
    const { results } = await api('post', '/api/upload-sessions', { body, signal: inTime() })
    return results
  },
  session: (id) => api('get', '/api/upload-sessions/{id}', { path: { id }, signal: inTime() }),
  sign: (id, parts) =>
    api('post', '/api/upload-sessions/{id}/urls', { path: { id }, body: { parts }, signal: inTime() }),
  complete: (id) => {
    const signal = AbortSignal.timeout(COMPLETE_TIMEOUT_MS)
    return api('post', '/api/upload-sessions/{id}/complete', { path: { id }, signal })
  },
  cancel: (id) => api('delete', '/api/upload-sessions/{id}', { path: { id }, signal: inTime() }),
  move: async (ids, folderId) => {
    const body = { ids, action: 'move' as const, folderId }
    const { failed } = await api('post', '/api/photos/bulk', { body, signal: inTime() })
    return failed.map(({ id }) => id)
  },
  status: (ids) => api('post', '/api/photos/status', { body: { ids }, signal: inTime() }),
  reprocess: (id) => api('post', '/api/photos/{id}/reprocess', { path: { id }, signal: inTime() }),
}
