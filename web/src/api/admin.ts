import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { hasStatus, request } from '../lib/http.ts'
import type { PartnerEnvironment, PrintEnvironment } from './types.ts'

/** Another administrator may switch the environment. */
const ENVIRONMENT_POLL_MS = 5_000

/** Which partner environment receives new orders. */
export const environmentQuery = queryOptions({
  queryKey: ['partner-environment'],
  queryFn: ({ signal }) => request<PartnerEnvironment>('/api/admin/environment', { signal }),
  refetchOnMount: 'always',
  refetchInterval: ({ state }) => (hasStatus(state.error, 403) ? false : ENVIRONMENT_POLL_MS),
})

/** Switches the partner environment. A poll that started earlier does not show the old one again. */
export async function setEnvironment(client: QueryClient, environment: PrintEnvironment): Promise<void> {
  const { queryKey } = environmentQuery
  const changed = await request<PartnerEnvironment>('/api/admin/environment', { method: 'POST', body: { environment } })
  await client.cancelQueries({ queryKey })
  client.setQueryData(queryKey, changed)
  await client.invalidateQueries({ queryKey: ['config'] }) // Says whether prints are made in the sandbox.
}

/** The partner's calls that administrators can test, by the last part of their path. */
export type PartnerEndpoint =
  | 'v3/fetch-credentials'
  | 'product-details'
  | 'store-search'
  | 'submit-order-official'
  | 'validate-coupon-official'

/** Calls a partner endpoint and returns the whole answer. */
export function callPartner(endpoint: PartnerEndpoint, body: object): Promise<unknown> {
  return request(`/api/walgreens/${endpoint}`, { method: 'POST', body })
}
