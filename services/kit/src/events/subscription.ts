import type { Msg, Subscription } from '@nats-io/transport-node'

/** A subscription that runs until it is stopped. */
export interface NatsSubscription {
  /** Takes no more messages; resolves when those already received are handled. */
  stop(): Promise<void>
}

/**
 * Handles each message as it arrives. On stop, messages that the server has already sent are still handled: no other
 * process receives them.
 */
export function handleMessages(subscription: Subscription, handle: (message: Msg) => Promise<void>): NatsSubscription {
  const running = new Set<Promise<void>>()
  const receiving = (async () => {
    for await (const message of subscription) {
      const work: Promise<void> = handle(message).finally(() => running.delete(work))
      running.add(work)
    }
  })()
  return {
    async stop() {
      await subscription.drain()
      await receiving
      await Promise.all(running)
    },
  }
}
