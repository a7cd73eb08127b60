import type { NatsConnection } from '@nats-io/nats-core'
import { emit, type Handler, onEvent, publishHint } from '@skyfolio/kit'
import { events, hints } from '@skyfolio/proto'
import type { Transaction } from './database.ts'
import type { User } from './generated/client.ts'
import { noticeFailedPhotos, noticeReadyOrder } from './mail/notices.ts'
import { saveUsage } from './usage/usage.ts'

/** The durable consumer that all replicas of the worker share. */
export const DURABLE = 'auth'

/** Tells the gateways that a session has changed or ended, so that they drop it from their caches at once. */
export function publishSessionChanged(nats: NatsConnection, sessionHash: string): void {
  publishHint(nats, hints.sessionRevoked, { sessionHash })
}

/** Adds events for changed users to the outbox. The transaction must have raised their `revision`. */
export async function publishUserChanged(tx: Transaction, ...users: User[]): Promise<void> {
  const changes = users.map(({ id, publicByDefault, quota, revision }) => ({
    user: { id, publicByDefault, quota: quota ?? undefined },
    revision,
  }))
  await emit(tx, events.userChanged, ...changes)
}

/** What the worker does with the events of others. Without a mail server no notices wait for one. */
export function eventHandlers({ canSendMail }: { canSendMail: boolean }): Handler<Transaction>[] {
  return [
    onEvent(events.usageChanged, (usage, tx: Transaction) => saveUsage(tx, usage)),
    onEvent(events.uploadFailed, async (event, tx: Transaction) => {
      if (canSendMail) await noticeFailedPhotos(tx, event)
    }),
    onEvent(events.orderChanged, async (event, tx: Transaction) => {
      if (canSendMail) await noticeReadyOrder(tx, event)
    }),
  ]
}
