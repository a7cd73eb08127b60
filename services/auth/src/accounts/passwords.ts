import { randomBytes } from 'node:crypto'
import { hash, type Options, verify } from '@node-rs/argon2'
import { createLimiter, metrics } from '@skyfolio/kit'

/** OWASP's parameters for argon2id (the library's default algorithm): 19 MiB, two passes, one lane. */
const parameters: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

const checks = metrics.counter('skyfolio_password_checks_total', 'Passwords verified with argon2id')

export interface Passwords {
  /** A hash to keep. @throws 503 when too many wait. */
  hash(password: string): Promise<string>
  /**
   * Whether the password fits the hash. Without a hash (no such user) the same work is done against
   * a hash that nothing fits, so that the time tells nothing.
   * @throws 503 when too many wait.
   */
  verify(passwordHash: string | null, password: string): Promise<boolean>
}

/**
 * Password hashing that at most `concurrency` requests do at once and `waiting` wait for: each takes
 * 19 MiB and a thread, so a flood of logins must not start them all.
 */
export async function createPasswords(limits: { concurrency: number; waiting: number }): Promise<Passwords> {
  const limiter = createLimiter({
    total: limits.concurrency,
    maxWaiting: limits.waiting,
    messages: { tooMany: 'Too many people are signing in. Please try again in a moment.' },
  })
  const fitsNothing = await hash(randomBytes(32), parameters)
  return {
    hash: (password) => limiter.run({}, () => hash(password, parameters)),
    verify: (passwordHash, password) =>
      limiter.run({}, async () => {
        checks.inc()
        const fits = await verify(passwordHash ?? fitsNothing, password)
        return passwordHash !== null && fits
      }),
  }
}
