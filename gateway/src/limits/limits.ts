import { metrics, networkOf, readCookie, tooManyRequests } from '@skyfolio/kit'
import type { FastifyRequest } from 'fastify'
import { createLoadTestCheck, LOAD_TEST_HEADER } from './load-test-token.ts'
import { createTokenBuckets, type TokenBuckets } from './token-buckets.ts'

export interface RateLimits {
  requestsPerMinute: number
  votesPerMinuteOfAddress: number
  votesPerMinuteOfVoter: number
  loadTestVotesPerMinute: number
  /** Without it, load test tokens are ignored. */
  loadTestKey?: string | undefined
}

export interface Limits {
  /** @throws 429 when the address sends too many requests */
  checkRequest(request: FastifyRequest): void
  /** For votes, in place of `checkRequest`. @throws 429 when the address, or the load test, votes too often */
  checkVoteAddress(request: FastifyRequest): void
  /** Identifies the voter by voter token and fingerprint. @throws 429 when the voter votes too often */
  checkVoter(request: FastifyRequest): void
  /** The buckets that replicas share, by the kind of their keys. */
  buckets: Record<'requests' | 'votes-of-address' | 'votes-of-voter' | 'votes-of-load-test', TokenBuckets>
}

const VOTER_COOKIE = 'voter'
/** Longer than any token or fingerprint that is accepted. */
const MAX_KEY_LENGTH = 128
const rejectedRequests = metrics.counter('skyfolio_rate_limited_total', 'Requests rejected by a rate limit', ['limit'])

/** Rate limits in memory: they need no network call and keep working while Redis is unavailable. */
export function createLimits(limits: RateLimits): Limits {
  const buckets = {
    requests: createTokenBuckets(limits.requestsPerMinute),
    'votes-of-address': createTokenBuckets(limits.votesPerMinuteOfAddress),
    'votes-of-voter': createTokenBuckets(limits.votesPerMinuteOfVoter),
    'votes-of-load-test': createTokenBuckets(limits.loadTestVotesPerMinute),
  }
  for (const limit of Object.keys(buckets)) rejectedRequests.inc({ limit }, 0)
  const isLoadTest = createLoadTestCheck(limits.loadTestKey)

  function take(kind: keyof Limits['buckets'], key: string, sentence: string): void {
    const seconds = buckets[kind].take(key)
    if (seconds === 0) return
    rejectedRequests.inc({ limit: kind })
    throw tooManyRequests(sentence, seconds)
  }

  return {
    buckets,
    checkRequest: (request) => take('requests', networkOf(request.ip), 'Too many requests. Please slow down.'),
    checkVoteAddress(request) {
      if (isLoadTest(request.headers[LOAD_TEST_HEADER])) {
        return take('votes-of-load-test', 'all', 'Too many votes of load tests. Please slow down.')
      }
      take('votes-of-address', networkOf(request.ip), 'Too many votes from your network. Please slow down.')
    },
    checkVoter(request) {
      const sentence = 'Too many votes. Please slow down.'
      const token = readCookie(request.headers.cookie, VOTER_COOKIE)
      // A client that changes its fingerprint still has its token; one that drops its token still has its fingerprint.
      if (token) take('votes-of-voter', keyOf('t', token), sentence)
      const { fingerprint } = (request.body ?? {}) as { fingerprint?: unknown }
      if (typeof fingerprint === 'string') take('votes-of-voter', keyOf('f', fingerprint), sentence)
    },
  }
}

/** Returns a key of bounded length. */
function keyOf(kind: string, text: string): string {
  return kind + text.slice(0, MAX_KEY_LENGTH)
}
