import type { Photo } from '../api/types.ts'
import { createStore } from '../lib/store.ts'

/** A print of an earlier order, to be ordered again. */
export interface PrintItem {
  photoId: number
  productId: string
  productSize: string | null
  quantity: number
}

/** What the print wizard is opened with. */
export interface PrintRequest {
  photoIds: readonly number[]
  /** Those that the caller has; the others are read. A photo of another user cannot be read by its id. */
  photos?: readonly Photo[]
  /** Sizes and quantities that are already chosen. */
  items?: readonly PrintItem[]
}

/** The most photos of one order. */
export const MAX_PRINT_PHOTOS = 200

/** The request that the wizard has not taken yet. */
export const printRequest = createStore<PrintRequest | null>(null)

/** Whether the wizard is open: after a reload it may be there before the screen below it. */
export const isPrintWizardOpen = createStore(false)

/** Opens the print wizard, which is part of the frame of every screen. */
export function openPrintWizard(request: PrintRequest): void {
  printRequest.set(request)
}

/** Opens the print wizard with one photo. */
export function printPhoto(photo: Photo): void {
  openPrintWizard({ photoIds: [photo.id], photos: [photo] })
}
