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
  requests: {
    memory: requests.labels({ outcome: 'memory' }),
    waited: requests.labels({ outcome: 'waited' }),
    not_modified: requests.labels({ outcome: 'not_modified' }),
    streamed: requests.labels({ outcome: 'streamed' }),
    not_found: requests.labels({ outcome: 'not_found' }),
    limited: requests.labels({ outcome: 'limited' }),
    unavailable: requests.labels({ outcome: 'unavailable' }),
  },
  confirmations: {
    confirmed: confirmations.labels({ outcome: 'confirmed' }),
    not_found: confirmations.labels({ outcome: 'not_found' }),
    outdated: confirmations.labels({ outcome: 'outdated' }),
    failed: confirmations.labels({ outcome: 'failed' }),
  },
  loads: {
    loaded: loads.labels({ outcome: 'loaded' }),
    missing: loads.labels({ outcome: 'missing' }),
    too_large: loads.labels({ outcome: 'too_large' }),
    abandoned: loads.labels({ outcome: 'abandoned' }),
    failed: loads.labels({ outcome: 'failed' }),
  },
}
for (const counters of Object.values(pictureMetrics)) for (const counter of Object.values(counters)) counter.inc(0)

/** Measures the memory of a cache until the returned function is called. */
export function measureMemory(cache: { cachedBytes(): number; evictedBytes(): number }): () => void {
  return metrics.onScrape('pictures in memory', () => [
    [heldBytes, cache.cachedBytes(), { state: 'cached' }],
    [heldBytes, cache.evictedBytes(), { state: 'evicted' }],
  ])
}
