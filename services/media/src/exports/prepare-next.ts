import { isUnavailable, type Logger, metrics, type ObjectStore } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { publishExportReady } from '../events.ts'
import { scheduleRemovals } from '../files/object-removals.ts'
import type { Nats } from '../projection/folders.ts'
import { type ArchiveWriter, createArchiveWriter } from './archive-writer.ts'
import { addChecksums } from './checksums.ts'
import { lacksOriginals } from './export-archive.ts'
import { expiryFrom, PREPARING_FAILED, removeEntries } from './export-rows.ts'
import {
  acquireNextExportLease,
  type ExportLease,
  endPreparation,
  LeaseLostError,
  releaseExportLease,
  renewExportLease,
} from './leases.ts'
import { addPhotos } from './photo-files.ts'
import { readmeText } from './readme-file.ts'
import { addFilesOfServices } from './sources.ts'

export interface ExportPreparationDeps {
  db: Database
  store: ObjectStore
  nats: Nats
  logger: Logger
  leaseSeconds: number
  /** Attempts after which an export counts as failed. */
  maxAttempts: number
  /** Called when an event was added to the outbox. */
  onEvent: () => void
  /** Ends a preparation in progress when the process drains. */
  signal: AbortSignal
}

const RETRY_SECONDS = 5
/** An export that waits for a service longer than this has failed. */
const DEADLINE_MS = 24 * 3_600_000

const outcomes = metrics.counter('skyfolio_exports_total', 'Preparations of exports by outcome', ['outcome'])

/**
 * Prepares the export that waits longest, if any; one that needs long has several turns. Safe to call at any time and
 * concurrently. Returns whether there was one.
 */
export async function prepareNextExport(deps: ExportPreparationDeps): Promise<boolean> {
  const lease = await acquireNextExportLease(deps.db, deps.leaseSeconds)
  if (!lease) return false
  const renewal = setInterval(
    () => renewExportLease(deps.db, lease, deps.leaseSeconds).catch(() => {}),
    (deps.leaseSeconds * 1000) / 3,
  )
  try {
    outcomes.inc({ outcome: await prepare(deps, lease) })
  } catch (error) {
    outcomes.inc({ outcome: 'error' })
    await handleError(deps, lease, error)
  } finally {
    clearInterval(renewal)
  }
  return true
}

async function prepare(deps: ExportPreparationDeps, lease: ExportLease): Promise<string> {
  const { attempts, createdAt } = lease.row
  // Earlier attempts ended without a result: the export may have crashed its workers.
  if (attempts > deps.maxAttempts || Date.now() - createdAt.getTime() > DEADLINE_MS) return fail(deps, lease)
  if (!(await addChecksums(deps, lease))) {
    await releaseExportLease(deps.db, lease, 0, true)
    return 'continued'
  }
  const writer = await createArchiveWriter(deps, lease)
  try {
    await addFiles(deps, lease, writer)
  } catch (error) {
    // What was stored last has no entry yet.
    await scheduleRemovals(
      deps.db,
      writer.keys.map((key) => ({ key, userId: lease.row.userId })),
    )
    throw error
  }
  const expiresAt = expiryFrom(Date.now())
  await deps.db.$transaction(async (tx) => {
    await endPreparation(tx, lease, { ...writer.close(), status: 'ready', readyAt: new Date(), expiresAt })
    await publishExportReady(tx, lease.row, expiresAt)
  })
  deps.onEvent()
  return 'ready'
}

async function addFiles(deps: ExportPreparationDeps, lease: ExportLease, writer: ArchiveWriter): Promise<void> {
  const { id, userId, createdAt } = lease.row
  const folderNames = await addFilesOfServices(deps.nats, userId, writer, deps.signal)
  await addPhotos(deps, lease, writer, folderNames)
  await writer.addFile('README.txt', readmeText(createdAt))
  if (await lacksOriginals(deps.db, id, 0)) throw new Error('photos were deleted while their export was prepared')
}

async function fail(deps: ExportPreparationDeps, lease: ExportLease): Promise<string> {
  const failed = { status: 'failed', statusMessage: PREPARING_FAILED, expiresAt: expiryFrom(Date.now()) }
  await deps.db.$transaction(async (tx) => {
    await endPreparation(tx, lease, failed)
    await removeEntries(tx, lease.row.id)
  })
  return 'failed'
}

async function handleError(deps: ExportPreparationDeps, lease: ExportLease, error: unknown): Promise<void> {
  const { id, attempts } = lease.row
  if (error instanceof LeaseLostError) {
    deps.logger.info({ exportId: id }, 'export is no longer prepared here')
    return releaseExportLease(deps.db, lease, 0, true)
  }
  const isOutage = isUnavailable(error) || deps.signal.aborted
  deps.logger.warn({ err: error, exportId: id, attempts }, 'export preparation failed')
  if (!isOutage && attempts >= deps.maxAttempts) await fail(deps, lease)
  else await releaseExportLease(deps.db, lease, deps.signal.aborted ? 0 : RETRY_SECONDS, isOutage)
}
