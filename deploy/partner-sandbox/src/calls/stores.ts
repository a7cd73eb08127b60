import { clockText } from '../catalog/local-time.ts'
import { dollars } from '../catalog/products.ts'
import { promise } from '../catalog/promise-time.ts'
import { type FoundStore, findStores } from '../catalog/stores.ts'
import { simulatedError } from '../state/business-error.ts'
import { type Call, COMMON_FIELDS, currentPrice, readQuantities } from './call.ts'
import type { Fields } from './fields.ts'

/** `/api/photo/store/v3`: stores within 25 miles with the time that they promise for these products. */
export function searchStores(call: Call): Fields {
  const { request, faults } = call
  request.expectOnly(...COMMON_FIELDS, 'latitude', 'longitude', 'productDetails')
  const position = { latitude: readDegrees(call, 'latitude', 90), longitude: readDegrees(call, 'longitude', 180) }
  const quantities = readQuantities(call)
  const prints = quantities.reduce((sum, { quantity }) => sum + quantity, 0)
  const cents = quantities.reduce((sum, { product, quantity }) => sum + currentPrice(call, product) * quantity, 0)
  const found = faults.get('empty-store-list') ? [] : findStores(position)
  const photoStores = found.map((store) => ({ photoStoreDetails: describe(call, store, prints, cents) }))
  return { status: 'success', errCode: '', errDesc: '', photoStores }
}

function readDegrees({ request }: Call, name: string, limit: number): number {
  const degrees = Number(request.text(name))
  if (Math.abs(degrees) <= limit) return degrees
  throw simulatedError('badValue', `${name} must be a number of degrees`)
}

function describe({ state, faults, now }: Call, { store, miles }: FoundStore, prints: number, cents: number): Fields {
  const change = faults.get('promise-time-changed')
  const promised = promise(store, now, prints, change ? (change.minutes ?? 120) : 0)
  state.promiseTimes.issue(store.storeNum, promised, now)
  const { storeNum, storeName, street, city, state: stateCode, zip, phone, timeZone } = store
  return {
    ...{ storeNum, storeName, street, city, state: stateCode, zip, phone },
    distance: miles.toFixed(1),
    distanceUnit: 'miles',
    latitude: String(store.latitude),
    longitude: String(store.longitude),
    promiseTime: promised.text,
    openTime: clockText(store.opensAt),
    closeTime: clockText(store.closesAt),
    timeZone,
    type: 'photo',
    tax: dollars(Math.round((cents * store.taxRate) / 100)),
  }
}
