import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { headers, type MsgHdrs } from '@nats-io/transport-node'

/** The binary form of a message. */
export function encode<Schema extends DescMessage>(schema: Schema, message: MessageInitShape<Schema>): Uint8Array {
  return toBinary(schema, create(schema, message))
}

/** NATS headers of a plain record. */
export function toHeaders(record: Record<string, string>): MsgHdrs {
  const result = headers()
  for (const [name, value] of Object.entries(record)) result.set(name, value)
  return result
}

/** A plain record of NATS headers. */
export function fromHeaders(source: MsgHdrs | undefined): Record<string, string> {
  return Object.fromEntries((source?.keys() ?? []).map((name) => [name, source?.get(name) ?? '']))
}
