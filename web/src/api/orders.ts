import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import { hasStatus } from '../lib/http.ts'
import { api, apiPage, FIRST_PAGE } from './client.ts'
import type { PrintOrder } from './types.ts'

const ORDERS_PER_PAGE = 100
/** Orders are also read again without a live event, in background tabs too. */
const ORDERS_POLL_MS = 30_000

/**
 * The user's print orders, newest first. Reading again reads all loaded pages one after the other, each by the new link
 * of the previous one, so that a new order leaves no gap and no duplicate.
 */
export const ordersQuery = infiniteQueryOptions({
  queryKey: ['orders'],
  queryFn: ({ signal, pageParam }) =>
    apiPage('/api/walgreens/orders', { query: { limit: ORDERS_PER_PAGE }, next: pageParam, signal }),
  initialPageParam: FIRST_PAGE,
  getNextPageParam: ({ next }) => next,
  refetchOnMount: 'always',
  refetchInterval: ORDERS_POLL_MS,
  refetchIntervalInBackground: true,
})

/** One order with its history. */
export const orderQuery = (id: number) =>
  queryOptions({
    queryKey: ['order', id],
    queryFn: ({ signal }) => api('get', '/api/walgreens/orders/{id}', { path: { id }, signal }),
    refetchOnMount: 'always',
    refetchInterval: ({ state }) => (hasStatus(state.error, 404) ? false : ORDERS_POLL_MS),
    refetchIntervalInBackground: true,
  })

/** Orders of all users whose outcome is not known, for administrators. */
export const unresolvedOrdersQuery = queryOptions({
  queryKey: ['unresolved-orders'],
  queryFn: ({ signal }) => api('get', '/api/walgreens/unresolved-orders', { signal }),
  refetchOnMount: 'always',
  refetchInterval: ({ state }) => (hasStatus(state.error, 403) ? false : ORDERS_POLL_MS),
})

/** Reads all cached orders again. */
export async function refreshOrders(client: QueryClient): Promise<void> {
  const keys = [ordersQuery.queryKey, ['order'], unresolvedOrdersQuery.queryKey]
  await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })))
}

/** What an administrator found out about an order: the partner's number, or that it was not placed. */
export type Resolution = { vendorOrderId: string } | { placed: false }

export function resolveOrder(id: number, resolution: Resolution): Promise<PrintOrder> {
  return api('post', '/api/walgreens/orders/{id}/resolve', { path: { id }, body: resolution })
}
