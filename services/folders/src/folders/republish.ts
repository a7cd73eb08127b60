import type { Database } from '../database.ts'
import { publishChanged, publishDeleted } from '../events.ts'

const PAGE_SIZE = 500

/**
 * Writes the events of every folder, deleted ones too, to the outbox again, so that other services can rebuild their
 * projections. Returns their number. A relay publishes them.
 */
export async function republishFolders(db: Database): Promise<number> {
  const page = { orderBy: { id: 'asc' }, take: PAGE_SIZE } as const
  let count = 0
  for (let after = 0; ; ) {
    const folders = await db.folder.findMany({ where: { id: { gt: after } }, ...page })
    const last = folders.at(-1)
    if (!last) break
    await db.$transaction((tx) => publishChanged(tx, ...folders))
    count += folders.length
    after = last.id
  }
  for (let after = 0; ; ) {
    const tombstones = await db.deletedFolder.findMany({ where: { id: { gt: after } }, ...page })
    const last = tombstones.at(-1)
    if (!last) return count
    await db.$transaction((tx) => publishDeleted(tx, ...tombstones))
    count += tombstones.length
    after = last.id
  }
}
