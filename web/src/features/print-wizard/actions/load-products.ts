import type { QueryClient } from '@tanstack/react-query'
import { readProducts } from '../../../api/print-orders.ts'
import { productsLoaded } from '../prints-state.ts'
import { withError } from '../wizard-state.ts'
import { activity, currentSession } from '../wizard-store.ts'
import { reportError } from './report-error.ts'

/** Loads the print sizes and their prices. */
export async function loadProducts(client: QueryClient): Promise<void> {
  if (activity.get().busy) return
  const session = currentSession()
  session.setBusy('products')
  session.change(withError, null)
  try {
    session.change(productsLoaded, await readProducts())
  } catch (error) {
    reportError(client, session, error, 'Failed to load products')
  } finally {
    session.setBusy(null)
  }
}
