import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { hasStatus, request, requestPage } from '../lib/http.ts'
import type { AppConfig, Folder, Photo, Rankings, Share, User } from './types.ts'

export const PHOTOS_PER_PAGE = 48
const SHARE_REVALIDATION_MS = 15_000
const FOLDERS_FRESH_MS = 10_000

/** The signed-in user, null when signed out. */
export const userQuery = queryOptions({
  queryKey: ['user'],
  queryFn: ({ signal }) =>
    request<User>('/api/user', { signal }).catch((error: unknown) => {
      if (hasStatus(error, 401)) return null
      throw error
    }),
})

/** Limits and switches of this installation. */
export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: ({ signal }) => request<AppConfig>('/api/config', { signal }),
})

/** The user's photos, newest first, page by page. The live events keep them true, photo by photo (`photo-lists.ts`). */
export const photoPagesQuery = infiniteQueryOptions({
  queryKey: ['photos', 'pages'],
  queryFn: ({ pageParam, signal }) => requestPage<Photo>(pageParam, { signal }),
  initialPageParam: `/api/photos?limit=${PHOTOS_PER_PAGE}`,
  getNextPageParam: (page) => page.next,
})

/** The user's folders. */
export const foldersQuery = queryOptions({
  queryKey: ['folders'],
  queryFn: ({ signal }) => request<Folder[]>('/api/folders', { signal }),
  staleTime: FOLDERS_FRESH_MS,
})

/** One folder of the user. */
export const folderQuery = (id: number) =>
  queryOptions({
    queryKey: ['folder', id],
    queryFn: ({ signal }) => request<Folder>(`/api/folders/${id}`, { signal }),
  })

/** The photos of one folder of the user. */
export const folderPhotosQuery = (id: number) =>
  queryOptions({
    queryKey: ['folder-photos', id],
    queryFn: ({ signal }) => request<Photo[]>(`/api/folders/${id}/photos`, { signal }),
  })

/** The standings of one folder of the user. */
export const rankingsQuery = (folderId: number) =>
  queryOptions({
    queryKey: ['rankings', folderId],
    queryFn: ({ signal }) => request<Rankings>(`/api/folders/${folderId}/rankings`, { signal }),
  })

/** A shared folder with this voter's own places. Has no live events: read again every 15 s while the page is visible. */
export const shareQuery = (shareCode: string, fingerprint: string) =>
  queryOptions({
    queryKey: ['share', shareCode, fingerprint],
    queryFn: ({ signal }) =>
      request<Share>(
        `/api/share/${encodeURIComponent(shareCode)}${fingerprint && `?fingerprint=${encodeURIComponent(fingerprint)}`}`,
        { signal },
      ),
    refetchInterval: (query) => (hasStatus(query.state.error, 404) ? false : SHARE_REVALIDATION_MS),
  })
