import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Call } from '../call.ts'
import { Scalar, textOf, textsOf } from '../fields.ts'
import type { Store, StoreSearch } from '../types.ts'

const Response = Type.Object({ photoStores: Type.Union([Type.Array(Type.Unknown()), Type.Null()]) })
const Entry = Type.Object({ photoStoreDetails: Type.Object({ storeNum: Scalar }) })
const OPTIONAL_FIELDS = [
  'storeName',
  'street',
  'city',
  'state',
  'zip',
  'phone',
  'distance',
  'distanceUnit',
  'latitude',
  'longitude',
  'promiseTime',
  'openTime',
  'closeTime',
  'timeZone',
  'type',
  'tax',
] as const

export function storesCall({ latitude, longitude, items }: StoreSearch): Call<Store[]> {
  const productDetails = items.map(({ productId, quantity }) => ({ productId, qty: String(quantity) }))
  return {
    name: 'stores',
    path: '/api/photo/store/v3',
    body: { act: 'photoStores', latitude, longitude, productDetails },
    read: readStores,
  }
}

/** Stores without a number cannot be chosen and are left out. */
function readStores(response: unknown): Store[] | null {
  if (!Value.Check(Response, response)) return null
  const entries = response.photoStores ?? []
  const stores = entries.map(readStore).filter((store) => store !== null)
  return stores.length === 0 && entries.length > 0 ? null : stores
}

function readStore(entry: unknown): Store | null {
  if (!Value.Check(Entry, entry)) return null
  const storeNum = textOf(entry.photoStoreDetails.storeNum)
  return storeNum === null ? null : { storeNum, ...textsOf(entry.photoStoreDetails, OPTIONAL_FIELDS) }
}
