import { type DescMessage, fromBinary, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Topic } from '@skyfolio/proto'
import type { Logger } from '../process/logger.ts'
import { encode } from './messages.ts'
import { handleMessages, type NatsSubscription } from './subscription.ts'

/** Publishes a message that may be lost. Never throws for a lost connection. */
export function publishHint<Schema extends DescMessage>(
  nats: NatsConnection,
  topic: Topic<Schema>,
  message: MessageInitShape<Schema>,
): void {
  if (nats.isClosed() || nats.isDraining()) return
  nats.publish(topic.subject, encode(topic.schema, message))
}

/** Subscribes without durability: to hints, or to events as hints (each process receives every message). */
export function onHint<Schema extends DescMessage>(
  nats: NatsConnection,
  topic: Topic<Schema>,
  handler: (message: MessageShape<Schema>) => void | Promise<void>,
  logger?: Logger,
): NatsSubscription {
  const subscription = nats.subscribe(topic.subject)
  const work = async (data: Uint8Array) => handler(fromBinary(topic.schema, data))
  return handleMessages(subscription, (message) =>
    work(message.data).catch((error) => logger?.warn({ err: error, subject: topic.subject }, 'hint not handled')),
  )
}
