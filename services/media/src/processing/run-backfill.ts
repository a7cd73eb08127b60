import { setTimeout as delay } from 'node:timers/promises'
import { type Measurement, metrics, repeat } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { countLackingSizes } from './backfill-leases.ts'
import { type BackfillDeps, createBackfill } from './backfill-sizes.ts'

export interface BackfillPace {
  /** Photos a minute; 0 for none. */
  perMinute: number
  /** Seconds between two looks for a photo while none can be had. */
  scanSeconds: number
}

/**
 * Adds sizes to photos of earlier releases, one at a time and only while no photo waits for processing, until the
 * returned function is called, which waits for the photo in work.
 */
export function startBackfill(deps: BackfillDeps, { perMinute, scanSeconds }: BackfillPace): () => Promise<void> {
  if (perMinute === 0) return async () => {}
  const stopping = new AbortController()
  const { signal } = stopping
  const addNext = createBackfill(deps, { onlyWhenIdle: true })

  async function addWhileIdle(): Promise<void> {
    while (!signal.aborted) {
      const started = performance.now()
      if ((await addNext()) === null) return
      // At most half of the time, also with a slow store.
      const elapsed = performance.now() - started
      await delay(Math.max(60_000 / perMinute - elapsed, elapsed), undefined, { signal }).catch(() => {})
    }
  }

  const stop = repeat('sizes', scanSeconds, addWhileIdle, deps.logger)
  return () => {
    stopping.abort()
    return stop()
  }
}

/** The limit of counting, and how long a count is good for. */
const MAX_COUNT = 100_000
const COUNT_MS = 60_000

const lacking = metrics.gauge(
  'skyfolio_photos_lacking_sizes',
  `Photos of earlier releases that lack sizes, counted up to ${MAX_COUNT} once a minute`,
)

export function measureLackingSizes(db: Database): void {
  let counted: { at: number; count: number } | undefined
  metrics.onScrape('photos lacking sizes', async (): Promise<Measurement[]> => {
    if (!counted || performance.now() - counted.at >= COUNT_MS) {
      counted = { at: performance.now(), count: await countLackingSizes(db, MAX_COUNT) }
    }
    return [[lacking, counted.count]]
  })
}
