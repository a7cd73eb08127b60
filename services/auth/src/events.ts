import type { NatsConnection } from '@nats-io/nats-core'
import { emit, type Handler, onEvent, publishHint } from '@skyfolio/kit'
import { events, hints } from '@skyfolio/proto'
import { saveAudit } from './audit/audit-log.ts'
import type { Database, Transaction } from './database.ts'
import { erasureHandlers } from './deletion/erasure-progress.ts'
import type { User } from './generated/client.ts'
import { noticeFailedPhotos, noticeReadyExport, noticeReadyOrder } from './mail/kinds/notices.ts'
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
  const changes = users.map(({ id, publicByDefault, quota, disabled, displayName, revision }) => ({
    user: {
      id,
      publicByDefault,
      quota: quota ?? undefined,
      suspended: disabled || deleted.has(id),
      displayName: displayName ?? undefined,
    },
    revision,
  }))
  await emit(tx, events.userChanged, ...changes)
}

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

/** The same for the deletion of every user that is erased or being erased. */
export async function republishDeletions(db: Database): Promise<number> {
  let count = 0
  for (let after = 0; ; ) {
    const page = await db.accountDeletion.findMany({
      where: { erasingSince: { not: null }, userId: { gt: after } },
      orderBy: { userId: 'asc' },
      take: PAGE_SIZE,
      select: { userId: true },
    })
    const last = page.at(-1)
    if (!last) return count
    await db.$transaction((tx) => emit(tx, events.userDeleted, ...page))
    count += page.length
    after = last.userId
  }
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
