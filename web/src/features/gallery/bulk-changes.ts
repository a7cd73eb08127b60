import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { subscribeHints } from '../../api/live-events.ts'
import { refreshPhotoPages, updateCachedPhotos } from '../../api/photo-lists.ts'
import { placesQuery } from '../../api/queries.ts'
import type { BulkResult } from '../../api/types.ts'
import { countOf } from '../../lib/format.ts'
import { request } from '../../lib/http.ts'
import type { ServerFilter } from './filters.ts'
import type { Selection } from './selection.ts'

/** What is done with all selected photos; null takes them out of their folders. */
export type BulkAction =
  | { action: 'delete' }
  | { action: 'move'; folderId: number | null }
  | { action: 'privacy'; isPublic: boolean }

/** How many photos a change of all would reach, and when that was so: what the user is asked about. */
export interface PhotoCount {
  count: number
  /** ISO 8601. */
  until: string
}

interface BulkRequest {
  requested: BulkAction
  selection: Selection
  filter: ServerFilter
  /** What the user agreed to: nothing that came later is changed. Null where nothing was asked. */
  confirmed: PhotoCount | null
}

/** Counts all photos that the filter lets through but the selection's exceptions, exactly. */
export function countSelectedPhotos({ ids }: Selection, filter: ServerFilter): Promise<PhotoCount> {
  return request('/api/photos/count', { method: 'POST', body: { filter, except: [...ids] } })
}

/** As many as the server takes by id in one request. */
const IDS_PER_REQUEST = 500

/** Does the same with all selected photos; resolves when the server has done what it can. */
export function useBulkMutation() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: changeSelected,
    onSuccess: ({ done }, { requested }) => {
      if (requested.action === 'delete') updateCachedPhotos(client, done, [])
    },
    // What was done before an error stays done.
    onSettled: () => invalidateAll(client),
  })
}

/**
 * All of a list is one request. The server ends it before the connection would: what it did not come to, and what
 * failed, is asked for once more by id.
 */
export async function changeSelected({ requested, selection, filter, confirmed }: BulkRequest): Promise<BulkResult> {
  const send = (target: object) =>
    request<BulkResult>('/api/photos/bulk', { method: 'POST', body: { ...target, ...requested } })
  const all: BulkResult = { done: [], failed: [] }
  let left = [...selection.ids]
  if (selection.kind === 'all') {
    const { done, failed } = await send({ filter, except: left, ...(confirmed && { agreed: confirmed }) })
    all.done = done
    left = failed.map(({ id }) => id)
  }
  for (let at = 0; at < left.length; at += IDS_PER_REQUEST) {
    const { done, failed } = await send({ ids: left.slice(at, at + IDS_PER_REQUEST) })
    all.done = all.done.concat(done)
    all.failed = all.failed.concat(failed)
  }
  return all
}

function invalidateAll(client: QueryClient): void {
  refreshPhotoPages(client)
  const keys = [placesQuery.queryKey, ['folder-photos'], ['rankings'], ['folders'], ['folder']]
  for (const queryKey of keys) client.invalidateQueries({ queryKey })
}

/** How many photos a running change has reached, as the live events tell; 0 where there are none. */
export function useChangedCount(running: boolean, action: BulkAction['action'] | undefined): number {
  const [count, setCount] = useState(0)
  useEffect(() => {
    if (!running) return
    const wanted = action === 'delete' ? 'photo.deleted' : 'photo.changed'
    const reached = new Set<number>()
    let frame = 0
    const stop = subscribeHints(({ type, id }) => {
      if (type !== wanted) return
      reached.add(id)
      frame ||= requestAnimationFrame(() => {
        frame = 0
        setCount(reached.size)
      })
    })
    return () => {
      stop()
      cancelAnimationFrame(frame)
      setCount(0)
    }
  }, [running, action])
  return count
}

/** The photos of an answer that failed, by what the server says of them. */
export function failuresByReason(failed: BulkResult['failed']): { reason: string; ids: number[] }[] {
  const byReason = new Map<string, number[]>()
  for (const { id, message } of failed) byReason.set(message, [...(byReason.get(message) ?? []), id])
  return [...byReason].map(([reason, ids]) => ({ reason, ids }))
}

interface BulkTexts {
  /** While it runs. */
  running: string
  title: (count: number) => string
  /** Title of the notice that nothing was done. */
  error: string
  done: (count: number) => string
  failed: (count: number) => string
}

const countHas = (count: number) => `${countOf(count, 'photo')} ${count === 1 ? 'has' : 'have'}`

/** What is said of a change of many photos. */
export function bulkTexts(change: BulkAction): BulkTexts {
  switch (change.action) {
    case 'delete':
      return {
        running: 'Deleting photos',
        title: (count) => (count === 1 ? 'Photo deleted' : 'Photos deleted'),
        error: 'Error deleting photos',
        done: (count) =>
          count === 1 ? 'The photo has been successfully deleted' : `${countHas(count)} been successfully deleted`,
        failed: (count) => `${countOf(count, 'photo')} could not be deleted`,
      }
    case 'move':
      return {
        running: 'Moving photos',
        title: (count) => (count === 1 ? 'Photo moved' : 'Photos moved'),
        error: 'Failed to update folder',
        done: (count) =>
          change.folderId === null
            ? `${countHas(count)} been taken out of their folders`
            : `${countHas(count)} been moved to the folder`,
        failed: (count) => `${countOf(count, 'photo')} could not be moved`,
      }
    case 'privacy': {
      const word = change.isPublic ? 'public' : 'private'
      return {
        running: `Making photos ${word}`,
        title: (count) => (count === 1 ? `Photo made ${word}` : `Photos made ${word}`),
        error: 'Error',
        done: (count) => `${countOf(count, 'photo')} ${count === 1 ? 'is' : 'are'} ${word} now`,
        failed: (count) => `${countOf(count, 'photo')} could not be made ${word}`,
      }
    }
  }
}
