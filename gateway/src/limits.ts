import { createHash } from 'node:crypto'
import { networkOf, tooManyRequests } from '@skyfolio/kit'
import type { FastifyRequest } from 'fastify'
import { readCookie } from './cookies.ts'
import { createTokenBuckets, type TokenBuckets } from './token-buckets.ts'

export interface RateLimits {
  requestsPerMinute: number
  votesPerMinuteOfAddress: number
  votesPerMinuteOfVoter: number
}

export interface Limits {
  /** @throws 429 when the address asks too often. */
  request(request: FastifyRequest): void
  /** For a vote, in place of `request`. @throws 429 when the address or the voter votes too often. */
  voteFrom(request: FastifyRequest): void
  /** @throws 429 when the voter votes too often, told by the voter token or by the fingerprint in the body. */
  voteBy(request: FastifyRequest): void
}

const VOTER_COOKIE = 'voter'

/** Limits kept in this process: they cost no call, and hold while Redis is away. */
export function createLimits(limits: RateLimits): Limits {
  const requests = createTokenBuckets(limits.requestsPerMinute)
  const addresses = createTokenBuckets(limits.votesPerMinuteOfAddress)
  const voters = createTokenBuckets(limits.votesPerMinuteOfVoter)
  return {
    request: (request) => take(requests, networkOf(request.ip), 'Too many requests. Please slow down.'),
    voteFrom: (request) =>
      take(addresses, networkOf(request.ip), 'Too many votes from your network. Please slow down.'),
    voteBy(request) {
      const sentence = 'Too many votes. Please slow down.'
      const token = readCookie(request.headers.cookie, VOTER_COOKIE)
      // Whoever changes the fingerprint keeps the token, and whoever drops the token keeps the fingerprint.
      if (token) take(voters, digest('token', token), sentence)
      const { fingerprint } = (request.body ?? {}) as { fingerprint?: unknown }
      if (typeof fingerprint === 'string') take(voters, digest('fingerprint', fingerprint), sentence)
    },
  }
}

function take(buckets: TokenBuckets, key: string, sentence: string): void {
  const seconds = buckets.take(key)
  if (seconds > 0) throw tooManyRequests(sentence, seconds)
}

/** Keys of one length, whatever was sent. */
function digest(kind: string, text: string): string {
  return createHash('sha256').update(kind).update(text).digest('base64url')
}
