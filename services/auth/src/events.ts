import type { NatsConnection } from '@nats-io/nats-core'
import { publishHint } from '@skyfolio/kit'
import { hints } from '@skyfolio/proto'

/** Tells the gateways that a session has changed or is gone, so that they forget what they know of it at once. */
export function sessionChanged(nats: NatsConnection, sessionHash: string): void {
  publishHint(nats, hints.sessionRevoked, { sessionHash })
}
