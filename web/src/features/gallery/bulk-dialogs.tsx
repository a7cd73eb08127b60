import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type PhotoList, photoAt, placeOf } from '../../api/photo-lists.ts'
import { FolderList } from '../../components/photos/folder-choice-dialog.tsx'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/confirm-dialog.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Progress } from '../../components/ui/progress.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { countOf, formatNumber } from '../../lib/format.ts'
import { noticeOf } from '../../lib/http.ts'
import { type BulkAction, type BulkAnswer, failuresByReason, useBulk, useReached, wordsOf } from './bulk.ts'
import type { ServerFilter } from './filters.ts'
import type { useSelection } from './use-selection.ts'

/** What is asked before all selected photos are changed. */
export type BulkQuestion = 'delete' | 'folder' | null

const NAMED = 5

/** Runs a change of all selected photos: what it asks before, its progress, and what failed. */
export function useBulkChange(selected: ReturnType<typeof useSelection>, filter: ServerFilter) {
  const bulk = useBulk()
  const [question, setQuestion] = useState<BulkQuestion>(null)
  const [summary, setSummary] = useState<{ wanted: BulkAction; answer: BulkAnswer } | null>(null)

  function run(wanted: BulkAction): void {
    const words = wordsOf(wanted)
    setQuestion(null)
    bulk.mutate(
      { wanted, selection: selected.selection, filter },
      {
        onSuccess: (answer) => {
          if (answer.done.length > 0) toast({ title: words.title, description: words.done(answer.done.length) })
          if (answer.failed.length === 0) return selected.clear()
          selected.keep(answer.failed.map(({ id }) => id))
          setSummary({ wanted, answer })
        },
        onError: (error) =>
          toast({
            title: 'Error',
            description: noticeOf(error),
            tone: 'danger',
            action: { label: 'Retry', onSelect: () => run(wanted) },
          }),
      },
    )
  }

  return {
    question,
    ask: setQuestion,
    run,
    running: bulk.isPending ? bulk.variables.wanted : null,
    summary,
    setSummary,
  }
}

interface BulkDialogsProps {
  change: ReturnType<typeof useBulkChange>
  count: number
  /** The count as words. */
  amount: string
  list: PhotoList
}

export function BulkDialogs({ change, count, amount, list }: BulkDialogsProps) {
  const { question, ask, run, running, summary, setSummary } = change
  return (
    <>
      <ConfirmDialog
        open={question === 'delete'}
        onOpenChange={(open) => !open && ask(null)}
        title={count === 1 ? 'Delete Photo' : `Delete ${amount}`}
        description={
          count === 1
            ? 'Are you sure you want to delete this photo? This action cannot be undone.'
            : `Are you sure you want to delete these ${amount}? This action cannot be undone.`
        }
        confirmLabel="Delete"
        danger
        onConfirm={() => run({ action: 'delete' })}
      />
      <Dialog
        open={question === 'folder'}
        onOpenChange={(open) => !open && ask(null)}
        title={`Move ${amount}`}
        description="The photos take the visibility of the folder; those that you made private stay private."
        footer={<Button onClick={() => run({ action: 'move', folderId: null })}>Take out of folders</Button>}
      >
        <FolderList current={null} onChoose={(folder) => run({ action: 'move', folderId: folder.id })} />
      </Dialog>
      {running && <RunningDialog wanted={running} count={count} amount={amount} />}
      {summary && <SummaryDialog {...summary} list={list} onClose={() => setSummary(null)} />}
    </>
  )
}

/** It stays until the server has answered: closing it would not stop the change. */
function RunningDialog({ wanted, count, amount }: { wanted: BulkAction; count: number; amount: string }) {
  const reached = Math.min(useReached(true, wanted.action), count)
  const { running } = wordsOf(wanted)
  return (
    <Dialog open onOpenChange={() => {}} title={running} description="This may take a moment.">
      <p className="pb-2 text-sm text-muted">
        {formatNumber(reached)} of {amount}
      </p>
      <Progress value={count > 0 ? (reached / count) * 100 : 0} label={running} />
    </Dialog>
  )
}

interface SummaryDialogProps {
  wanted: BulkAction
  answer: BulkAnswer
  list: PhotoList
  onClose: () => void
}

/** What failed, by reason. The photos stay selected. */
function SummaryDialog({ wanted, answer, list, onClose }: SummaryDialogProps) {
  const words = wordsOf(wanted)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={words.failed(answer.failed.length)}
      description={answer.done.length > 0 ? `${words.done(answer.done.length)}.` : 'No photo was changed.'}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <ul className="grid gap-3">
        {failuresByReason(answer.failed).map(({ reason, ids }) => (
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

/** The titles of the first ones, as far as they are known here. */
function FailedPhotos({ ids, list }: { ids: number[]; list: PhotoList }) {
  const client = useQueryClient()
  const titles = ids.slice(0, NAMED).map((id) => titleOf(client, list, id))
  const more = ids.length - titles.length
  return (
    <p className="text-sm text-muted wrap-anywhere">
      {titles.join(', ')}
      {more > 0 && ` and ${formatNumber(more)} more`}
    </p>
  )
}

function titleOf(client: QueryClient, list: PhotoList, id: number): string {
  return photoAt(client, list, placeOf(client, list, id))?.title || `Photo ${id}`
}
