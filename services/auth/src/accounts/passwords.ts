import { randomBytes } from 'node:crypto'
import { hash, type Options, verify } from '@node-rs/argon2'
import { createLimiter, metrics } from '@skyfolio/kit'

/** OWASP's parameters for argon2id (the library's default algorithm): 19 MiB, two passes, one lane. */
const ARGON2_PARAMETERS: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

const checks = metrics.counter('skyfolio_password_checks_total', 'Passwords verified with argon2id')

export interface Passwords {
  /** A hash to store. @throws 503 when the queue is full. */
  hash(password: string): Promise<string>
  /**
   * Whether the password matches the hash. Without a hash (no such user) the same work is done on a hash that matches
   * nothing, so that the response time reveals nothing.
   * @throws 503 when the queue is full.
   */
  verify(passwordHash: string | null, password: string): Promise<boolean>
}

/**
 * Hashes passwords, at most `concurrency` at once and `waiting` in a queue: each takes 19 MiB and a thread, so a flood of
 * logins must not start them all.
 */
export async function createPasswords(limits: { concurrency: number; waiting: number }): Promise<Passwords> {
  const limiter = createLimiter({
    total: limits.concurrency,
    maxWaiting: limits.waiting,
    messages: { tooMany: 'Too many people are signing in. Please try again in a moment.' },
  })
  const unmatchable = await hash(randomBytes(32), ARGON2_PARAMETERS)
  return {
    hash: (password) => limiter.run({}, () => hash(password, ARGON2_PARAMETERS)),
    verify: (passwordHash, password) =>
      limiter.run({}, async () => {
        checks.inc()
        const isMatch = await verify(passwordHash ?? unmatchable, password)
        return passwordHash !== null && isMatch
      }),
  }
}
