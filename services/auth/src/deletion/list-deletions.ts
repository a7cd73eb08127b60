import type { Database } from '../database.ts'
import { SERVICES, type ServiceName } from './service-erasures.ts'

const LIMIT = 200

export interface ListedDeletion {
  userId: number
  /** Null when the user's row is gone. */
  username: string | null
  requestedAt: Date
  deletesAt: Date
  byAdmin: boolean
  erasingSince: Date | null
  /** How far each service is; none before the first of its events. */
  services: { service: ServiceName; complete: boolean; waitsFor: string; changedAt: Date | null }[]
}

/** The deletions that are not complete, newest first. */
export async function listDeletions(db: Database): Promise<ListedDeletion[]> {
  const deletions = await db.accountDeletion.findMany({
    where: { erasedAt: null },
    orderBy: [{ requestedAt: 'desc' }, { userId: 'desc' }],
    take: LIMIT,
  })
  const ids = deletions.map(({ userId }) => userId)
  const users = await db.user.findMany({ where: { id: { in: ids } }, select: { id: true, username: true } })
  const names = new Map(users.map(({ id, username }) => [id, username]))
  const erasures = await db.serviceErasure.findMany({ where: { userId: { in: ids } } })
  return deletions.map(({ userId, requestedAt, deletesAt, byAdmin, erasingSince }) => ({
    userId,
    username: names.get(userId) ?? null,
    requestedAt,
    deletesAt,
    byAdmin,
    erasingSince,
    services: SERVICES.map((service) => {
      const known = erasures.find((erasure) => erasure.userId === userId && erasure.service === service)
      const { complete = false, waitsFor = '', changedAt = null } = known ?? {}
      return { service, complete, waitsFor, changedAt }
    }),
  }))
}
