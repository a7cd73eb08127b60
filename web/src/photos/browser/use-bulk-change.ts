import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { BulkResult } from '../../api/types.ts'
import { toast } from '../../components/ui/toast.tsx'
import { errorMessage, hasStatus } from '../../lib/http.ts'
import { describePlace } from '../use-photo-changes.ts'
import {
  type BulkAction,
  bulkTexts,
  countSelectedPhotos,
  type PhotoCount,
  type PhotosBefore,
  useBulkMutation,
  useRestoreMutation,
} from './bulk-changes.ts'
import type { ServerFilter } from './filters.ts'
import type { Selection } from './selection.ts'
import type { useSelection } from './use-selection.ts'

/**
 * The confirmation before the selected photos are changed. `confirmed`: the count, when all photos of a list are
 * selected.
 */
export interface BulkQuestion {
  about: 'delete' | 'folder' | PositionAction
  confirmed: PhotoCount | null
}

type PositionAction = Extract<BulkAction, { action: 'position' }>

/** Runs a change of all selected photos: its confirmation, progress and failures. */
export function useBulkChange(selected: ReturnType<typeof useSelection>, filter: ServerFilter) {
  const { selection } = selected
  const client = useQueryClient()
  const bulk = useBulkMutation()
  const restore = useRestoreMutation()
  const counting = useMutation({ mutationFn: () => countSelectedPhotos(selection, filter) })
  const [question, setQuestion] = useState<BulkQuestion | null>(null)
  const [summary, setSummary] = useState<{ requested: BulkAction; result: BulkResult } | null>(null)

  /**
   * The photos of a whole list are counted before a change: new ones may have arrived, and a search is counted only up
   * to a limit.
   */
  function askFirst(about: BulkQuestion['about']): void {
    if (counting.isPending) return
    if (selection.kind === 'some') {
      setQuestion({ about, confirmed: null })
      return
    }
    counting.mutate(undefined, {
      onSuccess: (confirmed) => setQuestion({ about, confirmed }),
      onError: (error) =>
        toast({
          title: 'The photos could not be counted',
          description: errorMessage(error),
          tone: 'danger',
          action: { label: 'Retry', onSelect: () => askFirst(about) },
        }),
    })
  }

  /** Names the folder of a move. */
  function titleOfMove(requested: BulkAction): string | undefined {
    return requested.action === 'move' && requested.folderId !== null
      ? describePlace(client, requested.folderId)
      : undefined
  }

  /** `undo`: takes the change of these photos back. */
  function run(requested: BulkAction, confirmed: PhotoCount | null, undo?: (done: number[]) => void): void {
    const texts = bulkTexts(requested)
    setQuestion(null)
    bulk.mutate(
      { requested, selection, filter, confirmed },
      {
        onSuccess: (result) => {
          const done = result.done.length
          const { before = [] } = result
          const takeBack = undo ?? (before.length > 0 && (() => restoreBefore(before, requested)))
          const action = takeBack ? { label: 'Undo', onSelect: () => takeBack(result.done) } : undefined
          const title = titleOfMove(requested) ?? texts.title(done)
          if (done > 0) toast({ title, description: texts.done(done), action })
          // Photos that were moved on the map may be moved once more.
          if (result.failed.length === 0 && requested.action === 'position') return
          if (result.failed.length === 0) return selected.clear()
          selected.keep(result.failed.map(({ id }) => id))
          setSummary({ requested, result })
        },
        onError: (error) =>
          toast({
            title: texts.error,
            description: errorMessage(error),
            tone: 'danger',
            // With more photos than were confirmed, the user has to confirm again.
            ...(!hasStatus(error, 409) && {
              action: { label: 'Retry', onSelect: () => run(requested, confirmed, undo) },
            }),
          }),
      },
    )
  }

  /** Takes a change of these photos back by the opposite change. */
  function undo(ids: number[], requested: BulkAction): void {
    const target: Selection = { kind: 'some', ids: new Set(ids) }
    const told = tellUndone(requested, () => undo(ids, requested))
    bulk.mutate({ requested, selection: target, filter, confirmed: null }, told)
  }

  /** Takes a move or a change of visibility back. */
  function restoreBefore(before: PhotosBefore[], requested: BulkAction): void {
    restore.mutate(
      { before, requested },
      tellUndone(requested, () => restoreBefore(before, requested)),
    )
  }

  return {
    question,
    undo,
    askFirst,
    close: () => setQuestion(null),
    run,
    /** The running change and the number of its photos. */
    running: bulk.isPending ? { requested: bulk.variables.requested, confirmed: bulk.variables.confirmed } : null,
    /** The change that is being undone, and the number of its photos. */
    undoing: restore.isPending
      ? { requested: restore.variables.requested, count: countOfAll(restore.variables.before) }
      : null,
    summary,
    setSummary,
  }
}

const countOfAll = (before: readonly PhotosBefore[]) => before.reduce((sum, { ids }) => sum + ids.length, 0)

/** Says how the undoing of a change ended. */
function tellUndone(requested: BulkAction, retry: () => void) {
  const texts = bulkTexts(requested)
  return {
    onSuccess: ({ failed }: BulkResult) => {
      if (failed.length === 0) toast({ title: 'Undone' })
      else toast({ title: texts.error, description: texts.failed(failed.length), tone: 'danger' })
    },
    onError: (error: unknown) => {
      const description = errorMessage(error)
      toast({ title: texts.error, description, tone: 'danger', action: { label: 'Retry', onSelect: retry } })
    },
  }
}
