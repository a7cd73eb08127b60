import { useSyncExternalStore } from 'react'
import type { Chosen } from './file-selection/add-files.ts'

/** What the form holds. It lives outside the dialog, so that it outlives it when the session ends. */
export interface Draft {
  photos: readonly Chosen[]
  bytes: number
  leftOut: readonly string[]
  skipped: number
  description: string
  folderId: number | null
  /** Null until the user chooses: until then the preference holds. */
  isPublic: boolean | null
}

interface UploadView {
  open: boolean
  /** The form, or the files on their way. */
  view: 'form' | 'queue'
  draft: Draft
  /** Chosen files are still being looked at. */
  reading: boolean
}

const NO_DRAFT: Draft = {
  photos: [],
  bytes: 0,
  leftOut: [],
  skipped: 0,
  description: '',
  folderId: null,
  isPublic: null,
}

let current: UploadView = { open: false, view: 'form', draft: NO_DRAFT, reading: false }
const listeners = new Set<() => void>()

function update(change: Partial<UploadView>): void {
  current = { ...current, ...change }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useUploadView(): UploadView {
  return useSyncExternalStore(subscribe, () => current)
}

/** What is shown and held just now. */
export function uploadView(): UploadView {
  return current
}

/** Opens the dialog with the form; a folder is chosen beforehand where the way led from one. */
export function openUpload(folderId: number | null = null): void {
  update({ open: true, view: 'form' })
  if (folderId !== null) changeDraft({ folderId })
}

/** Opens the dialog with the files on their way. */
export function showQueue(): void {
  update({ open: true, view: 'queue' })
}

/** Closes the dialog. What is on its way goes on. */
export function closeUpload(): void {
  update({ open: false })
}

/** What the user typed or chose. */
export function changeDraft(change: Partial<Draft>): void {
  update({ draft: { ...current.draft, ...change } })
}

/** True while the form holds nothing that would have to be chosen or typed again. */
export function isEmpty({ photos, leftOut, description }: Draft): boolean {
  return photos.length === 0 && leftOut.length === 0 && description === ''
}

/** Empties the form. */
export function forgetDraft(): void {
  update({ draft: NO_DRAFT })
}

export function setReading(reading: boolean): void {
  update({ reading })
}
