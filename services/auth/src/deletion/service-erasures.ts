import { type Handler, onEvent } from '@skyfolio/kit'
import { type ErasureChanged, events } from '@skyfolio/proto'
import type { Transaction } from '../database.ts'

/** The services that erase what they have of a user, and confirm it by events. */
export const SERVICES = ['folders', 'media', 'print-orders'] as const
export type ServiceName = (typeof SERVICES)[number]

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
