import { buffer } from 'node:stream/consumers'
import { isDatabaseUnavailable, isUnavailable, type Logger, metrics, type ObjectStore } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { renditionKey } from '../files/object-keys.ts'
import type { Photo } from '../generated/client.ts'
import { RenderAbortedError } from '../renditions/isolated-renderer.ts'
import { DamagedImageError } from '../renditions/render-image.ts'
import type { LackingSizes } from '../renditions/render-sizes.ts'
import { ALL_RENDITIONS } from '../renditions/sizes.ts'
import type { SizesRenderer } from '../renditions/sizes-renderer.ts'
import { acquireBackfillLease, completeWithoutSizes } from './backfill-leases.ts'
import { completeLease, keepLease, type Lease, releaseLease } from './leases.ts'
import { discardRenditions, storeRenditions } from './store-renditions.ts'

export interface BackfillDeps {
  db: Database
  store: ObjectStore
  sizesRenderer: SizesRenderer
  logger: Logger
  leaseSeconds: number
  /** Attempts after which a photo stays without. */
  maxAttempts: number
  /** Called after the commit of a result. */
  afterCommit(): void
}

/**
 * What became of a photo: it has the sizes; it can have none (a DNG, a tiny photo); its preview is missing or damaged, so
 * that it stays without; the result did not count, as the photo was deleted or is processed again; a failure that is
 * retried.
 */
export type BackfillOutcome = 'added' | 'unneeded' | 'unreadable' | 'lost' | 'error'

export interface BackfillResult {
  photoId: number
  outcome: BackfillOutcome
}

const RETRY_SECONDS = 60
/** Ids are 32-bit integers. */
const ABOVE_ALL = 2 ** 31 - 1

const durations = metrics.histogram(
  'skyfolio_sizes_backfill_seconds',
  'Time to add the sizes that a photo of an earlier release lacks',
  ['outcome'],
  [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
)

/**
 * Returns the function that adds the sizes to the next photo that lacks them, newest first. It resolves with null when
 * there is none; with `onlyWhenIdle`, also while a photo waits for processing. It may be called concurrently.
 * @throws errors of a store or database that is unavailable; the photo is tried again later
 */
export function createBackfill(
  deps: BackfillDeps,
  { onlyWhenIdle }: { onlyWhenIdle: boolean },
): () => Promise<BackfillResult | null> {
  // Where the last one was: the index is not read from its end each time, where the entries of finished photos are.
  let before = ABOVE_ALL

  async function acquire(): Promise<Lease | null> {
    const lease = await acquireBackfillLease(deps.db, deps.leaseSeconds, { before, onlyWhenIdle })
    before = lease ? Math.min(before, lease.photo.id) : ABOVE_ALL
    return lease
  }

  return async () => {
    const lease = before === ABOVE_ALL ? await acquire() : ((await acquire()) ?? (await acquire()))
    return lease && { photoId: lease.photo.id, outcome: await backfill(deps, lease) }
  }
}

async function backfill(deps: BackfillDeps, lease: Lease): Promise<BackfillOutcome> {
  const stopRenewing = keepLease(deps.db, lease, deps.leaseSeconds)
  const measure = durations.startTimer()
  try {
    const outcome = await addSizes(deps, lease)
    measure({ outcome })
    return outcome
  } catch (error) {
    measure({ outcome: 'error' })
    await handleError(deps, lease, error)
    return 'error'
  } finally {
    stopRenewing()
  }
}

async function addSizes(deps: BackfillDeps, lease: Lease): Promise<BackfillOutcome> {
  const { db, store } = deps
  const sizes = await renderLacking(deps, lease.photo)
  if (sizes === 'unneeded' || sizes === 'unreadable') {
    await completeWithoutSizes(db, lease)
    return sizes
  }
  const names = await storeRenditions(store, sizes)
  if (!(await completeLease(db, lease, { ...names, renditionSet: ALL_RENDITIONS }))) {
    await discardRenditions(db, lease, names)
    return 'lost'
  }
  deps.afterCommit()
  return 'added'
}

async function renderLacking(
  { store, sizesRenderer, maxAttempts, logger }: BackfillDeps,
  { id, userId, attempts, thumbnail, preview }: Photo,
): Promise<LackingSizes | 'unneeded' | 'unreadable'> {
  // A DNG has a preview at most.
  if (!thumbnail || !preview) return 'unneeded'
  const reject = (reason: unknown) => {
    logger.warn({ err: reason, photoId: id, preview }, 'preview unreadable, photo left without further sizes')
    return 'unreadable' as const
  }
  if (attempts > maxAttempts) return reject(new Error(`${maxAttempts} attempts had no result`))
  const object = await store.get(renditionKey(preview))
  if (!object) return reject(new Error('the preview is missing'))
  try {
    // A photo with an earlier attempt may have crashed its worker.
    const sizes = await sizesRenderer.render(await buffer(object.body), { userId, isolated: attempts > 1 })
    return sizes.small || sizes.medium ? sizes : 'unneeded'
  } catch (error) {
    if (error instanceof DamagedImageError || error instanceof RenderAbortedError) return reject(error)
    throw error
  }
}

/** An outage does not count as an attempt, and ends the run. */
async function handleError({ db, logger }: BackfillDeps, lease: Lease, error: unknown): Promise<void> {
  const outage = isUnavailable(error) || isDatabaseUnavailable(error)
  await releaseLease(db, lease, RETRY_SECONDS, outage)
  if (outage) throw error
  logger.warn({ err: error, photoId: lease.photo.id }, 'sizes not added, will retry')
}
