import type { Database } from '../database.ts'
import { publishChanged, publishDeleted } from '../events.ts'

const PAGE = 500

/**
 * Records the events of every folder, deleted ones too, once more, so that others can rebuild what they keep of
 * folders. Answers how many. A relay publishes them.
 */
export async function republishFolders(db: Database): Promise<number> {
  const page = { orderBy: { id: 'asc' }, take: PAGE } as const
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
    const graves = await db.deletedFolder.findMany({ where: { id: { gt: after } }, ...page })
    const last = graves.at(-1)
    if (!last) return count
    await db.$transaction((tx) => publishDeleted(tx, ...graves))
    count += graves.length
    after = last.id
  }
}
