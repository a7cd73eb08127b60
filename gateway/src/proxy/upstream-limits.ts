import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Release } from '../client-limits.ts'

export const CONNECT_TIMEOUT_MS = 2_000
/** How long a service may be silent. An upload may wait there in a queue; a GET has a shorter time for its headers. */
export const STALL_TIMEOUT_MS = { json: 60_000, vote: 60_000, upload: 300_000, part: 300_000 }
/** A connection is replaced after so many requests, so that new replicas of a service get their share. */
export const REQUESTS_PER_CONNECTION = 500

/** Gives the slot back when the response has been read, or when it has ended for the client. */
export function releaseAfter(source: Readable, reply: FastifyReply, release: Release): void {
  source.once('close', release)
  reply.raw.once('close', release)
}
