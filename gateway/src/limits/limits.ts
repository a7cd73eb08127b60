import { metrics, networkOf, readCookie, tooManyRequests } from '@skyfolio/kit'
import type { FastifyRequest } from 'fastify'
import { createLoadTestCheck, LOAD_TEST_HEADER } from './load-test-token.ts'
import { createTokenBuckets, type TokenBuckets } from './token-buckets.ts'

export interface RateLimits {
  requestsPerMinute: number
  votesPerMinuteOfAddress: number
  votesPerMinuteOfVoter: number
  loadTestVotesPerMinute: number
  /** Without it there are no load tests. */
  loadTestKey?: string | undefined
}

export interface Limits {
  /** @throws 429 when the address asks too often. */
  request(request: FastifyRequest): void
  /** For a vote, in place of `request`. @throws 429 when the address, or the load test, votes too often. */
  voteFrom(request: FastifyRequest): void
  /** @throws 429 when the voter votes too often, told by the voter token or by the fingerprint in the body. */
  voteBy(request: FastifyRequest): void
  /** The buckets, by the kind of their keys: what replicas share. */
  buckets: Record<'requests' | 'votes-of-address' | 'votes-of-voter' | 'votes-of-load-test', TokenBuckets>
}

const VOTER_COOKIE = 'voter'
/** Longer than any token or fingerprint that is accepted. */
const mostKeyLength = 128
const refused = metrics.counter('skyfolio_rate_limited_total', 'Requests refused by a rate limit', ['limit'])

/** Limits kept in this process: they cost no call, and hold while Redis is away. */
export function createLimits(limits: RateLimits): Limits {
  const buckets = {
    requests: createTokenBuckets(limits.requestsPerMinute),
    'votes-of-address': createTokenBuckets(limits.votesPerMinuteOfAddress),
    'votes-of-voter': createTokenBuckets(limits.votesPerMinuteOfVoter),
    'votes-of-load-test': createTokenBuckets(limits.loadTestVotesPerMinute),
  }
  for (const limit of Object.keys(buckets)) refused.inc({ limit }, 0)
  const isLoadTest = createLoadTestCheck(limits.loadTestKey)

  function take(kind: keyof Limits['buckets'], key: string, sentence: string): void {
    const seconds = buckets[kind].take(key)
    if (seconds === 0) return
    refused.inc({ limit: kind })
    throw tooManyRequests(sentence, seconds)
  }

  return {
    buckets,
    request: (request) => take('requests', networkOf(request.ip), 'Too many requests. Please slow down.'),
    voteFrom(request) {
      if (isLoadTest(request.headers[LOAD_TEST_HEADER])) {
        return take('votes-of-load-test', 'all', 'Too many votes of load tests. Please slow down.')
      }
      take('votes-of-address', networkOf(request.ip), 'Too many votes from your network. Please slow down.')
    },
    voteBy(request) {
      const sentence = 'Too many votes. Please slow down.'
      const token = readCookie(request.headers.cookie, VOTER_COOKIE)
      // Whoever changes the fingerprint keeps the token, and whoever drops the token keeps the fingerprint.
      if (token) take('votes-of-voter', keyOf('t', token), sentence)
      const { fingerprint } = (request.body ?? {}) as { fingerprint?: unknown }
      if (typeof fingerprint === 'string') take('votes-of-voter', keyOf('f', fingerprint), sentence)
    },
  }
}

/** A key of bounded length. */
function keyOf(kind: string, text: string): string {
  return kind + text.slice(0, mostKeyLength)
}
