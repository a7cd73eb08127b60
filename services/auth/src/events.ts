import type { NatsConnection } from '@nats-io/nats-core'
import { publishHint } from '@skyfolio/kit'
import { hints } from '@skyfolio/proto'

/** Tells the gateways that a session has changed or ended, so that they drop it from their caches at once. */
export function publishSessionChanged(nats: NatsConnection, sessionHash: string): void {
  publishHint(nats, hints.sessionRevoked, { sessionHash })
}
