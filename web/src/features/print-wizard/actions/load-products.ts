import type { QueryClient } from '@tanstack/react-query'
import { readProducts } from '../../../api/print-orders.ts'
import { productsLoaded, withError } from '../wizard-state.ts'
import { activity, change, setBusy } from '../wizard-store.ts'
import { reportError } from './report-error.ts'

/** Loads the print sizes and their prices. */
export async function loadProducts(client: QueryClient): Promise<void> {
  if (activity.get().busy) return
  setBusy('products')
  change(withError, null)
  try {
    change(productsLoaded, await readProducts())
  } catch (error) {
    reportError(client, error, 'Failed to load products')
  } finally {
    setBusy(null)
  }
}
