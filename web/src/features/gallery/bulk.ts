import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { subscribeHints } from '../../api/live.ts'
import { putPhotos, readListsAgain } from '../../api/photo-lists.ts'
import { placesQuery } from '../../api/queries.ts'
import { countOf } from '../../lib/format.ts'
import { request } from '../../lib/http.ts'
import type { ServerFilter } from './filters.ts'
import type { Selection } from './selection.ts'

/** What is done with all selected photos; null takes them out of their folders. */
export type BulkAction =
  | { action: 'delete' }
  | { action: 'move'; folderId: number | null }
  | { action: 'privacy'; isPublic: boolean }

interface BulkRequest {
  wanted: BulkAction
  selection: Selection
  filter: ServerFilter
}

export interface BulkAnswer {
  done: number[]
  failed: { id: number; message: string }[]
}

/** Does the same with all selected photos in one request. */
export function useBulk() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ wanted, selection, filter }: BulkRequest) =>
      request<BulkAnswer>('/api/photos/bulk', { method: 'POST', body: { ...targetOf(selection, filter), ...wanted } }),
    onSuccess: ({ done }, { wanted }) => {
      if (wanted.action === 'delete') putPhotos(client, done, [])
    },
    // What was done before an error stays done.
    onSettled: () => readAllAgain(client),
  })
}

function readAllAgain(client: QueryClient): void {
  readListsAgain(client)
  const keys = [placesQuery.queryKey, ['folder-photos'], ['rankings'], ['folders'], ['folder']]
  for (const queryKey of keys) client.invalidateQueries({ queryKey })
}

/** The photos of a selection as the server takes them. */
export function targetOf({ kind, ids }: Selection, filter: ServerFilter) {
  return kind === 'some' ? { ids: [...ids] } : { filter, except: [...ids] }
}

/** How many photos a running change has reached, as the live events tell; 0 where there are none. */
export function useReached(running: boolean, action: BulkAction['action'] | undefined): number {
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
export function failuresByReason(failed: BulkAnswer['failed']): { reason: string; ids: number[] }[] {
  const byReason = new Map<string, number[]>()
  for (const { id, message } of failed) byReason.set(message, [...(byReason.get(message) ?? []), id])
  return [...byReason].map(([reason, ids]) => ({ reason, ids }))
}

interface Words {
  /** While it runs. */
  running: string
  title: string
  done: (count: number) => string
  failed: (count: number) => string
}

const have = (count: number) => `${countOf(count, 'photo')} ${count === 1 ? 'has' : 'have'}`

/** What is said of a change of many photos. */
export function wordsOf(wanted: BulkAction): Words {
  switch (wanted.action) {
    case 'delete':
      return {
        running: 'Deleting photos',
        title: 'Photos deleted',
        done: (count) => `${have(count)} been successfully deleted`,
        failed: (count) => `${countOf(count, 'photo')} could not be deleted`,
      }
    case 'move':
      return {
        running: 'Moving photos',
        title: 'Photos moved',
        done: (count) =>
          wanted.folderId === null
            ? `${have(count)} been taken out of their folders`
            : `${have(count)} been moved to the folder`,
        failed: (count) => `${countOf(count, 'photo')} could not be moved`,
      }
    case 'privacy': {
      const word = wanted.isPublic ? 'public' : 'private'
      return {
        running: `Making photos ${word}`,
        title: `Photos made ${word}`,
        done: (count) => `${countOf(count, 'photo')} ${count === 1 ? 'is' : 'are'} ${word} now`,
        failed: (count) => `${countOf(count, 'photo')} could not be made ${word}`,
      }
    }
  }
}
