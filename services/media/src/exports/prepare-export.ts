import { AppError, metrics } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { publishExportReady } from '../events.ts'
import { scheduleRemovals, unusedObjects } from '../files/object-removals.ts'
import { KINDS, own, type RowJob, type Started, startOf } from '../jobs/job-rows.ts'
import { type ArchiveWriter, createArchiveWriter } from './archive-writer.ts'
import { addChecksums } from './checksums.ts'
import { lacksOriginals } from './export-archive.ts'
import {
  type ExportDeps,
  expiryFrom,
  PreparationLostError,
  removeEntries,
  type StartedExport,
  updateOwn,
} from './export-rows.ts'
import { addPhotos } from './photo-files.ts'
import { readmeText } from './readme-file.ts'
import { addFilesOfServices } from './sources.ts'

/** An export that waits for a service longer than this has failed. */
const DEADLINE_MS = 24 * 3_600_000

const outcomes = metrics.counter('skyfolio_exports_total', 'Preparations of exports by outcome', ['outcome'])

/**
 * Prepares an export. One that needs long has several turns, of which each is a job: the sweep adds the next one. Safe to
 * call at any time and concurrently, as for photos. @throws when a further attempt may succeed
 */
export async function prepareExport(deps: ExportDeps, job: RowJob<string>): Promise<void> {
  const [row] = await deps.db.export.updateManyAndReturn(startOf('exports', job))
  if (!row) return
  const outcome = await prepare(deps, row as StartedExport).catch((error) => handleError(deps, row, error))
  outcomes.inc({ outcome })
}

type Outcome = 'ready' | 'failed' | 'continued' | 'lost'

async function prepare(deps: ExportDeps, row: StartedExport): Promise<Outcome> {
  if (Date.now() - row.createdAt.getTime() > DEADLINE_MS) {
    await endFailedExport(deps.db, row)
    return 'failed'
  }
  if (!(await addChecksums(deps, row))) return 'continued'
  const writer = await createArchiveWriter(deps, row)
  try {
    await addFiles(deps, row, writer)
  } catch (error) {
    // What was stored last has no entry yet.
    await scheduleRemovals(deps.db, unusedObjects(row.userId, writer.keys))
    throw error
  }
  const expiresAt = expiryFrom(Date.now())
  await deps.db.$transaction(async (tx) => {
    await updateOwn(tx, row, { ...writer.close(), status: 'ready', readyAt: new Date(), expiresAt })
    await publishExportReady(tx, row, expiresAt)
  })
  deps.onEvent()
  return 'ready'
}

async function addFiles(deps: ExportDeps, row: StartedExport, writer: ArchiveWriter): Promise<void> {
  const { id, userId, createdAt } = row
  const folderNames = await addFilesOfServices(deps.nats, userId, writer, deps.signal)
  await addPhotos(deps, row, writer, folderNames)
  await writer.addFile('README.txt', readmeText(createdAt))
  if (await lacksOriginals(deps.db, id, 0)) throw new Error('photos were deleted while their export was prepared')
}

/** Ends an export whose job has failed. */
export async function endFailedExport(db: Database, row: Started<string>): Promise<void> {
  await db.$transaction(async (tx) => {
    const data = { status: 'failed', statusMessage: KINDS.exports.failure, expiresAt: expiryFrom(Date.now()) }
    const { count } = await tx.export.updateMany({ where: own('exports', row), data })
    if (count > 0) await removeEntries(tx, row.id)
  })
}

/** @throws the error, when a further attempt may succeed */
async function handleError({ db, signal }: ExportDeps, row: Started<string>, error: unknown): Promise<Outcome> {
  if (error instanceof PreparationLostError) {
    // The erasure of its user waits for the end of the preparation.
    await db.export.updateMany({ where: own('exports', row), data: { status: 'failed' } })
    return 'lost'
  }
  // A service that responds and lacks what it needs itself is as unavailable as one that does not respond.
  if (signal.aborted || (error instanceof AppError && error.status === 503)) return 'continued'
  outcomes.inc({ outcome: 'error' })
  throw error
}
