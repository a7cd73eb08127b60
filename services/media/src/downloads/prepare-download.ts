import { createLimiter, type ObjectStore } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { renditionKey } from '../files/object-keys.ts'
import { readChecksum } from '../files/read-checksum.ts'
import type { Photo } from '../generated/client.ts'
import { addChecksum } from '../photos/add-checksum.ts'
import { downloadCondition } from './download-files.ts'
import type { DownloadSize, DownloadTicket } from './tickets.ts'

interface PrepareDeps {
  db: Database
  store: ObjectStore
}

type Unchecked = Pick<Photo, 'id' | 'filename' | 'filesize' | 'preview'>

const READ_AT_ONCE = 4
/** Shorter than the gateway's timeout, with the last objects that are read. */
const TURN_MS = 15_000

/**
 * Reads the files of the ticket's photos that have no checksum yet: those that were uploaded before it was made while
 * uploading or processing. Each is stored at once, so that none is read twice. Returns how many are left after one turn.
 */
export async function prepareDownload(
  { db, store }: PrepareDeps,
  ticket: DownloadTicket,
  size: DownloadSize,
  turnMs = TURN_MS,
): Promise<number> {
  const unchecked = await findUnchecked(db, ticket, size)
  const end = performance.now() + turnMs
  const limiter = createLimiter({ total: READ_AT_ONCE })
  let left = unchecked.length
  await Promise.all(
    unchecked.map((photo) =>
      limiter.run({}, async () => {
        if (performance.now() >= end) return
        await (size === 'web' ? addPreviewChecksum(db, store, photo) : addChecksum({ db, store }, photo))
        left -= 1
      }),
    ),
  )
  return left
}

function findUnchecked(db: Database, ticket: DownloadTicket, size: DownloadSize): Promise<Unchecked[]> {
  const condition = downloadCondition(ticket, size)
  if (size === 'web') {
    return db.$queryRaw`SELECT id, filename, filesize, preview FROM photos WHERE ${condition} AND preview_crc32 IS NULL`
  }
  return db.$queryRaw`SELECT id, filename, filesize, preview FROM photos WHERE ${condition} AND crc32 IS NULL`
}

async function addPreviewChecksum(db: Database, store: ObjectStore, { id, preview }: Unchecked): Promise<void> {
  if (preview === null) return
  const checksum = await readChecksum(store, renditionKey(preview))
  if (!checksum) return
  const data = { previewBytes: checksum.bytes, previewCrc32: checksum.crc32 }
  await db.photo.updateMany({ where: { id, preview }, data })
}
