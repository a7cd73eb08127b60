import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useId, useState } from 'react'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/confirm-dialog.tsx'
import { toastFailure } from '../../components/ui/toast.tsx'
import { countOf } from '../../lib/format.ts'
import {
  announcement,
  countPhotos,
  discardUploads,
  discardWarning,
  movingSentence,
  namesOf,
  sortUnfinished,
  stoppedSentence,
  type UnfinishedUpload,
  unfinishedQuery,
} from './unfinished.ts'
import { queue, useQueueVersion } from './upload-actions.ts'

/**
 * Says that photos of an earlier visit, or of another browser, are stored in part, and how to continue. Those that are
 * stored completely are completed, and then in the list of files.
 */
export function UnfinishedUploads() {
  useQueueVersion()
  const { data } = useQuery(unfinishedQuery)
  // Without those that are in the list of files.
  const listed = queue.store.hashes
  const others = data?.filter(({ sha256 }) => !listed.has(sha256)) ?? []
  const { stopped, moving, stored } = sortUnfinished(others, (id) => queue.couldNotFinish(id))
  const discarding = useDiscarding(stopped)
  const finish = useEffectEvent(() => queue.finish(stored))
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was just read, not what the queue did meanwhile
  useEffect(() => finish(), [data])
  return (
    <>
      <p role="status" className="sr-only">
        {(discarding.isDone ? 'Discarded. ' : '') + announcement(stopped, moving)}
      </p>
      {(stopped.length > 0 || moving.length > 0) && (
        <section aria-label="Unfinished uploads" className="grid gap-2 rounded-md bg-warn-soft px-4 py-3 text-sm">
          {stopped.length > 0 && <Stopped uploads={stopped} onDiscard={discarding.ask} />}
          {moving.length > 0 && <p className="font-semibold text-pretty">{movingSentence(moving)}</p>}
        </section>
      )}
      <ConfirmDialog {...discarding.question} cancelLabel="Keep" confirmLabel="Discard" danger />
    </>
  )
}

function Stopped({ uploads, onDiscard }: { uploads: readonly UnfinishedUpload[]; onDiscard: () => void }) {
  const id = useId()
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <p id={id} className="min-w-0 flex-1 basis-52 text-pretty">
        <span className="font-semibold">{stoppedSentence(uploads)}</span>{' '}
        <span>{`Choose the same ${uploads.length === 1 ? 'file' : 'files'} again; only what is missing is sent.`}</span>
        <span className="block wrap-anywhere text-muted">{namesOf(uploads)}</span>
      </p>
      <Button size="small" className="shrink-0" aria-describedby={id} onClick={onDiscard}>
        Discard
      </Button>
    </div>
  )
}

function useDiscarding(uploads: readonly UnfinishedUpload[]) {
  const client = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  // The dialog still closes when these are gone.
  const [asked, setAsked] = useState(uploads)
  const { mutate, reset, isPending, isSuccess } = useMutation({
    mutationFn: () => discardUploads(client, uploads),
    onError: (error) => toastFailure('Not discarded', error),
    onSettled: () => setAsking(false),
  })
  const current = isPending || uploads.length === 0 ? asked : uploads

  function ask(): void {
    setAsked(uploads)
    reset()
    setAsking(true)
    // One that is being sent elsewhere leaves the question.
    void client.invalidateQueries({ queryKey: unfinishedQuery.queryKey })
  }

  const question = {
    open: isAsking && (isPending || uploads.length > 0),
    onOpenChange: setAsking,
    title: `Discard ${countOf(countPhotos(current), 'unfinished photo')}?`,
    description: discardWarning(current),
    busy: isPending,
    onConfirm: () => {
      setAsked(uploads)
      mutate()
    },
  }
  return { ask, isDone: isSuccess, question }
}
