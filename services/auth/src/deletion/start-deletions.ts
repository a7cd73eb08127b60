import { type Lifetime, type ObjectStore, repeat } from '@skyfolio/kit'
import { announceErasures, beginDueErasures } from './due-deletions.ts'
import { type EraseDeps, eraseConfirmed } from './erase-accounts.ts'
import { measureErasures } from './erasure-metrics.ts'
import { sweepDeadLetters } from './forget-copies.ts'

const EVERY_SECONDS = 1
const SWEEP_SECONDS = 3600

export interface WorkerDeletionDeps extends EraseDeps {
  store: ObjectStore
  /** Called after a commit with events. */
  onCommit(): void
}

/** Carries out deletions whose time has come, until the worker stops. Any number of workers may do so. */
export function startDeletions(life: Lifetime, deps: WorkerDeletionDeps): void {
  const { logger } = life
  const announce = async () => {
    await beginDueErasures(deps)
    if ((await announceErasures(deps)).length > 0) deps.onCommit()
  }
  // Apart, so that an unavailable object store stops no erasure that is announced.
  life.defer('due deletions', repeat('due deletions', EVERY_SECONDS, announce, logger))
  life.defer(
    'erasure of accounts',
    repeat('erasure of accounts', EVERY_SECONDS, () => eraseConfirmed(deps), logger),
  )
  const sweep = () => sweepDeadLetters(deps)
  life.defer('dead letters of the erased', repeat('dead letters of the erased', SWEEP_SECONDS, sweep, logger))
  life.defer('erasure metrics', measureErasures(deps.pool))
}
