import type { QueryClient } from '@tanstack/react-query'
import { geocode, type Position, reverseGeocode, searchStores } from '../../../api/print-orders.ts'
import { currentPosition, LocationError } from '../browser.ts'
import { quantities } from '../order.ts'
import { storesFound, withError } from '../wizard-state.ts'
import { activity, change, currentOrder, currentSession, type Session } from '../wizard-store.ts'
import { reportError } from './report-error.ts'

const PROGRESS = 50
const NOT_FOUND = 'Unable to find location. Please check your entry and try again.'
const FAILED = 'Store search failed'
const NO_TEXT = 'Please enter a ZIP code, city, or state to find stores.'

/** Searches the stores near the ZIP code, city or state that was typed. */
export async function findStoresByText(client: QueryClient): Promise<void> {
  const text = currentOrder()?.search.text.trim() ?? ''
  if (text === '') return change(withError, NO_TEXT)
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

/** Searches the stores near the browser's position. */
export async function findStoresHere(client: QueryClient): Promise<void> {
  if (activity.get().busy) return
  const stopped = new AbortController()
  locating = stopped
  await search(
    client,
    'locate',
    'Finding your location...',
    async (session) => {
      const position = await currentPosition().catch((error: unknown) => {
        if (stopped.signal.aborted) return null
        if (!(error instanceof LocationError)) throw error
        session.change(withError, error.message)
        return null
      })
      if (!position || stopped.signal.aborted) return null
      session.setBusy('stores', PROGRESS, 'Finding your location...')
      // The name of the place is only shown: without it the search goes on.
      const place = await reverseGeocode(position).catch(() => null)
      return { position, place: place?.display_name ?? null }
    },
    stopped.signal,
  )
}

/** Asks the stores near the same position about other prints. */
export async function findStoresAgain(client: QueryClient): Promise<void> {
  const { position, place } = currentOrder()?.search ?? {}
  if (!position) return
  await search(client, 'stores', 'Searching stores...', async () => ({ position, place: place ?? null }))
}

/** True when the stores were asked about other prints than those of the order. */
export function storesAreOutdated(): boolean {
  const order = currentOrder()
  return order?.search.stores != null && order.search.prints !== JSON.stringify(quantities(order))
}

type Located = { position: Position; place: string | null } | null
type Locate = (session: Session) => Promise<Located>

async function search(
  client: QueryClient,
  busy: 'locate' | 'stores',
  text: string,
  locate: Locate,
  stopped?: AbortSignal,
): Promise<void> {
  const session = currentSession()
  const order = session.order()
  if (!order || activity.get().busy) return
  session.setBusy(busy, PROGRESS, text)
  session.change(withError, null)
  try {
    const located = await locate(session)
    if (!located || session.signal.aborted) return
    session.setBusy('stores', PROGRESS, 'Searching stores...')
    const { latitude, longitude } = located.position
    const products = quantities(order)
    const stores = await searchStores({ latitude, longitude }, products)
    session.change(storesFound, {
      position: { latitude, longitude },
      place: located.place,
      stores,
      prints: JSON.stringify(products),
    })
  } catch (error) {
    reportError(client, session, error, FAILED)
  } finally {
    if (!stopped?.aborted) session.setBusy(null)
  }
}
