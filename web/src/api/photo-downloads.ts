import { request } from '../lib/http.ts'
import type { PhotoDownload } from './types.ts'

/** As which files photos are downloaded: their originals, or their previews. */
export type DownloadSize = 'original' | 'web'

/** Photos by their ids, or those of the gallery or a folder that match a filter, except some. */
export type DownloadedPhotos = { ids: number[] } | { filter: object; except: number[] }

/** Starts a download of photos as one archive: what it would have in each size. `name`: of the archive, if it has one. */
export function createDownload(photos: DownloadedPhotos, name: string | null): Promise<PhotoDownload> {
  return request('/api/photos/downloads', { method: 'POST', body: { ...photos, ...(name !== null && { name }) } })
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
    const path = `/api/photos/downloads/${id}/${size}`
    const { left, url } = await request<{ left: number; url: string }>(path, { method: 'POST', signal })
    if (left === 0) return url
    onProgress(left)
  }
}
