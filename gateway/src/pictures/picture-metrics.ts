import { metrics } from '@skyfolio/kit'

const requests = metrics.counter(
  'skyfolio_picture_requests_total',
  'Requests for renditions by outcome: sent from memory at once, waited for confirmation or bytes, not_modified, streamed by media, not_found, limited, unavailable',
  ['outcome'],
)
const confirmations = metrics.counter(
  'skyfolio_picture_confirmations_total',
  'Confirmations requested from media by outcome: confirmed, not_found, outdated on arrival, or failed',
  ['outcome'],
)
const loads = metrics.counter(
  'skyfolio_picture_loads_total',
  'Renditions requested from media by outcome: loaded, missing, too_large, abandoned by all clients, or failed',
  ['outcome'],
)
const heldBytes = metrics.gauge(
  'skyfolio_picture_bytes',
  'Bytes of pictures in memory: cached, or evicted while slow clients still receive them',
  ['state'],
)

/** Counters by outcome: looking one up by its labels costs more than counting. */
export const pictureMetrics = {
  requests: byOutcome(requests, [
    'memory',
    'waited',
    'not_modified',
    'streamed',
    'not_found',
    'limited',
    'unavailable',
  ]),
  confirmations: byOutcome(confirmations, ['confirmed', 'not_found', 'outdated', 'failed']),
  loads: byOutcome(loads, ['loaded', 'missing', 'too_large', 'abandoned', 'failed']),
}

function byOutcome<Outcome extends string>(counter: typeof requests, outcomes: Outcome[]) {
  const entries = outcomes.map((outcome) => [outcome, counter.labels({ outcome })] as const)
  for (const [, one] of entries) one.inc(0)
  return Object.fromEntries(entries) as Record<Outcome, (typeof entries)[number][1]>
}

/** Measures the memory of a cache until the returned function is called. */
export function measureMemory(cache: { cachedBytes(): number; evictedBytes(): number }): () => void {
  return metrics.onScrape('pictures in memory', () => [
    [heldBytes, cache.cachedBytes(), { state: 'cached' }],
    [heldBytes, cache.evictedBytes(), { state: 'evicted' }],
  ])
}
