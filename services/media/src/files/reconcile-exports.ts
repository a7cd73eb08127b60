import type { StoredObject } from '@skyfolio/kit'
import { EXPORTS_PREFIX } from './object-keys.ts'
import { findUsedKeys } from './object-removals.ts'
import { createOrphanCollector, type ReconcileRun } from './reconcile-run.ts'

const BATCH = 200

/**
 * Compares the objects of exports with their rows: those of abandoned preparations and deleted exports are orphans. A
 * missing one is found when the archive is sent; a new export repairs it.
 */
export async function compareExportFiles(run: ReconcileRun): Promise<void> {
  const orphans = createOrphanCollector(run)
  let batch: StoredObject[] = []
  async function check(): Promise<void> {
    const used = await findUsedKeys(
      run.db,
      batch.map(({ key }) => key),
    )
    for (const object of batch) if (!used.has(object.key)) await orphans.add(object)
    batch = []
  }
  for await (const object of run.store.list(EXPORTS_PREFIX)) {
    run.result.objects++
    if (batch.push(object) === BATCH) await check()
  }
  await check()
  await orphans.flush()
}
