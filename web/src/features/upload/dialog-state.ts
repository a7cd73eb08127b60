import { createStore } from '../../lib/store.ts'
import { useStore } from '../../lib/use-store.ts'
import type { ChosenFile } from './file-selection/add-files.ts'

/** What the form holds. It lives outside the dialog, so that it outlives it when the session ends. */
export interface Draft {
  photos: readonly ChosenFile[]
  bytes: number
  issues: readonly string[]
  skipped: number
  description: string
  folderId: number | null
  /** Null until the user chooses: until then the preference holds. */
  isPublic: boolean | null
}

interface UploadDialogState {
  open: boolean
  /** The form, or the files on their way. */
  view: 'form' | 'queue'
  draft: Draft
  /** Chosen files are still being looked at. */
  reading: boolean
}

const EMPTY_DRAFT: Draft = {
  photos: [],
  bytes: 0,
  issues: [],
  skipped: 0,
  description: '',
  folderId: null,
  isPublic: null,
}

const state = createStore<UploadDialogState>({ open: false, view: 'form', draft: EMPTY_DRAFT, reading: false })

function update(change: Partial<UploadDialogState>): void {
  state.set({ ...state.get(), ...change })
}

export function useUploadDialogState(): UploadDialogState {
  return useStore(state)
}

/** What is shown and held just now. */
export function uploadDialogState(): UploadDialogState {
  return state.get()
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
  update({ draft: { ...state.get().draft, ...change } })
}

/** True while the form holds nothing that would have to be chosen or typed again. */
export function isEmpty({ photos, issues, description }: Draft): boolean {
  return photos.length === 0 && issues.length === 0 && description === ''
}

/** Empties the form. */
export function clearDraft(): void {
  update({ draft: EMPTY_DRAFT })
}

export function setReading(reading: boolean): void {
  update({ reading })
}
