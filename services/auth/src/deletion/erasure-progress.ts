import { type Handler, onEvent } from '@skyfolio/kit'
import { type ErasureChanged, events } from '@skyfolio/proto'
import type { Database, Transaction } from '../database.ts'
import type { AccountDeletion } from '../generated/client.ts'

/** The services that erase what they have of a user, and confirm it by events. */
export const SERVICES = ['folders', 'media', 'print-orders'] as const
type ServiceName = (typeof SERVICES)[number]

const TOPICS = {
  folders: events.foldersErasureChanged,
  media: events.mediaErasureChanged,
  'print-orders': events.ordersErasureChanged,
}

/** Stores how far the services are. */
export function erasureHandlers(): Handler<Transaction>[] {
  return SERVICES.map((service) =>
    onEvent(TOPICS[service], (erasure, tx: Transaction) => saveErasure(tx, service, erasure)),
  )
}

/** Stores it unless a newer revision is stored, or nothing is being erased: auth may have been restored to an earlier state. */
async function saveErasure(
  tx: Transaction,
  service: ServiceName,
  { userId, complete, waitsFor, revision }: ErasureChanged,
): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO service_erasures AS stored (user_id, service, complete, waits_for, revision)
    SELECT user_id, ${service}, ${complete}, ${waitsFor}, ${revision} FROM account_deletions
    WHERE user_id = ${userId} AND erasing_since IS NOT NULL
    ON CONFLICT (user_id, service) DO UPDATE SET complete = excluded.complete, waits_for = excluded.waits_for,
      revision = excluded.revision, changed_at = now()
    WHERE stored.revision < excluded.revision`
}

const LIMIT = 200

export interface ListedDeletion extends Omit<AccountDeletion, 'publishedAt' | 'erasedAt'> {
  /** Null when the user's row is gone. */
  username: string | null
  /** How far each service is; none before the first of its events. */
  services: { service: ServiceName; complete: boolean; waitsFor: string; changedAt: Date | null }[]
}

/** The deletions that are not complete, newest first. */
export async function listDeletions(db: Database): Promise<ListedDeletion[]> {
  const deletions = await db.accountDeletion.findMany({
    where: { erasedAt: null },
    orderBy: [{ requestedAt: 'desc' }, { userId: 'desc' }],
    take: LIMIT,
    omit: { publishedAt: true, erasedAt: true },
  })
  const ids = deletions.map(({ userId }) => userId)
  const users = await db.user.findMany({ where: { id: { in: ids } }, select: { id: true, username: true } })
  const names = new Map(users.map(({ id, username }) => [id, username]))
  const erasures = await db.serviceErasure.findMany({ where: { userId: { in: ids } } })
  return deletions.map((deletion) => ({
    ...deletion,
    username: names.get(deletion.userId) ?? null,
    services: SERVICES.map((service) => {
      const known = erasures.find((erasure) => erasure.userId === deletion.userId && erasure.service === service)
      const { complete = false, waitsFor = '', changedAt = null } = known ?? {}
      return { service, complete, waitsFor, changedAt }
    }),
  }))
}
