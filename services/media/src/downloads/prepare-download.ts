import { createFairQueue, type ObjectStore } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import type { Photo } from '../generated/client.ts'
import { addChecksum } from '../photos/add-checksum.ts'
import { downloadCondition } from './download-files.ts'
import type { DownloadSize, DownloadTicket } from './tickets.ts'

interface PrepareDeps {
  db: Database
  store: ObjectStore
}

const READ_AT_ONCE = 4
/** Shorter than the gateway's timeout, with the last objects that are read. */
const TURN_MS = 15_000

/**
 * Reads the originals of the ticket's photos that have no checksum yet: those that were uploaded in parts and have not been
 * verified. Each checksum is stored at once, so that none is read twice. Returns how many are left after one turn. Previews have
 * their checksum from processing.
 */
export async function prepareDownload(
  deps: PrepareDeps,
  ticket: DownloadTicket,
  size: DownloadSize,
  turnMs = TURN_MS,
): Promise<number> {
  if (size === 'web') return 0
  const unchecked = await findUnchecked(deps.db, ticket)
  const end = performance.now() + turnMs
  const limiter = createFairQueue({ total: READ_AT_ONCE })
  let left = unchecked.length
  await Promise.all(
    unchecked.map((photo) =>
      limiter.run({}, async () => {
        if (performance.now() >= end) return
        await addChecksum(deps, photo)
        left -= 1
      }),
    ),
  )
  return left
}

function findUnchecked(db: Database, ticket: DownloadTicket): Promise<Pick<Photo, 'id' | 'filename' | 'filesize'>[]> {
  const condition = downloadCondition(ticket, 'original')
  return db.$queryRaw`SELECT id, filename, filesize FROM photos WHERE ${condition} AND crc32 IS NULL`
}
