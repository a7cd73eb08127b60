import type { QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { configQuery, userQuery } from '../../api/queries.ts'
import type { AppConfig } from '../../api/types.ts'
import { toast } from '../../components/ui/toast.tsx'
import { noticeOf } from '../../lib/http.ts'
import { type Batch, type Item, PROBLEMS } from './queue/item.ts'
import { UploadQueue } from './queue/upload-queue.ts'
import { dropped, type Found, listed } from './file-selection/read-entries.ts'
import { sift } from './file-selection/add-files.ts'
import { CANCELLED, finishNotice, sessionNotice } from './notices.ts'
import { changeDraft, closeUpload, forgetDraft, setReading, showQueue, uploadView } from './dialog-state.ts'
import { server } from './transport/upload-api.ts'
import { WORDS } from './error-texts.ts'

/** The one queue of the page: it goes on whatever screen is shown. */
export const queue = new UploadQueue(server, { onFinished: finished, onSignedOut: sessionEnded })

let client: QueryClient | null = null

/** Tells the queue which lists to refresh. */
export function connectUploads(queries: QueryClient): void {
  client = queries
}

/** Renders again when the queue has changed. */
export function useQueueVersion(): number {
  return useSyncExternalStore(queue.board.subscribe, () => queue.board.version)
}

/** Sends the chosen photos, and shows how they fare. */
export function startUpload(fields: Pick<Batch, 'description' | 'folderId' | 'isPublic'>, config: AppConfig): void {
  const { photos } = uploadView().draft
  queue.add(photos, { ...fields, single: photos.length === 1, filesPerRequest: config.limits.filesPerUpload })
  forgetDraft()
  showQueue()
}

export function cancelUpload(): void {
  queue.cancelAll()
  toast(CANCELLED)
}

let intake: Promise<void> = Promise.resolve()

/** Takes the files of a file or folder dialog into the form. */
export function takeFiles(files: readonly File[]): void {
  takeIn(listed(files))
}

/** Takes what was dropped into the form, folders with all that lies in them. */
export function takeDrop(data: DataTransfer): void {
  takeIn(dropped(data))
}

/** One choice after the other: each is added to what the form then holds. */
function takeIn(chosen: Iterable<Found> | AsyncIterable<Found>): void {
  intake = intake.then(async () => {
    try {
      setReading(true)
      const config = await client?.ensureQueryData(configQuery)
      if (config) changeDraft(await sift(uploadView().draft, chosen, config, changeDraft))
    } catch (error) {
      toast({ title: 'Upload failed', description: noticeOf(error, WORDS.other), tone: 'danger' })
    } finally {
      setReading(false)
    }
  })
}

function finished(items: Item[]): void {
  const notice = finishNotice(items, queue.refusal)
  queue.refusal = null
  refreshLists()
  const canRetry = items.some(({ state }) => state.name === 'failed' || state.name === 'unprocessed')
  const retry = canRetry && { action: { label: 'Retry', onSelect: () => queue.retryFailed() } }
  if (notice) toast({ ...notice, ...retry })
  // Those of an earlier upload are still to be looked at, too.
  if (queue.board.count(PROBLEMS) > 0 || queue.notes.size > 0) return
  queue.dismiss()
  if (uploadView().view === 'queue') closeUpload()
}

function sessionEnded(): void {
  client?.setQueryData(userQuery.queryKey, null)
  toast(sessionNotice(queue.hasUnsent))
}

function refreshLists(): void {
  for (const key of ['photos', 'folder-photos', 'folders', 'folder']) client?.invalidateQueries({ queryKey: [key] })
}
