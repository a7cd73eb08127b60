import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type PhotoList, photoAt, placeOf } from '../../api/photo-lists.ts'
import type { BulkAnswer } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/confirm-dialog.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Progress } from '../../components/ui/progress.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { countOf, formatNumber } from '../../lib/format.ts'
import { hasStatus, noticeOf } from '../../lib/http.ts'
import { FolderList } from '../../photos/folder-choice-dialog.tsx'
import { type BulkAction, type Counted, countAll, failuresByReason, useBulk, useReached, wordsOf } from './bulk-changes.ts'
import type { ServerFilter } from './filters.ts'
import type { useSelection } from './use-selection.ts'

/** What is asked before the selected photos are changed. `agreed`: of all photos of a list, how many that are. */
interface BulkQuestion {
  about: 'delete' | 'folder'
  agreed: Counted | null
}

const NAMED = 5

/** Runs a change of all selected photos: what it asks before, its progress, and what failed. */
export function useBulkChange(selected: ReturnType<typeof useSelection>, filter: ServerFilter) {
  const { selection } = selected
  const bulk = useBulk()
  const counting = useMutation({ mutationFn: () => countAll(selection, filter) })
  const [question, setQuestion] = useState<BulkQuestion | null>(null)
  const [summary, setSummary] = useState<{ wanted: BulkAction; answer: BulkAnswer } | null>(null)

  /** Before all of a list is changed it is counted: photos may come meanwhile, and a search is counted only so far. */
  function ask(about: BulkQuestion['about']): void {
    if (counting.isPending) return
    if (selection.kind === 'some') {
      setQuestion({ about, agreed: null })
      return
    }
    counting.mutate(undefined, {
      onSuccess: (agreed) => setQuestion({ about, agreed }),
      onError: (error) =>
        toast({
          title: 'The photos could not be counted',
          description: noticeOf(error),
          tone: 'danger',
          action: { label: 'Retry', onSelect: () => ask(about) },
        }),
    })
  }

  function run(wanted: BulkAction, agreed: Counted | null): void {
    const words = wordsOf(wanted)
    setQuestion(null)
    bulk.mutate(
      { wanted, selection, filter, agreed },
      {
        onSuccess: (answer) => {
          const done = answer.done.length
          if (done > 0) toast({ title: words.title(done), description: words.done(done) })
          if (answer.failed.length === 0) return selected.clear()
          selected.keep(answer.failed.map(({ id }) => id))
          setSummary({ wanted, answer })
        },
        onError: (error) =>
          toast({
            title: words.error,
            description: noticeOf(error),
            tone: 'danger',
            // With more photos than the user agreed to it is the question that has to be asked again.
            ...(!hasStatus(error, 409) && { action: { label: 'Retry', onSelect: () => run(wanted, agreed) } }),
          }),
      },
    )
  }

  return {
    question,
    ask,
    close: () => setQuestion(null),
    run,
    /** The change that is under way, and of how many photos. */
    running: bulk.isPending ? { wanted: bulk.variables.wanted, agreed: bulk.variables.agreed } : null,
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

export function BulkDialogs({ change, list, ...selected }: BulkDialogsProps) {
  const { question, close, run, running, summary, setSummary } = change
  // A dialog that is going keeps what it asked.
  const [asked, setAsked] = useState<BulkQuestion | null>(null)
  if (question && question !== asked) setAsked(question)
  const agreed = asked?.agreed ?? null
  const { count, amount } = agreed ? { count: agreed.count, amount: countOf(agreed.count, 'photo') } : selected
  return (
    <>
      <ConfirmDialog
        open={question?.about === 'delete'}
        onOpenChange={(open) => !open && close()}
        title={count === 1 ? 'Delete Photo' : `Delete ${amount}`}
        description={
          count === 1
            ? 'Are you sure you want to delete this photo? This action cannot be undone.'
            : `Are you sure you want to delete these ${amount}? This action cannot be undone.`
        }
        confirmLabel="Delete"
        danger
        onConfirm={() => run({ action: 'delete' }, agreed)}
      />
      <Dialog
        open={question?.about === 'folder'}
        onOpenChange={(open) => !open && close()}
        title={`Move ${amount}`}
        description="The photos take the visibility of the folder; those that you made private stay private."
        footer={<Button onClick={() => run({ action: 'move', folderId: null }, agreed)}>Take out of folders</Button>}
      >
        <FolderList current={null} onChoose={(folder) => run({ action: 'move', folderId: folder.id }, agreed)} />
      </Dialog>
      {running && (
        <RunningDialog
          wanted={running.wanted}
          count={running.agreed?.count ?? selected.count}
          amount={running.agreed ? countOf(running.agreed.count, 'photo') : selected.amount}
        />
      )}
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
