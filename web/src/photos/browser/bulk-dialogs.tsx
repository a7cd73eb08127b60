import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { indexOfPhoto, type PhotoList, photoAt } from '../../api/photo-lists.ts'
import { foldersQuery } from '../../api/queries.ts'
import type { BulkResult } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/confirm-dialog.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Progress } from '../../components/ui/progress.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { countOf, formatNumber } from '../../lib/format.ts'
import { errorMessage, hasStatus } from '../../lib/http.ts'
import { FolderList } from '../folder-choice-dialog.tsx'
import { describePlace } from '../use-photo-changes.ts'
import {
  type BulkAction,
  bulkTexts,
  countSelectedPhotos,
  failuresByReason,
  type PhotoCount,
  useBulkMutation,
  useChangedCount,
} from './bulk-changes.ts'
import type { ServerFilter } from './filters.ts'
import type { Selection } from './selection.ts'
import type { useSelection } from './use-selection.ts'

/**
 * The confirmation before the selected photos are changed. `confirmed`: the count, when all photos of a list are
 * selected.
 */
interface BulkQuestion {
  about: 'delete' | 'folder' | PositionAction
  confirmed: PhotoCount | null
}

type PositionAction = Extract<BulkAction, { action: 'position' }>

const MAX_TITLES = 5

/** Runs a change of all selected photos: its confirmation, progress and failures. */
export function useBulkChange(selected: ReturnType<typeof useSelection>, filter: ServerFilter) {
  const { selection } = selected
  const client = useQueryClient()
  const bulk = useBulkMutation()
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
          const action = undo && { label: 'Undo', onSelect: () => undo(result.done) }
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
    bulk.mutate(
      { requested, selection: target, filter, confirmed: null },
      {
        onSuccess: ({ failed }) =>
          toast(
            failed.length === 0
              ? { title: 'Undone' }
              : {
                  title: bulkTexts(requested).error,
                  description: bulkTexts(requested).failed(failed.length),
                  tone: 'danger',
                },
          ),
        onError: (error) =>
          toast({
            title: bulkTexts(requested).error,
            description: errorMessage(error),
            tone: 'danger',
            action: { label: 'Retry', onSelect: () => undo(ids, requested) },
          }),
      },
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
    summary,
    setSummary,
  }
}

interface BulkDialogsProps {
  change: ReturnType<typeof useBulkChange>
  count: number
  /** The count in words. */
  label: string
  list: PhotoList
}

export function BulkDialogs({ change, list, ...selected }: BulkDialogsProps) {
  const { question, close, run, running, summary, setSummary } = change
  // A closing dialog keeps its texts.
  const [lastQuestion, setLastQuestion] = useState<BulkQuestion | null>(null)
  if (question && question !== lastQuestion) setLastQuestion(question)
  const confirmed = lastQuestion?.confirmed ?? null
  const hasFolders = useQuery(foldersQuery).data?.length !== 0
  const { count, label } = confirmed ? { count: confirmed.count, label: countOf(confirmed.count, 'photo') } : selected
  return (
    <>
      <ConfirmDialog
        open={question?.about === 'delete'}
        onOpenChange={(open) => !open && close()}
        title={count === 1 ? 'Delete Photo' : `Delete ${label}`}
        description={
          count === 1
            ? 'Are you sure you want to delete this photo? This action cannot be undone.'
            : `Are you sure you want to delete these ${label}? This action cannot be undone.`
        }
        confirmLabel="Delete"
        danger
        onConfirm={() => run({ action: 'delete' }, confirmed)}
      />
      <ConfirmDialog
        open={typeof question?.about === 'object'}
        onOpenChange={(open) => !open && close()}
        title={`Set the position of ${label}?`}
        description="Positions that they have are replaced. This action cannot be undone."
        confirmLabel="Set position"
        onConfirm={() => typeof question?.about === 'object' && run(question.about, confirmed)}
      />
      <Dialog
        open={question?.about === 'folder'}
        onOpenChange={(open) => !open && close()}
        title={`Move ${label}`}
        description="The photos take the visibility of the folder; those that you made private stay private."
        footer={
          hasFolders && (
            <Button onClick={() => run({ action: 'move', folderId: null }, confirmed)}>Take out of folders</Button>
          )
        }
      >
        <FolderList selectedId={null} onChoose={(folder) => run({ action: 'move', folderId: folder.id }, confirmed)} />
      </Dialog>
      {running && (
        <RunningDialog
          requested={running.requested}
          count={running.confirmed?.count ?? selected.count}
          label={running.confirmed ? countOf(running.confirmed.count, 'photo') : selected.label}
        />
      )}
      {summary && <SummaryDialog {...summary} list={list} onClose={() => setSummary(null)} />}
    </>
  )
}

/** Stays open until the server has responded: closing it would not stop the change. */
function RunningDialog({ requested, count, label }: { requested: BulkAction; count: number; label: string }) {
  const reached = Math.min(useChangedCount(true, requested.action), count)
  const { running } = bulkTexts(requested)
  return (
    <Dialog open onOpenChange={() => {}} title={running} description="This may take a moment.">
      <p className="pb-2 text-sm tabular-nums text-muted">
        {formatNumber(reached)} of {label}
      </p>
      <Progress value={count > 0 ? (reached / count) * 100 : 0} label={running} />
    </Dialog>
  )
}

interface SummaryDialogProps {
  requested: BulkAction
  result: BulkResult
  list: PhotoList
  onClose: () => void
}

/** The failures by reason. Their photos stay selected. */
function SummaryDialog({ requested, result, list, onClose }: SummaryDialogProps) {
  const texts = bulkTexts(requested)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={texts.failed(result.failed.length)}
      description={result.done.length > 0 ? `${texts.done(result.done.length)}.` : 'No photo was changed.'}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <ul className="grid gap-3">
        {failuresByReason(result.failed).map(({ reason, ids }) => (
          <li key={reason}>
            <p className="font-semibold text-danger">
              {reason} <span className="font-normal text-muted">({countOf(ids.length, 'photo')})</span>
            </p>
            <FailedPhotos ids={ids} list={list} />
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

/** The titles of the first photos, as far as they are cached. */
function FailedPhotos({ ids, list }: { ids: number[]; list: PhotoList }) {
  const client = useQueryClient()
  const titles = ids.slice(0, MAX_TITLES).map((id) => titleOf(client, list, id))
  const more = ids.length - titles.length
  return (
    <p className="text-sm text-muted wrap-anywhere">
      {titles.join(', ')}
      {more > 0 && ` and ${formatNumber(more)} more`}
    </p>
  )
}

function titleOf(client: QueryClient, list: PhotoList, id: number): string {
  return photoAt(client, list, indexOfPhoto(client, list, id))?.title || `Photo ${id}`
}
