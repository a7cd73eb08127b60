import type { NatsConnection } from '@nats-io/nats-core'
import { type Logger, onHint } from '@skyfolio/kit'
import { events, hints } from '@skyfolio/proto'
import type { Sessions } from '../sessions/sessions.ts'
import type { LiveEvents } from './live-events.ts'

/**
 * Subscribes to everything that the gateway receives from NATS. The subscriptions are not durable, since the gateway
 * uses all messages as hints: after a lost connection it ends the streams, and browsers that reconnect fetch everything
 * again.
 */
export function subscribeToHints(nats: NatsConnection, live: LiveEvents, sessions: Sessions, logger: Logger): void {
  const { photoChanged, photoDeleted, folderChanged, folderDeleted, orderChanged } = events
  const { rankingsChanged, sessionRevoked } = hints

  onHint(
    nats,
    photoChanged,
    ({ photo: p }) => p && live.deliver(p.userId, { type: 'photo.changed', id: p.id, folderId: p.folderId }),
    logger,
  )
  onHint(
    nats,
    photoDeleted,
    (m) => live.deliver(m.userId, { type: 'photo.deleted', id: m.photoId, folderId: m.folderId }),
    logger,
  )
  onHint(
    nats,
    folderChanged,
    ({ folder: f }) => f && live.deliver(f.userId, { type: 'folder.changed', id: f.id }),
    logger,
  )
  onHint(nats, folderDeleted, (m) => live.deliver(m.userId, { type: 'folder.deleted', id: m.folderId }), logger)
  onHint(nats, rankingsChanged, (m) => live.deliver(m.userId, { type: 'rankings.changed', id: m.folderId }), logger)
  onHint(nats, orderChanged, ({ order: o }) => o && live.deliver(o.userId, { type: 'order.changed', id: o.id }), logger)
  onHint(
    nats,
    sessionRevoked,
    ({ sessionHash }) => {
      sessions.forget(sessionHash)
      live.endSession(sessionHash)
    },
    logger,
  )
  void endStreamsOnReconnect(nats, live)
}

async function endStreamsOnReconnect(nats: NatsConnection, live: LiveEvents): Promise<void> {
  for await (const status of nats.status()) {
    if (status.type === 'reconnect') live.endAll()
  }
}
