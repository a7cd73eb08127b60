import { type Query, type QueryClient, queryOptions } from '@tanstack/react-query'
import { hasCode, hasStatus } from '../lib/http.ts'
import { forgetPrerenderedFolder, takeVisitorMark } from '../lib/served-page.ts'
import { api, apiResponse } from './client.ts'
import type { User } from './types.ts'
import { keepVoterToken } from './votes.ts'

/** A share page is at most 15 s behind its folder; the rest of the time is for the response. */
const SHARE_REVALIDATION_MS = 14_000
const FOLDERS_STALE_MS = 10_000

async function readUser(signal: AbortSignal): Promise<User | null> {
  try {
    return await api('get', '/api/user', { signal })
  } catch (error) {
    if (hasStatus(error, 401)) return null
    throw error
  }
}

/** The signed-in user, null when signed out. */
export const userQuery = queryOptions({
  queryKey: ['user'],
  queryFn: ({ signal }) => (takeVisitorMark() ? null : readUser(signal)),
})

/**
 * The signed-in user, null also while the account is being deleted: nothing but its restoration and its export may be
 * requested then.
 */
export const activeUserQuery = queryOptions({
  ...userQuery,
  select: (user: User | null) => (user?.deletesAt ? null : user),
})

/** The user's settings, which all devices share. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => api('get', '/api/user/settings', { signal }),
})

/** Limits and switches of this installation. */
export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: ({ signal }) => api('get', '/api/config', { signal }),
})

/** Matches what was read for the signed-in user: all queries but who that is, and the installation's configuration. */
export const USER_DATA = {
  predicate: ({ queryKey: [key] }: Query) => key !== userQuery.queryKey[0] && key !== configQuery.queryKey[0],
}

/** The terms of use or the privacy policy. */
export const legalQuery = (document: 'terms' | 'privacy') =>
  queryOptions({
    queryKey: ['legal', document],
    queryFn: ({ signal }) => api('get', `/api/legal/${document}`, { signal }),
  })

export const PHOTO_PLACES = 'photo-places'
export const PHOTO_CAMERAS = 'photo-cameras'

/** The geographic places of the photos of a folder, of those in `none`, or of all, each with its number of photos. */
export const placesQuery = (folder: string) =>
  queryOptions({
    queryKey: [PHOTO_PLACES, folder],
    queryFn: ({ signal }) => api('get', '/api/photos/places', { query: ofFolder(folder), signal }),
  })

/** The camera models of the photos of a folder, of those in `none`, or of all, each with its number of photos. */
export const camerasQuery = (folder: string) =>
  queryOptions({
    queryKey: [PHOTO_CAMERAS, folder],
    queryFn: ({ signal }) => api('get', '/api/photos/cameras', { query: ofFolder(folder), signal }),
  })

const ofFolder = (folder: string) => (folder === '' ? {} : { folder })

/** The user's folders. */
export const foldersQuery = queryOptions({
  queryKey: ['folders'],
  queryFn: ({ signal }) => api('get', '/api/folders', { signal }),
  staleTime: FOLDERS_STALE_MS,
})

/** One folder of the user. */
export const folderQuery = (id: number) =>
  queryOptions({
    queryKey: ['folder', id],
    queryFn: ({ signal }) => api('get', '/api/folders/{id}', { path: { id }, signal }),
  })

/** All photos of one folder of the user, for its rankings. */
export const folderPhotosQuery = (id: number) =>
  queryOptions({
    queryKey: ['folder-photos', id],
    queryFn: ({ signal }) => api('get', '/api/folders/{id}/photos', { path: { id }, signal }),
  })

/** The ranks that this browser's voter gave in a folder. */
export const ownRanksQuery = (folderId: number, fingerprint: string) =>
  queryOptions({
    queryKey: ['rankings', folderId, 'own', fingerprint],
    queryFn: async ({ signal }) => {
      const input = { path: { id: folderId }, query: { fingerprint }, signal }
      const ranks = await api('get', '/api/folders/{id}/rankings', input)
      if (!('userRankings' in ranks)) throw new Error('these are the standings of an owner')
      return ranks.userRankings
    },
  })

/** What a visitor with a link has requested. */
async function sharedBody<T>(response: Promise<{ body: T; headers: Headers }>): Promise<T> {
  const { body, headers } = await response
  keepVoterToken(headers)
  return body
}

/** The same; null: the link is locked by a password. */
export async function unlessLocked<T>(response: Promise<{ body: T; headers: Headers }>): Promise<T | null> {
  try {
    return await sharedBody(response)
  } catch (error) {
    if (hasCode(error, 'password_required')) return null
    throw error
  }
}

/** Of all that is read through a link. */
export const linkKey = (shareCode: string) => ['link', shareCode]

/** Drops what was read through a link that is locked now: its pages show that alone. */
export function forgetLink(client: QueryClient, shareCode: string): void {
  client.setQueriesData({ queryKey: linkKey(shareCode), type: 'active' }, null)
  client.removeQueries({ queryKey: linkKey(shareCode), type: 'inactive' })
  forgetPrerenderedFolder()
}

/** One photo of a shared folder with its camera metadata. */
export const sharedPhotoQuery = (shareCode: string, id: number) =>
  queryOptions({
    queryKey: [...linkKey(shareCode), 'photo', id],
    queryFn: ({ signal }) =>
      sharedBody(apiResponse('get', '/api/share/{shareCode}/photos/{id}', { path: { shareCode, id }, signal })),
  })

/** What the cameras of a shared folder's photos tell about the ground in them. */
export const sharedCamerasQuery = (shareCode: string) =>
  queryOptions({
    queryKey: [...linkKey(shareCode), 'cameras'],
    queryFn: ({ signal }) =>
      sharedBody(apiResponse('get', '/api/share/{shareCode}/cameras', { path: { shareCode }, signal })),
    staleTime: 0,
  })

/** Public screens have no live events: they poll every 15 s while visible. A withdrawn or locked link is not polled. */
const revalidationInterval = ({ state: { error, data } }: { state: { error: unknown; data: unknown } }) =>
  hasStatus(error, 404) || data === null ? false : SHARE_REVALIDATION_MS

/** A shared folder with this voter's own ranks. */
export const shareQuery = (shareCode: string, fingerprint: string) =>
  queryOptions({
    queryKey: [...linkKey(shareCode), 'share', fingerprint],
    queryFn: ({ signal }) =>
      unlessLocked(
        apiResponse('get', '/api/share/{shareCode}', {
          path: { shareCode },
          query: { fingerprint: fingerprint || undefined },
          signal,
        }),
      ),
    refetchInterval: revalidationInterval,
  })

/** A shared folder, for the view-only screens. */
export const publicFolderQuery = (shareCode: string) =>
  queryOptions({
    queryKey: [...linkKey(shareCode), 'folder'],
    queryFn: ({ signal }) =>
      unlessLocked(apiResponse('get', '/api/folders/share/{shareCode}', { path: { shareCode }, signal })),
    refetchInterval: revalidationInterval,
  })

/** The photos of a shared folder, for the view-only screens. */
export const publicPhotosQuery = (shareCode: string) =>
  queryOptions({
    queryKey: [...linkKey(shareCode), 'photos'],
    queryFn: ({ signal }) =>
      unlessLocked(apiResponse('get', '/api/folders/share/{shareCode}/photos', { path: { shareCode }, signal })),
    refetchInterval: revalidationInterval,
  })
