import type { QueryClient } from '@tanstack/react-query'
import { geocode, reverseGeocode } from '../../../api/geocode.ts'
import { searchStores } from '../../../api/print-orders.ts'
import type { Coordinates } from '../../../lib/coordinates.ts'
import { remember, rememberedValue } from '../../../lib/remember.ts'
import { lastStoreKey } from '../../../photos/printing.ts'
import { chosenStore, quantities } from '../order.ts'
import { lastStoreFound, storesFound, type WizardState, withError } from '../wizard-state.ts'
import { activity, change, currentSession, draft, type Session } from '../wizard-store.ts'
import { reportError, run } from './run.ts'

const PROGRESS = 50
const NOT_FOUND = 'Unable to find location. Please check your entry and try again.'

export async function findStoresByText(client: QueryClient): Promise<void> {
  const text = draft.get()?.search.text.trim() ?? ''
  if (text === '') return change(withError, 'Please enter a ZIP code, city, or state to find stores.')
  stopLocating()
  await search(client, 'stores', 'Looking up the location...', async (session) => {
    const found = await geocode(text).catch((error: unknown) => {
      reportError(client, session, error, NOT_FOUND)
      return null
    })
    return found && { position: found, place: found.display_name }
  })
}

let locating = new AbortController()

/** Gives up waiting for the browser's position: the user may leave its question open. */
export function stopLocating(): void {
  if (activity.get().busy !== 'locate') return
  locating.abort()
  currentSession().setBusy(null)
}

/** `isAutomatic`: nobody has asked for it, so it does not complain that the browser does not tell its position. */
export async function findStoresHere(client: QueryClient, isAutomatic = false): Promise<void> {
  if (activity.get().busy) return
  const stopped = new AbortController()
  locating = stopped
  const text = 'Finding your location...'
  async function locate(session: Session): ReturnType<Locate> {
    const position = await currentPosition()
    if (stopped.signal.aborted) return null
    if (typeof position === 'string') {
      if (!isAutomatic) session.change(withError, position)
      return null
    }
    session.setBusy('stores', PROGRESS, text)
    // The name of the place is only shown: without it the search goes on.
    const place = await reverseGeocode(position).catch(() => null)
    return { position, place: place?.display_name ?? null }
  }
  await search(client, 'locate', text, locate, stopped.signal)
}

/** Keeps the chosen store for the next order. The partner finds a store only by its position. */
export function rememberStore(): void {
  const order = draft.get()
  const { storeNum, latitude, longitude } = (order && chosenStore(order)) ?? {}
  if (order && latitude && longitude) {
    remember(lastStoreKey(order.userId), JSON.stringify({ storeNum, latitude, longitude }))
  }
}

type LastStore = Coordinates & { storeNum: string }

/** Reads the store that the user chose last, with its promise time for these prints, again when they change meanwhile. */
export async function findLastStore(): Promise<void> {
  const session = currentSession()
  const order = session.order()
  const last = order && rememberedValue<LastStore>(lastStoreKey(order.userId))
  if (!last || order.lastStore?.prints === printsOf(order) || activity.get().findingLastStore) return
  // What it said about other prints does not hold.
  session.change(lastStoreFound, null)
  session.setFindingLastStore(true)
  while ((await askLastStore(session, last)) === 'outdated') {
    // The next round asks about the present prints.
  }
  session.setFindingLastStore(false)
}

async function askLastStore(session: Session, last: LastStore): Promise<'done' | 'outdated'> {
  const order = session.order()
  if (!order) return 'done'
  const { storeNum, latitude, longitude } = last
  const prints = printsOf(order)
  // Without it the user searches, as for a first order.
  const stores = await searchStores({ latitude, longitude }, quantities(order)).catch(() => [])
  const now = session.order()
  if (now && printsOf(now) !== prints) return 'outdated'
  const store = stores.find((found) => found.storeNum === storeNum)
  // Its distance is that from itself.
  session.change(lastStoreFound, store ? { store: { ...store, distance: null }, prints } : null)
  return 'done'
}

/** The prints that stores are asked about, to compare them. */
const printsOf = (order: WizardState) => JSON.stringify(quantities(order))

/** Asks the stores near the same position again, when the order has other prints than those they were asked about. */
export function findStoresAgain(client: QueryClient): Promise<void> {
  const { position = null, place = null } = draft.get()?.search ?? {}
  return search(client, 'stores', 'Searching stores...', async () => position && { position, place })
}

/** True when the stores were asked about other prints than those of the order. */
export function storesAreOutdated(): boolean {
  const order = draft.get()
  return order?.search.stores != null && order.search.prints !== printsOf(order)
}

type Locate = (session: Session) => Promise<{ position: Coordinates; place: string | null } | null>

async function search(
  client: QueryClient,
  busy: 'locate' | 'stores',
  text: string,
  locate: Locate,
  stopped?: AbortSignal,
): Promise<void> {
  await run(client, { busy, failed: 'Store search failed', stopped }, async (session, order) => {
    session.setBusy(busy, PROGRESS, text)
    const located = await locate(session)
    if (!located || session.signal.aborted) return
    session.setBusy('stores', PROGRESS, 'Searching stores...')
    const position = { latitude: located.position.latitude, longitude: located.position.longitude }
    const stores = await searchStores(position, quantities(order))
    session.change(storesFound, { position, place: located.place, stores, prints: printsOf(order) })
  })
}

const LOCATION_OPTIONS = { enableHighAccuracy: true, timeout: 10_000, maximumAge: 300_000 }

/** By the code of the browser's error. */
const LOCATION_ERRORS: Record<number, string> = {
  1: 'Location access denied. Please allow location access in your browser settings, or enter your ZIP code below.',
  3: 'Location request timed out. Please enter your ZIP code, city, or state below.',
}
const UNAVAILABLE =
  'Location unavailable. Please check that location services are turned on and try again. Or enter your ZIP code below.'

/** Where the browser is, in degrees, or a sentence for the user that says why it does not tell. */
function currentPosition(): Promise<Coordinates | string> {
  return new Promise((resolve) => {
    if (!('geolocation' in navigator)) return resolve(UNAVAILABLE)
    // The browser's own time limit does not run while it asks the user.
    setTimeout(() => resolve(LOCATION_ERRORS[3] ?? UNAVAILABLE), LOCATION_OPTIONS.timeout)
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => resolve({ latitude: coords.latitude.toFixed(6), longitude: coords.longitude.toFixed(6) }),
      ({ code }) => resolve(LOCATION_ERRORS[code] ?? UNAVAILABLE),
      LOCATION_OPTIONS,
    )
  })
}
