import { createFairQueue, declareLimits, metrics, networkOf, readCookie, siteOf, tooManyRequests } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { inQuarters } from '../client-limits.ts'
import { createLoadTestCheck, LOAD_TEST_HEADER } from './load-test-token.ts'
import { createTokenBuckets } from './token-buckets.ts'

export interface RateLimits {
  requestsPerMinute: number
  /** Of pages and files of the application, and as many of pictures. */
  pagesPerMinuteOfAddress: number
  votesPerMinuteOfAddress: number
  votesPerMinuteOfVoter: number
  loadTestVotesPerMinute?: number
  /** Without it, load test tokens are ignored. */
  loadTestKey?: string | undefined
  /** For tests. */
  maxDelayed?: number
}

export type Limits = ReturnType<typeof createLimits>

const VOTER_COOKIE = 'voter'
/** Longer than any token or fingerprint that is accepted. */
const MAX_KEY_LENGTH = 128
/** A page that loads slowly is better than one with holes. */
const MAX_PICTURE_DELAY_MS = 5_000
/** Delayed requests, each of which holds a connection. */
const MAX_DELAYED = 10_000
/** Of all load tests together: 1,000 a second, more than any of them sends on purpose. What a mistaken rate adds ends here. */
const LOAD_TEST_VOTES_PER_MINUTE = 60_000
/** Limits of what is there at once. */
const OTHER_LIMITS = [
  ...['delayed-pictures-of-address', 'new-pictures-of-address', 'streams-of-user'],
  ...['slots', 'incomplete-requests', 'streams'],
]
const TOO_MANY_REQUESTS = 'Too many requests from your network. Please slow down.'
const TOO_MANY_PAGES = 'Too many pages and files were requested from your network. Please slow down.'
const TOO_MANY_PICTURES = 'Too many pictures were requested from your network. Please slow down.'
const delayedRequests = metrics.counter('skyfolio_rate_delayed_total', 'Requests delayed by a rate limit', ['limit'])

/** Rate limits in memory: they need no network call and keep working while Redis is unavailable. */
export function createLimits(limits: RateLimits) {
  const buckets = createBuckets(limits)
  declareLimits([...Object.keys(buckets), ...OTHER_LIMITS])
  delayedRequests.inc({ limit: 'pictures-of-address' }, 0)
  const delayedPictures = createFairQueue(inQuarters(limits.maxDelayed ?? MAX_DELAYED))
  const isLoadTest = createLoadTestCheck(limits.loadTestKey)

  function take(kind: keyof typeof buckets, key: string, sentence: string): void {
    const seconds = buckets[kind].take(key)
    if (seconds > 0) throw tooManyRequests(sentence, seconds, kind)
  }

  return {
    /** Those that replicas share, by the kind of their keys. */
    buckets,
    /** @throws 429 when the address sends too many requests */
    checkRequest: (request: FastifyRequest) => take('requests', networkOf(request.ip), TOO_MANY_REQUESTS),
    /** For pages and files of the application, in place of `checkRequest`. @throws 429 */
    checkPage: (request: FastifyRequest) => take('pages-of-address', networkOf(request.ip), TOO_MANY_PAGES),
    /**
     * For pictures, in place of `checkRequest`: calls `proceed` at once, or when the request is due; never if its client
     * disconnects before. @throws 429 when it would wait for too long
     */
    admitPicture(request: FastifyRequest, reply: FastifyReply, proceed: () => void) {
      const kind = 'pictures-of-address'
      const network = networkOf(request.ip)
      const waitMs = buckets[kind].reserve(network, MAX_PICTURE_DELAY_MS)
      if (waitMs === 0) return proceed()
      if (waitMs > MAX_PICTURE_DELAY_MS) throw tooManyRequests(TOO_MANY_PICTURES, waitMs / 1000, kind)
      const end = delayedPictures.tryAcquire({ key: siteOf(request.ip) })
      if (!end) {
        buckets[kind].giveBack(network)
        throw tooManyRequests(TOO_MANY_PICTURES, waitMs / 1000, 'delayed-pictures-of-address')
      }
      delayedRequests.inc({ limit: kind })
      const timer = setTimeout(() => {
        end()
        reply.raw.off('close', leave)
        proceed()
      }, waitMs)
      const leave = () => {
        end()
        clearTimeout(timer)
        buckets[kind].giveBack(network)
        // Nothing is left to respond to.
        reply.hijack()
      }
      reply.raw.once('close', leave)
    },
    /** For votes, in place of `checkRequest`. @throws 429 when the address, or the load test, votes too often */
    checkVoteAddress(request: FastifyRequest) {
      if (isLoadTest(request.headers[LOAD_TEST_HEADER])) {
        return take('votes-of-load-test', 'all', 'Too many votes of load tests. Please slow down.')
      }
      take('votes-of-address', networkOf(request.ip), 'Too many votes from your network. Please slow down.')
    },
    /** Identifies the voter by voter token and fingerprint. @throws 429 when the voter votes too often */
    checkVoter(request: FastifyRequest): void {
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

function createBuckets(limits: RateLimits) {
  return {
    requests: createTokenBuckets(limits.requestsPerMinute),
    'pages-of-address': createTokenBuckets(limits.pagesPerMinuteOfAddress),
    'pictures-of-address': createTokenBuckets(limits.pagesPerMinuteOfAddress),
    'votes-of-address': createTokenBuckets(limits.votesPerMinuteOfAddress),
    'votes-of-voter': createTokenBuckets(limits.votesPerMinuteOfVoter),
    'votes-of-load-test': createTokenBuckets(limits.loadTestVotesPerMinute ?? LOAD_TEST_VOTES_PER_MINUTE),
  }
}
