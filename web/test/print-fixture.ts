import type { PrintProduct, PrintStore } from '../src/api/print-orders.ts'
import type { Photo } from '../src/api/types.ts'
import {
  chooseStore,
  productsLoaded,
  startWizard,
  storesFound,
  type WizardState,
} from '../src/features/print-wizard/wizard-state.ts'

const USER_ID = 7

export const PRODUCTS: PrintProduct[] = [
  { productId: '6560003', productDesc: '4x6 Print', productSize: '4x6', productPrice: '0.39' },
  { productId: '6560004', productDesc: '5x7 Print', productSize: '5x7', productPrice: '2.99' },
  { productId: '6560005', productDesc: null, productSize: '8x12', productPrice: '4.99' },
]

export const STORE: PrintStore = {
  storeNum: '1234',
  storeName: 'Duluth London Road',
  street: '1 Main St',
  city: 'Duluth',
  state: 'MN',
  zip: '55804',
  phone: '218-555-0100',
  distance: '1.2',
  promiseTime: '11-22-2026 3:30 PM',
  openTime: '8:00 AM',
  closeTime: '10:00 PM',
}

export function printPhoto(id: number, change: Partial<Photo> = {}): Photo {
  return {
    id,
    userId: USER_ID,
    title: `Photo ${id}`,
    filename: `photo-${id}.jpg`,
    url: `/api/uploads/photo-${id}.jpg`,
    thumbnailUrl: `/api/uploads/thumbnail-${id}.jpg`,
    previewUrl: null,
    ...change,
  } as Photo
}

/** A wizard with photos of the user and the products. */
export function wizardWith(photos: number, items: Parameters<typeof startWizard>[2] = []): WizardState {
  const list = Array.from({ length: photos }, (_, index) => printPhoto(index + 1))
  return productsLoaded(startWizard(USER_ID, list, items), PRODUCTS)
}

/** The same with the only store chosen. */
export function withStore(state: WizardState): WizardState {
  const position = { latitude: '46.8', longitude: '-92.0' }
  return chooseStore(storesFound(state, { position, place: 'Duluth', stores: [STORE], prints: '' }), STORE.storeNum)
}
