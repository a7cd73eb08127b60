import type { QueryClient } from '@tanstack/react-query'
import { IDS_PER_REQUEST, readPhotosById } from '../../api/photo-cache.ts'
import { configQuery } from '../../api/queries.ts'
import { checkSession } from '../../api/query-client.ts'
import type { AppConfig } from '../../api/types.ts'
import { toast } from '../../components/ui/toast.tsx'
import type { ToastContent } from '../../components/ui/toast-store.ts'
import { errorMessage } from '../../lib/http.ts'
import { useStore } from '../../lib/store.ts'
import {
  changeDraft,
  closeUpload,
  type Draft,
  EMPTY_DRAFT,
  setReading,
  showQueue,
  uploadDialogState,
} from './dialog-state.ts'
import { addFiles, type FoundFile } from './file-selection.ts'
import { ERROR_TEXTS } from './queue/failure.ts'
import type { Batch, Item } from './queue/items.ts'
import { PROBLEMS } from './queue/states.ts'
import { UploadQueue } from './queue/upload-queue.ts'
import { finishToast, locationHint, sessionToast } from './texts.ts'
import { rateMemory } from './transport/device.ts'
import { uploadApi } from './transport/server.ts'
import { refreshUnfinished } from './unfinished.ts'

/** The page's only upload queue: it continues on every screen. */
export const queue = new UploadQueue(uploadApi, rateMemory, {
  onFinished: finished,
  onSignedOut: () => void sessionEnded(),
})

let client: QueryClient | null = null

/** Sets the query client whose lists the queue refreshes. */
export function connectUploads(queries: QueryClient): void {
  client = queries
}

/** Renders again when the queue has changed. */
export const useQueueVersion = () => useStore(queue.store.version)

export function startUpload(fields: Pick<Batch, 'description' | 'folderId' | 'isPublic'>, config: AppConfig): void {
  const { photos } = uploadDialogState().draft
  queue.add(photos, { ...fields, parts: config.uploads })
  changeDraft(EMPTY_DRAFT)
  showQueue()
}

export function cancelUpload(): void {
  queue.cancelAll()
  toast({ title: 'Upload cancelled', description: 'The upload was cancelled', tone: 'danger' })
}

let reading: Promise<void> = Promise.resolve()
/** Counts the users whose form it is. */
let formUsers = 0

/** Another user has signed in, who gets nothing of the form, nor of files that are still being read into it. */
export function discardForm(): void {
  formUsers += 1
  changeDraft(EMPTY_DRAFT)
  closeUpload()
}

/** Adds files to the form, one selection at a time: each to what the form contains then. */
export function addToForm(chosen: Iterable<FoundFile> | AsyncIterable<FoundFile>): void {
  const mine = formUsers
  const change = (draft: Partial<Draft>) => mine === formUsers && changeDraft(draft)
  reading = reading.then(async () => {
    try {
      setReading(true)
      const config = await client?.ensureQueryData(configQuery)
      if (config) change(await addFiles(uploadDialogState().draft, chosen, config, change))
    } catch (error) {
      toast({ title: 'Upload failed', description: errorMessage(error, ERROR_TEXTS.other), tone: 'danger' })
    } finally {
      setReading(false)
    }
  })
}

function finished(items: Item[]): void {
  const content = finishToast(items)
  if (client) void refreshUnfinished(client)
  for (const key of ['photos', 'folder-photos', 'folders', 'folder']) client?.invalidateQueries({ queryKey: [key] })
  if (content) void show({ ...content, action: content.tone === 'good' ? undefined : nextStep(items, content) }, items)
  // The list leads to photos that were there before. Problems of an earlier upload must stay visible, too.
  if (content?.tone === 'neutral' || queue.store.count(PROBLEMS) > 0 || queue.notes.size > 0) return
  queue.dismiss()
  if (uploadDialogState().view === 'queue') closeUpload()
}

async function show(content: ToastContent, items: Item[]): Promise<void> {
  toast({ ...content, note: await locationNote(items) })
}

/** The toast waits no longer for its note. */
const NOTE_TIMEOUT_MS = 3_000

/** How to keep the location, on a phone when no photo has one. Its picker treats all photos alike, so some stand for thousands. */
async function locationNote(items: Item[]): Promise<string | undefined> {
  const hint = locationHint(navigator)
  const ids = items.flatMap(({ state }) => (state.name === 'ready' ? [state.photoId] : [])).slice(0, IDS_PER_REQUEST)
  if (hint === null || ids.length === 0) return undefined
  const photos = await readPhotosById(ids, NOTE_TIMEOUT_MS).catch(() => [])
  return photos.length > 0 && photos.every(({ latitude }) => latitude === null) ? hint : undefined
}

/** A refused file is refused again, and one without room stays so until photos are deleted: the list says what helps. */
function nextStep(items: readonly Item[], { tone }: ToastContent): ToastContent['action'] {
  const { open, view } = uploadDialogState()
  const isListed = open && view === 'queue'
  const canRetry = items.some(({ state }) => state.name === 'failed')
  if (canRetry && (isListed || tone === 'danger')) return { label: 'Retry', onSelect: () => queue.retryFailed() }
  return isListed ? undefined : { label: 'Show list', onSelect: showQueue }
}

async function sessionEnded(): Promise<void> {
  if (client && (await checkSession(client))) queue.sessionKept()
  else toast(sessionToast(queue.hasUnsent))
}
