import type { KnownFilesBody } from '../../../api/types.ts'
import { request } from '../../../lib/http.ts'
import type { PhotoStatus, UploadApi } from '../queue/deps.ts'
import { hashFile, isReadable } from './hash-file.ts'
import { sendByXhr } from './send-files.ts'

const post = <T>(path: string, body?: unknown) => request<T>(path, { method: 'POST', body })

/** The queue's access to the real browser and server. */
export const uploadApi: UploadApi = {
  hash: hashFile,
  isReadable,
  send: sendByXhr,
  findKnown: async (hashes) => {
    const { known, quota } = await post<KnownFilesBody>('/api/photos/known', { hashes })
    return { known, quota: quota.limit === null ? null : { used: quota.used, limit: quota.limit } }
  },
  move: async (ids, folderId) => {
    const { failed } = await post<{ failed: { id: number }[] }>('/api/photos/bulk', { ids, action: 'move', folderId })
    return failed.map(({ id }) => id)
  },
  status: (ids) => post<PhotoStatus[]>('/api/photos/status', { ids }),
  reprocess: (id) => post<PhotoStatus>(`/api/photos/${id}/reprocess`),
}
