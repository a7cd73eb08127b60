import type { Database } from '../database.ts'
import { publishUserChanged } from '../events.ts'

const PAGE_SIZE = 500

/**
 * Publishes users of whom no event was published yet: those from before the upgrade, and those that a process of the release
 * before registers during it. Returns their number.
 */
export async function publishUnpublished(db: Database): Promise<number> {
  for (let count = 0; ; ) {
    const published = await db.$transaction(async (tx) => {
      const rows = await tx.$queryRaw<{ id: number }[]>`
        SELECT id FROM users WHERE revision = 0 ORDER BY id LIMIT ${PAGE_SIZE} FOR NO KEY UPDATE SKIP LOCKED`
      const where = { id: { in: rows.map(({ id }) => id) } }
      const users = await tx.user.updateManyAndReturn({ where, data: { revision: 1 } })
      await publishUserChanged(tx, ...users)
      return users.length
    })
    count += published
    if (published < PAGE_SIZE) return count
  }
}

/**
 * Writes the state of every user to the outbox again, so that other services can rebuild their projections. Returns their
 * number. A relay publishes them.
 */
export async function republishUsers(db: Database): Promise<number> {
  await publishUnpublished(db)
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
