import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '../../api/client.ts'
import { subscribeHints } from '../../api/live-events.ts'
import { refreshPhotoPages, updateCachedPhotos } from '../../api/photo-cache.ts'
import { placesQuery } from '../../api/queries.ts'
import type { BulkChange, BulkResult } from '../../api/types.ts'
import { countOf } from '../../lib/format.ts'
import type { ServerFilter } from './filters.ts'
import type { Selection } from './selection.ts'

/** Degrees. */
interface Degrees {
  latitude: number
  longitude: number
}

/**
 * A change of all selected photos; a null folder removes them from their folders. A position is the same for all photos, or
 * moves each of them by so many degrees.
 */
export type BulkAction =
  | { action: 'delete' }
  | { action: 'move'; folderId: number | null }
  | { action: 'privacy'; isPublic: boolean }
  | ({ action: 'position' } & (Degrees | { moveBy: Degrees }))

/** The number of photos that a change would affect, and the time of the count: what the user confirms. */
export interface PhotoCount {
  count: number
  /** ISO 8601. */
  until: string
}

interface BulkRequest {
  requested: BulkAction
  selection: Selection
  filter: ServerFilter
  /** What the user confirmed: photos uploaded later are not changed. Null without a confirmation. */
  confirmed: PhotoCount | null
}

/** Returns the exact number of photos that match the filter, without the selection's exceptions. */
export function countSelectedPhotos({ ids }: Selection, filter: ServerFilter): Promise<PhotoCount> {
  return api('post', '/api/photos/count', { body: { filter, except: [...ids] } })
}

/** The server's limit of ids in one request. */
const IDS_PER_REQUEST = 500

/** The photos of a change with what it changed, as the server returns them. */
export type PhotosBefore = NonNullable<BulkResult['before']>[number]

/** Undoes a move or a change of visibility: all photos get back their folder and their visibility. */
export function useRestoreMutation() {
  const client = useQueryClient()
  return useMutation({ mutationFn: restoreAll, onSettled: () => invalidateAll(client) })
}

async function restoreAll({ before }: { before: readonly PhotosBefore[]; requested: BulkAction }): Promise<BulkResult> {
  const all: BulkResult = { done: [], failed: [] }
  for (const { ids, ...place } of before) {
    await sendByIds(ids, { action: 'restore', ...place }, all)
  }
  return all
}

/** Changes all selected photos; resolves when the server has done what it can. */
export function useBulkMutation() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: changeSelected,
    onSuccess: ({ done }, { requested }) => {
      if (requested.action === 'delete') updateCachedPhotos(client, done, [])
    },
    // Changes made before an error remain.
    onSettled: () => invalidateAll(client),
  })
}

/**
 * A change of a whole list is one request. The server ends it before the connection times out; photos that it did not
 * reach, or that failed, are sent once more by id.
 */
export async function changeSelected({ requested, selection, filter, confirmed }: BulkRequest): Promise<BulkResult> {
  const all: BulkResult = { done: [], failed: [] }
  let left = [...selection.ids]
  if (selection.kind === 'all') {
    const { done, failed, before } = await send({
      ...requested,
      filter,
      except: left,
      ...(confirmed && { agreed: confirmed }),
    })
    Object.assign(all, { done, before })
    left = failed.map(({ id }) => id)
  }
  await sendByIds(left, requested, all)
  return all
}

function send(body: BulkChange): Promise<BulkResult> {
  return api('post', '/api/photos/bulk', { body })
}

/** Adds the results to `all`. */
async function sendByIds(ids: readonly number[], change: Omit<BulkChange, 'ids'>, all: BulkResult): Promise<void> {
  for (let at = 0; at < ids.length; at += IDS_PER_REQUEST) {
    const { done, failed, before } = await send({ ...change, ids: ids.slice(at, at + IDS_PER_REQUEST) })
    all.done = all.done.concat(done)
    all.failed = all.failed.concat(failed)
    if (before) all.before = (all.before ?? []).concat(before)
  }
}

function invalidateAll(client: QueryClient): void {
  refreshPhotoPages(client)
  const keys = [placesQuery.queryKey, ['folder-photos'], ['rankings'], ['folders'], ['folder']]
  for (const queryKey of keys) client.invalidateQueries({ queryKey })
}

/** The number of photos that a running change has processed, by live events; 0 without them. */
export function useChangedCount(running: boolean, action: BulkAction['action'] | undefined): number {
  const [count, setCount] = useState(0)
  useEffect(() => {
    if (!running) return
    const expected = action === 'delete' ? 'photo.deleted' : 'photo.changed'
    const reached = new Set<number>()
    let frame = 0
    const stop = subscribeHints(({ type, id }) => {
      if (type !== expected) return
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

/** The failed photos of a result by the server's reason. */
export function failuresByReason(failed: BulkResult['failed']): { reason: string; ids: number[] }[] {
  const byReason = new Map<string, number[]>()
  for (const { id, message } of failed) byReason.set(message, [...(byReason.get(message) ?? []), id])
  return [...byReason].map(([reason, ids]) => ({ reason, ids }))
}

interface BulkTexts {
  /** While the change runs. */
  running: string
  title: (count: number) => string
  /** Title of the toast when nothing was changed. */
  error: string
  done: (count: number) => string
  failed: (count: number) => string
}

const countHas = (count: number) => `${countOf(count, 'photo')} ${count === 1 ? 'has' : 'have'}`

/** The texts about a change of many photos. */
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
    case 'position':
      return {
        running: 'Setting positions',
        title: (count) => (count === 1 ? 'Position set' : 'Positions set'),
        error: 'The position could not be set',
        done: (count) => `${countOf(count, 'photo')} ${count === 1 ? 'has' : 'have'} a new position`,
        failed: (count) => `The position of ${countOf(count, 'photo')} could not be set`,
      }
  }
}
