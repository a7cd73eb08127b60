import { createStore, useStore } from '../../lib/store.ts'
import type { ChosenFile } from './queue/items.ts'

/** What the user has chosen so far. */
export interface FileSelection {
  photos: readonly ChosenFile[]
  bytes: number
  /** One sentence for each chosen file that cannot be uploaded. */
  issues: readonly string[]
  /** Files in chosen folders that are not photos. */
  skipped: number
}

export const EMPTY_SELECTION: FileSelection = { photos: [], bytes: 0, issues: [], skipped: 0 }

/** The content of the form. It is kept outside the dialog, so that it survives the end of the session. */
export interface Draft extends FileSelection {
  description: string
  folderId: number | null
  /** Null until the user chooses: then the preference applies. */
  isPublic: boolean | null
}

interface UploadDialogState {
  open: boolean
  /** The form, or the list of files. */
  view: 'form' | 'queue'
  draft: Draft
  /** Chosen files are still being read. */
  reading: boolean
}

const EMPTY_DRAFT: Draft = { ...EMPTY_SELECTION, description: '', folderId: null, isPublic: null }

const state = createStore<UploadDialogState>({ open: false, view: 'form', draft: EMPTY_DRAFT, reading: false })

function update(change: Partial<UploadDialogState>): void {
  state.set({ ...state.get(), ...change })
}

export function useUploadDialogState(): UploadDialogState {
  return useStore(state)
}

/** The current state. */
export const uploadDialogState = state.get

/** Opens the dialog with the form; the folder is preselected when the user came from one. */
export function openUpload(folderId: number | null = null): void {
  update({ open: true, view: 'form' })
  if (folderId !== null) changeDraft({ folderId })
}

/** Opens the dialog with the list of files. */
export function showQueue(): void {
  update({ open: true, view: 'queue' })
}

/** Closes the dialog. The upload continues. */
export function closeUpload(): void {
  update({ open: false })
}

/** Changes what the user typed or chose. */
export function changeDraft(change: Partial<Draft>): void {
  update({ draft: { ...state.get().draft, ...change } })
}

/** Clears the form. */
export function clearDraft(): void {
  update({ draft: EMPTY_DRAFT })
}

export function setReading(reading: boolean): void {
  update({ reading })
}
