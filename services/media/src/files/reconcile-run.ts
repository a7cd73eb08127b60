import type { StoredObject } from '@skyfolio/kit'
import { type ObjectRemovalDeps, scheduleOrphanRemovals } from './object-removals.ts'

/** Longer than any upload in progress takes to commit; what is younger may be one. */
export const ORPHAN_AGE_MS = 6 * 3_600_000

export interface ReconcileOptions {
  /** Age in milliseconds from which an object that belongs to nothing is removed. */
  orphanAgeMs: number
  /** Reports everything and changes nothing. */
  dryRun: boolean
}

/** What was found. Each finding was acted upon unless it was a dry run. */
export interface ReconcileResult {
  photos: number
  objects: number
  /** Objects that belong to nothing and are old enough: their removal is scheduled. */
  orphans: number
  /** Newer objects that belong to nothing. */
  recent: number
  /** Multipart uploads that began long ago and did not complete: they are aborted. */
  incompleteUploads: number
  /** Photos whose original is missing from the store or incomplete: ready ones become failed. */
  missingOriginals: number
  /** The ids of the first of them. */
  missingOriginalIds: number[]
  /** Photos whose original was missing and exists again: they are processed again. */
  foundOriginals: number
  /** Renditions that photos refer to and the store lacks: the photos are processed again. */
  missingRenditions: number
  /** Ready print images without their object: they are rendered again, or deleted when what they show is gone. */
  missingPrintImages: number
}

export interface ReconcileRun extends ObjectRemovalDeps, ReconcileOptions {
  result: ReconcileResult
}

const ORPHAN_BATCH = 200

/** Collects keys of objects that seem to belong to nothing, and schedules their removal in batches. */
export function createOrphanCollector(run: ReconcileRun) {
  const newest = Date.now() - run.orphanAgeMs
  let keys: string[] = []
  async function flush(): Promise<void> {
    run.result.orphans += await scheduleOrphanRemovals(run, keys, run.dryRun)
    keys = []
  }
  return {
    flush,
    async add({ key, modifiedAt }: StoredObject): Promise<void> {
      if (modifiedAt.getTime() > newest) run.result.recent++
      else if (keys.push(key) === ORPHAN_BATCH) await flush()
    },
  }
}
