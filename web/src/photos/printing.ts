import { useQuery } from '@tanstack/react-query'
import { configQuery } from '../api/queries.ts'
import type { Photo } from '../api/types.ts'
import { remember } from '../lib/remember.ts'
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

const MAX_PRINT_PHOTOS = 200

/** The request that the wizard has not taken yet. */
export const printRequest = createStore<PrintRequest | null>(null)

/** Whether the wizard is open: after a reload it may be there before the screen below it. */
export const isPrintWizardOpen = createStore(false)

/** Opens the print wizard, which is part of the frame of every screen. */
export function openPrintWizard(request: PrintRequest): void {
  printRequest.set(request)
}

export function printPhoto(photo: Photo): void {
  openPrintWizard({ photoIds: [photo.id], photos: [photo] })
}

/** Where this browser keeps the store that a user chose last. */
export const lastStoreKey = (userId: number) => `skyfolio-print-store-${userId}`

/** To be called when the user logs out: the next one at this browser does not learn where the prints were picked up. */
export function forgetLastStore(userId: number): void {
  remember(lastStoreKey(userId), null)
}

/** The service may become available or unavailable at any time. */
const FRESH_MS = 30_000
/** While it is unavailable, so that the button comes back by itself. */
const UNAVAILABLE_MS = 10_000

/**
 * Whether prints of so many photos can be ordered now; `reason` says why not, `sandbox` that they go to the partner's. Until it is known
 * they can: the wizard itself says if they cannot.
 */
export function usePrinting(photos = 1) {
  const { data } = useQuery({
    ...configQuery,
    staleTime: FRESH_MS,
    refetchInterval: ({ state }) => (state.data?.printing.available === false ? UNAVAILABLE_MS : false),
  })
  const { available, sandbox } = data?.printing ?? { available: true, sandbox: false }
  const tooMany = photos > MAX_PRINT_PHOTOS ? `An order can have at most ${MAX_PRINT_PHOTOS} photos.` : null
  return { available, sandbox, reason: available ? tooMany : 'Prints cannot be ordered right now.' }
}
