import type { QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { userQuery } from '../../api/queries.ts'
import { toast } from '../../components/ui/toast.tsx'
import { countOf, formatNumber } from '../../lib/format.ts'
import type { SendProgress } from './groups.ts'
import { failureNotice, type Notice, refusalNotice, successNotice } from './notices.ts'
import { followProcessing, type Processing } from './processing.ts'
import { sendByXhr, type UploadFields } from './send.ts'
import { type Sent, sendAll } from './send-all.ts'

/** What the form holds. */
export interface Draft {
  files: File[]
  /** Sentences about chosen files that cannot be sent. */
  leftOut: string[]
  description: string
  folderId: number | null
  /** Null until the user chooses: until then the preference holds. */
  isPublic: boolean | null
}

export type UploadPhase =
  | { name: 'choosing'; problem: Notice | null }
  | { name: 'sending'; progress: SendProgress; files: number }
  | { name: 'processing'; processing: Processing }
  /** Some files were refused or could not be processed. */
  | { name: 'report'; stored: number; issues: string[] }

export interface UploadSession {
  open: boolean
  draft: Draft
  phase: UploadPhase
}

const NO_DRAFT: Draft = { files: [], leftOut: [], description: '', folderId: null, isPublic: null }
const CHOOSING: UploadPhase = { name: 'choosing', problem: null }

// One upload at a time for the whole app: it goes on when the dialog is closed or another screen is opened.
let session: UploadSession = { open: false, draft: NO_DRAFT, phase: CHOOSING }
let cancelled = new AbortController()
const listeners = new Set<() => void>()

function update(change: Partial<UploadSession>): void {
  session = { ...session, ...change }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useUploadSession(): UploadSession {
  return useSyncExternalStore(subscribe, () => session)
}

/** Opens the dialog; a folder is chosen beforehand where the way led from one. */
export function openUpload(folderId: number | null = null): void {
  update({ open: true, draft: folderId === null ? session.draft : { ...session.draft, folderId } })
}

/** Closes the dialog. A running upload goes on; otherwise the form and its previews are forgotten. */
export function closeUpload(): void {
  const running = session.phase.name === 'sending' || session.phase.name === 'processing'
  update(running ? { open: false } : { open: false, draft: NO_DRAFT, phase: CHOOSING })
}

/** Hides the dialog and keeps all it holds: another screen is opened. */
export function hideUpload(): void {
  update({ open: false })
}

/** Cancels what is being sent; what has been stored stays. */
export function cancelUpload(): void {
  cancelled.abort()
}

/** Offers the empty form again while photos are processed; their notice comes all the same. */
export function uploadMore(): void {
  update({ draft: NO_DRAFT, phase: CHOOSING })
}

/** What the user typed or chose. It is kept here, so that it outlives the dialog when the session ends. */
export function changeDraft(change: Partial<Draft>): void {
  update({ draft: { ...session.draft, ...change } })
}

/** Sends the draft's files, then follows their processing to the end. */
export async function startUpload(client: QueryClient, fields: UploadFields, filesPerRequest: number): Promise<void> {
  const { draft } = session
  cancelled = new AbortController()
  addEventListener('beforeunload', askBeforeLeaving)
  const sent = await sendAll(draft.files, fields, {
    filesPerRequest,
    send: sendByXhr,
    signal: cancelled.signal,
    onProgress: (progress) => update({ phase: { name: 'sending', progress, files: draft.files.length } }),
  })
  removeEventListener('beforeunload', askBeforeLeaving)
  if (sent.photoIds.length > 0) refreshLists(client)
  if (sent.failure) return stopped(client, draft, sent)
  if (sent.photoIds.length === 0) return refused(draft, sent)
  process(client, sent)
}

function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault()
}

/** A failure: the files that were not sent stay in the form, for another try. */
function stopped(client: QueryClient, draft: Draft, sent: Sent): void {
  if (!sent.failure) return
  const notice = failureNotice(sent.failure, draft.files.length)
  if (sent.failure.reason === 'signed-out') client.setQueryData(userQuery.queryKey, null)
  update({
    draft: { ...draft, files: sent.unsent, leftOut: sent.issues },
    phase: { name: 'choosing', problem: { ...notice, description: withRest(notice.description, sent) } },
  })
  const retry = { label: 'Retry', onSelect: () => openUpload() }
  toast({ ...notice, tone: 'danger', ...(!session.open && { action: retry }) })
}

function withRest(description: string, { photoIds, unsent }: Sent): string {
  if (photoIds.length === 0) return description
  const sentence = description.endsWith('.') ? description : `${description}.`
  return `${sentence} ${countOf(photoIds.length, 'photo')} stored, ${formatNumber(unsent.length)} still to be sent.`
}

/** None of the files was acceptable. */
function refused(draft: Draft, sent: Sent): void {
  toast({ ...refusalNotice(sent.refusal, sent.issues, draft.files.length), tone: 'danger' })
  update({ draft: NO_DRAFT, phase: { name: 'report', stored: 0, issues: sent.issues } })
}

function process(client: QueryClient, sent: Sent): void {
  const total = sent.photoIds.length
  let phase: UploadPhase = { name: 'processing', processing: { total, finished: 0, issues: [] } }
  update({ draft: NO_DRAFT, phase })
  followProcessing(client, sent.photoIds, (processing) => {
    // The dialog may have gone on to the next upload.
    const shown = session.phase === phase
    if (processing.finished < total) {
      phase = { name: 'processing', processing }
      if (shown) update({ phase })
      return
    }
    refreshLists(client)
    finished(total, [...sent.issues, ...processing.issues], processing.issues.length, shown)
  })
}

function finished(total: number, issues: string[], failed: number, shown: boolean): void {
  const ready = total - failed
  if (ready > 0) toast(successNotice(ready))
  else toast({ ...refusalNotice(null, issues, total), tone: 'danger' })
  if (!shown) return
  if (issues.length === 0) update({ open: false, phase: CHOOSING })
  else update({ open: true, phase: { name: 'report', stored: ready, issues } })
}

function refreshLists(client: QueryClient): void {
  for (const key of ['photos', 'folder-photos', 'folders', 'folder']) client.invalidateQueries({ queryKey: [key] })
}
