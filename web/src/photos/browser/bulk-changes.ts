import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Answer, api } from '../../api/client.ts'
import { refreshPhotoPages, updateCachedPhotos } from '../../api/photo-cache.ts'
import { PHOTO_CAMERAS, PHOTO_PLACES } from '../../api/queries.ts'
import type { BulkResult, PhotoFilter, PhotosChange } from '../../api/types.ts'
import { toast, toastFailure } from '../../components/ui/toast.tsx'
import { countOf } from '../../lib/format.ts'
import type { Position } from '../../lib/geography.ts'
import { describePlace } from '../use-photo-changes.ts'
import { BULK_CHANGE, type PhotoSelection, type Selection } from './selection.ts'

/** A position is the same for all photos, or moves each of them by so many degrees. */
type PositionAction = { action: 'position' } & (Position | { moveBy: Position })

/** A change of all selected photos; a null folder removes them from their folders. */
export type BulkAction =
  | { action: 'delete' }
  | { action: 'move'; folderId: number | null }
  | { action: 'privacy'; isPublic: boolean }
  | PositionAction

/** The number of photos that a change would affect, and the time of the count: what the user confirms. */
type PhotoCount = Answer<'post', '/api/photos/count'>

/**
 * The confirmation before the selected photos are changed. `confirmed`: the count, when all photos of a list are
 * selected.
 */
export interface BulkQuestion {
  about: 'delete' | 'folder' | PositionAction
  confirmed: PhotoCount | null
}

/** A change that the server makes, or takes back. */
interface BulkWork {
  requested: BulkAction
  title: string
  /** Of its photos; `label` is the same in words. */
  count: number
  label: string
  start: () => Promise<BulkResult>
  onDone: (result: BulkResult) => void
  retry: () => void
}

export type BulkChange = ReturnType<typeof useBulkChange>

/** Runs a change of all selected photos: its confirmation, progress and failures. */
export function useBulkChange(selected: PhotoSelection, filter: PhotoFilter) {
  const { selection } = selected
  const client = useQueryClient()
  const work = useMutation({
    mutationKey: BULK_CHANGE,
    mutationFn: ({ start }: BulkWork) => start(),
    onSuccess: (result, { requested, onDone }) => {
      if (requested.action === 'delete') updateCachedPhotos(client, result.done, [])
      onDone(result)
    },
    // With more photos than were confirmed, the user has to confirm again: that is not retryable.
    onError: (error, { requested, retry }) => toastFailure(bulkTexts(requested).error, error, retry),
    // Changes made before an error remain.
    onSettled: () => {
      refreshPhotoPages(client)
      const keys = [[PHOTO_PLACES], [PHOTO_CAMERAS], ['folder-photos'], ['rankings'], ['folders'], ['folder']]
      for (const queryKey of keys) client.invalidateQueries({ queryKey })
    },
  })
  const counting = useMutation({
    // The exact number of photos that match the filter, without the selection's exceptions.
    mutationFn: () => api('post', '/api/photos/count', { body: { filter, except: [...selection.ids] } }),
  })
  const [question, setQuestion] = useState<BulkQuestion | null>(null)
  const [summary, setSummary] = useState<{ requested: BulkAction; result: BulkResult } | null>(null)

  /**
   * The photos of a whole list are counted before a change: new ones may have arrived, and a search is counted only up
   * to a limit.
   */
  function askFirst(about: BulkQuestion['about']) {
    if (counting.isPending) return
    if (selection.kind === 'some') return setQuestion({ about, confirmed: null })
    counting.mutate(undefined, {
      onSuccess: (confirmed) => setQuestion({ about, confirmed }),
      onError: (error) => toastFailure('The photos could not be counted', error, () => askFirst(about)),
    })
  }

  /** Names the folder of a move. */
  function titleOf(requested: BulkAction, count: number): string {
    return requested.action === 'move' && requested.folderId !== null
      ? describePlace(client, requested.folderId)
      : bulkTexts(requested, count).title
  }

  /** `undo`: takes the change of these photos back. */
  function run(requested: BulkAction, confirmed: PhotoCount | null, undo?: (result: BulkResult) => void): void {
    setQuestion(null)
    work.mutate({
      requested,
      title: bulkTexts(requested).running,
      count: confirmed?.count ?? selected.count,
      label: confirmed ? countOf(confirmed.count, 'photo') : selected.amount,
      start: () => changeSelected({ requested, selection, filter, confirmed }),
      onDone(result) {
        const { photos, failed, before = [] } = result
        const revert = undo ?? (before.length > 0 && (() => restore(before, requested)))
        const action = revert ? { label: 'Undo', onSelect: () => revert(result) } : undefined
        const description = bulkTexts(requested, photos).done
        if (photos > 0) toast({ title: titleOf(requested, photos), description, action })
        // Photos that were moved on the map may be moved once more.
        if (failed.length === 0 && requested.action === 'position') return
        if (failed.length === 0) return selected.clear()
        selected.keep(failed.map(({ id }) => id))
        setSummary({ requested, result })
      },
      retry: () => run(requested, confirmed, undo),
    })
  }

  /** Takes a change back by the opposite change. */
  function undo({ done, photos }: BulkResult, requested: BulkAction): void {
    const selection: Selection = { kind: 'some', ids: new Set(done) }
    const start = () => changeSelected({ requested, selection, filter, confirmed: null })
    takeBack(requested, bulkTexts(requested).running, photos, start)
  }

  /** Takes a move or a change of visibility back: all photos get back their folder and their visibility. */
  function restore(before: readonly PhotosBefore[], requested: BulkAction): void {
    const count = before.reduce((sum, { ids, paired }) => sum + (paired ? ids.length / 2 : ids.length), 0)
    takeBack(requested, 'Undoing the change', count, async () => {
      const all: BulkResult = { done: [], photos: 0, failed: [] }
      for (const { ids, ...place } of before) await sendByIds(ids, { action: 'restore', ...place }, all)
      return all
    })
  }

  function takeBack(requested: BulkAction, title: string, count: number, start: BulkWork['start']): void {
    work.mutate({
      requested,
      title,
      count,
      label: countOf(count, 'photo'),
      start,
      onDone({ failed }) {
        const { error, failed: description } = bulkTexts(requested, failed.length)
        toast(failed.length === 0 ? { title: 'Undone' } : { title: error, description, tone: 'danger' })
      },
      retry: () => takeBack(requested, title, count, start),
    })
  }

  return {
    question,
    undo,
    askFirst,
    close: () => setQuestion(null),
    run,
    /** One dialog gives way to the other in the same moment, so that the focus stays in them. */
    running: work.isPending && !summary ? work.variables : null,
    summary,
    setSummary,
  }
}

