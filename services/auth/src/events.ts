import type { NatsConnection } from '@nats-io/nats-core'
import { emit, type Handler, onEvent, publishHint } from '@skyfolio/kit'
import { events, hints } from '@skyfolio/proto'
import { saveAudit } from './audit/save-audit.ts'
import type { Transaction } from './database.ts'
import { erasureHandlers } from './deletion/service-erasures.ts'
import type { User } from './generated/client.ts'
import { noticeFailedPhotos, noticeReadyExport, noticeReadyOrder } from './mail/notices.ts'
import { saveUsage } from './usage/usage.ts'

/** The durable consumer that all replicas of the worker share. */
export const DURABLE = 'auth'

const AUDIT_TOPICS = [events.mediaAuditRecorded, events.foldersAuditRecorded, events.ordersAuditRecorded]

/** Tells the gateways that a session has changed or ended, so that they drop it from their caches at once. */
export function publishSessionChanged(nats: NatsConnection, sessionHash: string): void {
  publishHint(nats, hints.sessionRevoked, { sessionHash })
}

/**
 * Adds events for changed users to the outbox. The transaction must have locked them, raised their `revision`, and made or
 * removed the row of a deletion.
 */
export async function publishUserChanged(tx: Transaction, ...users: User[]): Promise<void> {
  const where = { userId: { in: users.map(({ id }) => id) } }
  const deletions = await tx.accountDeletion.findMany({ where, select: { userId: true } })
  const deleted = new Set(deletions.map(({ userId }) => userId))
  const changes = users.map(({ id, publicByDefault, quota, disabled, revision }) => ({
    user: { id, publicByDefault, quota: quota ?? undefined, suspended: disabled || deleted.has(id) },
    revision,
  }))
  await emit(tx, events.userChanged, ...changes)
}

/** What the worker does with the events of others. Without a mail server no notices wait for one. */
export function eventHandlers({ canSendMail }: { canSendMail: boolean }): Handler<Transaction>[] {
  return [
    ...erasureHandlers(),
    onEvent(events.usageChanged, (usage, tx: Transaction) => saveUsage(tx, usage)),
    ...AUDIT_TOPICS.map((topic) => onEvent(topic, (entry, tx: Transaction) => saveAudit(tx, entry))),
    onEvent(events.uploadFailed, async (event, tx: Transaction) => {
      if (canSendMail) await noticeFailedPhotos(tx, event)
    }),
    onEvent(events.orderChanged, async (event, tx: Transaction) => {
      if (canSendMail) await noticeReadyOrder(tx, event)
    }),
    onEvent(events.exportReady, async (event, tx: Transaction) => {
      if (canSendMail) await noticeReadyExport(tx, event)
    }),
  ]
}
