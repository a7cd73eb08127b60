import { metrics } from '@skyfolio/kit'

/** What clients hold of the gateway. */
export const proxyMetrics = {
  rejectedConnections: metrics.counter(
    'skyfolio_connections_rejected_total',
    'Connections of clients closed at once because too many were open, from their site or in total',
  ),
  slots: metrics.gauge(
    'skyfolio_upstream_slots',
    'Requests that a service processes (in_use), or that wait for a slot, by pool: a service, uploads or downloads',
    ['pool', 'state'],
  ),
  rejectedSlots: metrics.counter(
    'skyfolio_upstream_slots_rejected_total',
    'Requests rejected because no slot became free in time or too many requests waited for one',
    ['pool'],
  ),
  incomplete: metrics.gauge('skyfolio_incomplete_requests', 'Requests whose body has not arrived, excluding uploads'),
  rejectedIncomplete: metrics.counter(
    'skyfolio_incomplete_requests_rejected_total',
    'Requests rejected before their body had arrived: late, or too many at once (full)',
    ['reason'],
  ),
  readAhead: metrics.gauge('skyfolio_read_ahead_bytes', 'Bytes reserved for responses that are read ahead of clients'),
}
for (const reason of ['late', 'full'] as const) proxyMetrics.rejectedIncomplete.inc({ reason }, 0)