/** The server's limit of ids in one request. */
const IDS_PER_REQUEST = 500

/** The photos of a change with what it changed, as the server returns them. */
type PhotosBefore = NonNullable<BulkResult['before']>[number]

interface BulkRequest {
  requested: BulkAction
  selection: Selection
  filter: PhotoFilter
  /** What the user confirmed: photos uploaded later are not changed. Null without a confirmation. */
  confirmed: PhotoCount | null
}

/**
 * Changes all selected photos; resolves when the server has done what it can. A change of a whole list is one request.
 * The server ends it before the connection times out; photos that it did not reach, or that failed, are sent once more
 * by id.
 */
export async function changeSelected({ requested, selection, filter, confirmed }: BulkRequest): Promise<BulkResult> {
  const all: BulkResult = { done: [], photos: 0, failed: [] }
  let left = [...selection.ids]
  if (selection.kind === 'all') {
    const agreed = confirmed && { agreed: confirmed }
    const { done, photos, failed, before } = await send({ ...requested, filter, except: left, ...agreed })
    Object.assign(all, { done, photos, before })
    left = failed.map(({ id }) => id)
  }
  await sendByIds(left, requested, all)
  return all
}

function send(body: PhotosChange): Promise<BulkResult> {
  return api('post', '/api/photos/bulk', { body })
}

/** Adds the results to `all`. Files that were changed with the other one of their pair are not sent once more. */
async function sendByIds(ids: readonly number[], change: Omit<PhotosChange, 'ids'>, all: BulkResult): Promise<void> {
  const changed = new Set<number>()
  for (let left = ids; left.length > 0; ) {
    const { done, photos, failed, before } = await send({ ...change, ids: left.slice(0, IDS_PER_REQUEST) })
    for (const id of done) changed.add(id)
    left = left.slice(IDS_PER_REQUEST).filter((id) => !changed.has(id))
    all.done = all.done.concat(done)
    all.photos += photos
    all.failed = all.failed.concat(failed)
    if (before) all.before = (all.before ?? []).concat(before)
  }
}

/** The texts about a change of so many photos. `error`: title of the toast when nothing was changed. */
export function bulkTexts(change: Exclude<BulkAction, PositionAction> | Pick<PositionAction, 'action'>, count = 0) {
  const photos = countOf(count, 'photo')
  const [have, are, s] = count === 1 ? ['has', 'is', ''] : ['have', 'are', 's']
  switch (change.action) {
    case 'delete':
      return {
        running: 'Deleting photos',
        title: `Photo${s} deleted`,
        error: 'Error deleting photos',
        done: `${count === 1 ? 'The photo' : photos} ${have} been successfully deleted`,
        failed: `${photos} could not be deleted`,
      }
    case 'move':
      return {
        running: 'Moving photos',
        title: `Photo${s} moved`,
        error: 'Failed to update folder',
        done: `${photos} ${have} been ${change.folderId === null ? 'taken out of their folders' : 'moved to the folder'}`,
        failed: `${photos} could not be moved`,
      }
    case 'privacy': {
      const word = change.isPublic ? 'public' : 'private'
      return {
        running: `Making photos ${word}`,
        title: `Photo${s} made ${word}`,
        error: 'Error',
        done: `${photos} ${are} ${word} now`,
        failed: `${photos} could not be made ${word}`,
      }
    }
    case 'position':
      return {
        running: 'Setting positions',
        title: `Position${s} set`,
        error: 'The position could not be set',
        done: `${photos} ${have} a new position`,
        failed: `The position of ${photos} could not be set`,
      }
  }
}
