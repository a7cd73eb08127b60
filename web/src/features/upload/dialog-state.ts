import { createStore, useStore } from '../../lib/store.ts'
import type { ChosenFile } from './queue/items.ts'

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

export const EMPTY_DRAFT: Draft = { ...EMPTY_SELECTION, description: '', folderId: null, isPublic: null }

const state = createStore({
  open: false,
  /** The form, or the list of files. */
  view: 'form' as 'form' | 'queue',
  draft: EMPTY_DRAFT,
  /** Chosen files are still being read. */
  reading: false,
})

function update(change: Partial<ReturnType<typeof state.get>>): void {
  state.set({ ...state.get(), ...change })
}

export const uploadDialogState = state.get
export const useUploadDialogState = () => useStore(state)

/** Opens the dialog with the form; the folder is preselected when the user came from one. */
export function openUpload(folderId: number | null = null): void {
  update({ open: true, view: 'form' })
  if (folderId !== null) changeDraft({ folderId })
}

export function showQueue(): void {
  update({ open: true, view: 'queue' })
}

/** Closes the dialog. The upload continues. */
export function closeUpload(): void {
  update({ open: false })
}

export function changeDraft(change: Partial<Draft>): void {
  update({ draft: { ...state.get().draft, ...change } })
}

export function setReading(reading: boolean): void {
  update({ reading })
}
