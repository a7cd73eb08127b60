import { randomBytes } from 'node:crypto'
import { hash, type Options, verify } from '@node-rs/argon2'
import { createLimiter, metrics, unavailable } from '@skyfolio/kit'

/** OWASP's parameters for argon2id (the library's default algorithm): 19 MiB, two passes, one lane. */
const ARGON2_PARAMETERS: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

const TOO_MANY = 'Too many people are signing in. Please try again in a moment.'
/** Nobody waits for a response that long: the work would only make those behind wait too. */
const MAX_WAIT_MS = 5_000

const checks = metrics.counter('skyfolio_password_checks_total', 'Passwords verified with argon2id')

export interface Passwords {
  /** A hash to store. @throws 503 when the queue is full, or after a long time in it. */
  hash(password: string): Promise<string>
  /**
   * Whether the password matches the hash. Without a hash (no such user) the same work is done on a hash that matches
   * nothing, so that the response time reveals nothing.
   * @throws 503 as `hash`
   */
  verify(passwordHash: string | null, password: string): Promise<boolean>
}

export interface PasswordLimits {
  /** How many are hashed at once, and how many wait. */
  concurrency: number
  waiting: number
  /** After so many milliseconds in the queue a password is not hashed; default: 5 s. */
  maxWaitMs?: number
}

/**
 * Hashes passwords, at most `concurrency` at once and `waiting` in a queue: each takes 19 MiB and a thread, so a flood of
 * logins must not start them all.
 */
export async function createPasswords(limits: PasswordLimits): Promise<Passwords> {
  const maxWaitMs = limits.maxWaitMs ?? MAX_WAIT_MS
  const limiter = createLimiter({
    total: limits.concurrency,
    maxWaiting: limits.waiting,
    messages: { tooMany: TOO_MANY },
  })
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const since = performance.now()
    return limiter.run({}, () => {
      if (performance.now() - since > maxWaitMs) throw unavailable(TOO_MANY)
      return work()
    })
  }

  const unmatchable = await hash(randomBytes(32), ARGON2_PARAMETERS)
  return {
    hash: (password) => inTurn(() => hash(password, ARGON2_PARAMETERS)),
    verify: (passwordHash, password) =>
      inTurn(async () => {
        checks.inc()
        const isMatch = await verify(passwordHash ?? unmatchable, password)
        return passwordHash !== null && isMatch
      }),
  }
}
