import type { Database } from '../database.ts'
import { publishUserChanged } from '../events.ts'

const PAGE_SIZE = 500

/**
 * Writes the state of every user to the outbox again, so that other services can rebuild their projections. Returns their
 * number. A relay publishes them.
 */
export async function republishUsers(db: Database): Promise<number> {
  let count = 0
  for (let after = 0; ; ) {
    const users = await db.user.findMany({ where: { id: { gt: after } }, orderBy: { id: 'asc' }, take: PAGE_SIZE })
    const last = users.at(-1)
    if (!last) return count
    await db.$transaction((tx) => publishUserChanged(tx, ...users))
    count += users.length
    after = last.id
  }
}
