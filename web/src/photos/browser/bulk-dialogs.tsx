import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { indexOfPhoto, photoAt } from '../../api/photo-cache.ts'
import type { PhotoList } from '../../api/photo-lists.ts'
import { foldersQuery } from '../../api/queries.ts'
import type { BulkResult } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/confirm-dialog.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Progress } from '../../components/ui/loading.tsx'
import { countOf, formatNumber } from '../../lib/format.ts'
import { FolderList } from '../folder-choice-dialog.tsx'
import { type BulkAction, bulkTexts, failuresByReason, useChangedCount } from './bulk-changes.ts'
import type { BulkQuestion, useBulkChange } from './use-bulk-change.ts'

const MAX_TITLES = 5

interface BulkDialogsProps {
  change: ReturnType<typeof useBulkChange>
  count: number
  /** The count in words. */
  label: string
  list: PhotoList
}

export function BulkDialogs({ change, list, ...selected }: BulkDialogsProps) {
  const { question, close, run, running, undoing, summary, setSummary } = change
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
          title={bulkTexts(running.requested).running}
          action={running.requested.action}
          count={running.confirmed?.count ?? selected.count}
          label={running.confirmed ? countOf(running.confirmed.count, 'photo') : selected.label}
        />
      )}
      {undoing && (
        <RunningDialog
          title="Undoing the change"
          action={undoing.requested.action}
          count={undoing.count}
          label={countOf(undoing.count, 'photo')}
        />
      )}
      {summary && <SummaryDialog {...summary} list={list} onClose={() => setSummary(null)} />}
    </>
  )
}

/** Stays open until the server has responded: closing it would not stop the change. */
function RunningDialog(props: { title: string; action: BulkAction['action']; count: number; label: string }) {
  const { title, action, count, label } = props
  const reached = Math.min(useChangedCount(true, action), count)
  return (
    <Dialog open onOpenChange={() => {}} title={title} description="This may take a moment.">
      <p className="pb-2 text-sm tabular-nums text-muted">
        {formatNumber(reached)} of {label}
      </p>
      <Progress value={count > 0 ? (reached / count) * 100 : 0} label={title} />
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
