import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { subscribeHints } from '../../api/live-events.ts'
import { indexOfPhoto, photoAt } from '../../api/photo-cache.ts'
import type { PhotoList } from '../../api/photo-lists.ts'
import { foldersQuery } from '../../api/queries.ts'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/confirm-dialog.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Progress } from '../../components/ui/loading.tsx'
import { countOf, formatNumber } from '../../lib/format.ts'
import { FolderList } from '../folder-choice-dialog.tsx'
import { deletionQuestion } from '../grid/photo-dialogs.tsx'
import { type BulkAction, type BulkChange, type BulkQuestion, bulkTexts } from './bulk-changes.ts'
import type { PhotoSelection } from './selection.ts'

const MAX_TITLES = 5

export function BulkDialogs(props: { change: BulkChange; selected: PhotoSelection; list: PhotoList }) {
  const { change, selected, list } = props
  const { question, close, run, running, summary, setSummary } = change
  // A closing dialog keeps its texts.
  const [lastQuestion, setLastQuestion] = useState<BulkQuestion | null>(null)
  if (question && question !== lastQuestion) setLastQuestion(question)
  const confirmed = lastQuestion?.confirmed ?? null
  const hasFolders = useQuery(foldersQuery).data?.length !== 0
  const count = confirmed?.count ?? selected.count
  const label = confirmed ? countOf(confirmed.count, 'photo') : selected.amount
  return (
    <>
      <ConfirmDialog
        open={question?.about === 'delete'}
        onOpenChange={(open) => !open && close()}
        title={count === 1 ? 'Delete Photo' : `Delete ${label}`}
        description={deletionQuestion(count, label, selected.hasPairs())}
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
      {running && <RunningDialog {...running} />}
      {summary && <SummaryDialog {...summary} list={list} onClose={() => setSummary(null)} />}
    </>
  )
}

/** Stays open until the server has responded: closing it would not stop the change. */
function RunningDialog({ requested, title, count, label }: NonNullable<BulkChange['running']>) {
  const reached = Math.min(useChangedCount(requested.action), count)
  return (
    <Dialog open onOpenChange={() => {}} title={title} description="This may take a moment.">
      <p className="pb-2 text-sm tabular-nums text-muted">{`${formatNumber(reached)} of ${label}`}</p>
      <Progress value={count > 0 ? (reached / count) * 100 : 0} label={title} />
    </Dialog>
  )
}

/** The number of photos that a running change has processed, by live events; 0 without them. */
function useChangedCount(action: BulkAction['action']): number {
  const [count, setCount] = useState(0)
  useEffect(() => {
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
    }
  }, [action])
  return count
}

type SummaryDialogProps = NonNullable<BulkChange['summary']> & { list: PhotoList; onClose: () => void }

/** The failures by the server's reason. Their photos stay selected. */
function SummaryDialog({ requested, result, list, onClose }: SummaryDialogProps) {
  const { photos: changed, failed } = result
  const byReason = Map.groupBy(failed, ({ message }) => message)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={bulkTexts(requested, failed.length).failed}
      description={changed > 0 ? `${bulkTexts(requested, changed).done}.` : 'No photo was changed.'}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <ul className="grid gap-3">
        {[...byReason].map(([reason, photos]) => (
          <li key={reason}>
            <p className="font-semibold text-danger">
              <span>{reason}</span>{' '}
              <span className="font-normal text-muted">{`(${countOf(photos.length, 'photo')})`}</span>
            </p>
            <FailedPhotos ids={photos.map(({ id }) => id)} list={list} />
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

/** The titles of the first photos, as far as they are cached. */
function FailedPhotos({ ids, list }: { ids: number[]; list: PhotoList }) {
  const client = useQueryClient()
  const titles = ids
    .slice(0, MAX_TITLES)
    .map((id) => photoAt(client, list, indexOfPhoto(client, list, id))?.title || `Photo ${id}`)
  const more = ids.length - titles.length
  return (
    <p className="text-sm text-muted wrap-anywhere">
      {titles.join(', ') + (more > 0 ? ` and ${formatNumber(more)} more` : '')}
    </p>
  )
}
