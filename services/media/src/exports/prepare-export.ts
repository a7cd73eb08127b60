import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { AppError, emit } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import type { Database } from '../database.ts'
import { scheduleRemovals, unusedObjects } from '../files/object-removals.ts'
import { KINDS, own, type RowJob, type Started, startOf } from '../jobs/job-rows.ts'
import { type ArchiveWriter, createArchiveWriter } from './archive-writer.ts'
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
import { addFilesOfServices } from './sources.ts'

/** An export that waits for a service longer than this has failed. */
const DEADLINE_MS = 24 * 3_600_000

/**
 * Prepares an export. One that waits for a service continues with the next job, which the sweep adds. Safe to call at any time
 * and concurrently, as for photos. @throws when a further attempt may succeed
 */
export async function prepareExport(deps: ExportDeps, job: RowJob<string>): Promise<void> {
  const [row] = await deps.db.export.updateManyAndReturn(startOf('exports', job))
  if (!row) return
  await prepare(deps, row as StartedExport).catch((error) => handleError(deps, row, error))
}

async function prepare(deps: ExportDeps, row: StartedExport): Promise<void> {
  if (Date.now() - row.createdAt.getTime() > DEADLINE_MS) return endFailedExport(deps.db, row)
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
    const ready = { userId: row.userId, exportId: row.id, expiresAt: timestampFromDate(expiresAt) }
    await emit(tx, events.exportReady, ready)
  })
  deps.onEvent()
}

async function addFiles(deps: ExportDeps, row: StartedExport, writer: ArchiveWriter): Promise<void> {
  const { id, userId, createdAt } = row
  const folderNames = await addFilesOfServices(deps.nats, userId, writer, deps.signal)
  await addPhotos(deps, row, writer, folderNames)
  await writer.addFile('README.txt', [readmeText(createdAt)])
  if (await lacksOriginals(deps.db, id, 0)) throw new Error('photos were deleted while their export was prepared')
}

/** Ends an export whose job has failed. */
export async function endFailedExport(db: Database, row: Started<string> & { userId: number }): Promise<void> {
  await db.$transaction(async (tx) => {
    const data = { status: 'failed', statusMessage: KINDS.exports.failure, expiresAt: expiryFrom(Date.now()) }
    const { count } = await tx.export.updateMany({ where: own('exports', row), data })
    if (count > 0) await removeEntries(tx, row)
  })
}

/** @throws the error, when a further attempt may succeed */
async function handleError({ db, signal }: ExportDeps, row: Started<string>, error: unknown): Promise<void> {
  if (error instanceof PreparationLostError) {
    // The erasure of its user waits for the end of the preparation.
    await db.export.updateMany({ where: own('exports', row), data: { status: 'failed' } })
    return
  }
  // A service that responds and lacks what it needs itself is as unavailable as one that does not respond. The sweep continues.
  if (!signal.aborted && !(error instanceof AppError && error.status === 503)) throw error
}

/** The text that says what is what in an export. */
function readmeText(createdAt: Date): string {
  return `Skyfolio: export of ${createdAt.toISOString().slice(0, 10)}

This archive has your photos and what Skyfolio keeps of your account. Not in it: what administrators did to the account, and
addresses of images that were made for prints.

originals/      Your photos as you uploaded them, byte for byte, in directories with the names of your folders.
                "No folder" has those that are in none, "Metadata screen" those of the metadata screen.
photos/         What Skyfolio knows of each photo: title, description, place, date, metadata. Parts of 1,000 photos.
folders/        Your folders and their contests, the results of the votes that they received, whom you invited to vote, and
                the logs of counts.
orders/         Your print orders.
account/        Your profile, settings, sessions, and the list of mails that were sent to you.
manifest.json   One entry for each photo: its id, its path in this archive, its size in bytes and its SHA-256 checksum.
                "path" is null for a photo whose original is missing, "sha256" for one that was uploaded just before.

All files of data are JSON in UTF-8. Photos, folders and orders refer to each other by "id", "folderId" and "photoId".
Characters that some systems do not allow in names of files are replaced in the paths; the names that you gave are in
the data. Sizes and "quota" are in bytes. Times that end in Z are in UTC; "dateTaken" is the camera's time, with a zone where
one is known; of a file without one it is that of its last change, "ModifyDate". "ownPosition" is ascending in your own order
of a folder's photos, which those without one follow. The "path" of a link follows the address of this Skyfolio. "address" of
a mail is null once the mail was sent.
`
}
