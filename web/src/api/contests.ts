import { queryOptions } from '@tanstack/react-query'
import { send } from '../lib/http.ts'
import { api } from './client.ts'
import { readPhotosById } from './photo-cache.ts'
import type { Photo, Rankings } from './types.ts'

/** How often a contest is read when no moment is near at which it opens or closes. */
const LONGEST_PAUSE_MS = 15_000
const SHORTEST_PAUSE_MS = 1_000

/** What the owner decided about a folder's vote. Read again when it opens or closes by time, whose moment the server decides. */
export const contestQuery = (folderId: number) =>
  queryOptions({
    queryKey: ['contest', folderId],
    queryFn: ({ signal }) => api('get', '/api/folders/{id}/contest', { path: { id: folderId }, signal }),
    refetchInterval: ({ state: { data } }) => {
      const moment = data?.phase === 'before' ? data.opensAt : data?.phase === 'open' ? data.closesAt : null
      if (!moment) return false
      return Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, Date.parse(moment) - Date.now()))
    },
  })

/** All invitations of one folder of the user, oldest first. */
export const invitationsQuery = (folderId: number) =>
  queryOptions({
    queryKey: ['invitations', folderId],
    queryFn: ({ signal }) => api('get', '/api/folders/{id}/invitations', { path: { id: folderId }, signal }),
  })

/** The standings' best photos for the presenter mode, with the number of ballots that count. */
export const presentedQuery = (folderId: number) =>
  queryOptions({
    queryKey: ['presented', folderId],
    queryFn: async ({ signal }): Promise<Pick<Rankings, 'ballots' | 'tallies'> & { photos: Photo[] }> => {
      const input = { path: { id: folderId }, query: { limit: PRESENTED }, signal }
      const rankings = await api('get', '/api/folders/{id}/rankings', input)
      if ('userRankings' in rankings) throw new Error('these are the ranks of a voter')
      const { ballots, tallies } = rankings
      const ids = tallies.slice(0, PLACES).map(({ photoId }) => photoId)
      return { ballots, tallies, photos: ids.length > 0 ? await readPhotosById(ids) : [] }
    },
  })

const PRESENTED = 10
const PLACES = 3

/** The ballots of a closed vote, as the command that recounts them takes them. */
export async function readBallotsFile(folderId: number): Promise<Blob> {
  return (await send(`/api/folders/${folderId}/ballots.json`)).blob()
}
