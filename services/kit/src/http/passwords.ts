import { randomBytes } from 'node:crypto'
import { hash, type Options, verify } from '@node-rs/argon2'
import { createFairQueue, LARGEST_SHARE } from '../process/fair-queue.ts'
import { metrics } from '../telemetry/metrics.ts'
import { unavailable } from './errors.ts'

/** OWASP's parameters for argon2id (the library's default algorithm): 19 MiB, two passes, one lane. */
const ARGON2_PARAMETERS: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

const TOO_MANY = 'Too many passwords are being checked. Please try again in a moment.'
const TOO_MANY_OF_SITE = 'Too many passwords from your network are being checked. Please try again in a moment.'
/** Nobody waits for a response that long: the work would only make those behind wait too. */
const MAX_WAIT_MS = 5_000
/** About what two threads hash within this time; those behind would only be rejected later. */
const MAX_WAITING = 400

const checks = metrics.counter('skyfolio_password_checks_total', 'Passwords verified with argon2id')

/** Who waits for a password. */
export interface Applicant {
  /** Of the client's address, see `siteOf`. */
  site: string
  /** Neither signed in nor on a device that the account knows. */
  isStranger: boolean
}

/**
 * The form in which passwords are hashed, measured and compared (NIST SP 800-63B-4, 3.1.1.2): keyboards and programs send
 * the same characters in different forms.
 */
export function normalizePassword(password: string): string {
  return password.normalize('NFKC')
}

export interface Passwords {
  /**
   * A hash to store, of the normalized password.
   * @throws 503 when the queue is full, or after a long time in it; 429 when the applicant's share of it is.
   */
  hash(password: string, applicant: Applicant): Promise<string>
  /**
   * Whether the password, normalized or as entered, matches the hash: old hashes are of what was entered. Without a hash (no such user) the same work is done on a hash that matches
   * nothing, so that the response time reveals nothing.
   * @throws 503 and 429 as `hash`
   */
  verify(passwordHash: string | null, password: string, applicant: Applicant): Promise<boolean>
}

export interface PasswordLimits {
  /** How many are hashed at once, and how many wait (400 by default). */
  concurrency: number
  waiting?: number
  /** After so many milliseconds in the queue a password is not hashed; default: 5 s. */
  maxWaitMs?: number
}

/**
 * Hashes passwords, at most `concurrency` at once and `waiting` in a queue: each takes 19 MiB and a thread, so a flood of
 * logins must not start them all. Strangers have a queue of their own, of which at most `concurrency` stand before somebody known.
 * So guesses from everywhere keep no owner out of an account. One site gets a quarter of each queue. Of those who are known, the site with
 * the fewest passwords being hashed is the next one: right passwords have no limit, and must not keep other sites waiting.
 */
export async function createPasswords(limits: PasswordLimits): Promise<Passwords> {
  const maxWaitMs = limits.maxWaitMs ?? MAX_WAIT_MS
  const { concurrency: total, waiting: maxWaiting = MAX_WAITING } = limits
  const rejections = { limit: 'passwords-of-site', messages: { tooMany: TOO_MANY, tooManyOfKey: TOO_MANY_OF_SITE } }
  const maxWaitingPerKey = Math.ceil(maxWaiting * LARGEST_SHARE)
  const strangers = createFairQueue({ total, maxWaiting, maxWaitingPerKey, ...rejections })
  const all = createFairQueue({ total, maxWaiting: maxWaiting + total, maxWaitingPerKey, ...rejections })

  function inTurn<T>({ site: key, isStranger }: Applicant, work: () => Promise<T>): Promise<T> {
    const since = performance.now()
    const workInTime = () => {
      if (performance.now() - since > maxWaitMs) throw unavailable(TOO_MANY)
      return work()
    }
    return isStranger ? strangers.run({ key }, () => all.run({}, workInTime)) : all.run({ key }, workInTime)
  }

  const unmatchable = await hash(randomBytes(32), ARGON2_PARAMETERS)
  return {
    hash: (password, applicant) => inTurn(applicant, () => hash(normalizePassword(password), ARGON2_PARAMETERS)),
    verify: (passwordHash, password, applicant) =>
      inTurn(applicant, async () => {
        for (const form of new Set([normalizePassword(password), password])) {
          checks.inc()
          const isMatch = await verify(passwordHash ?? unmatchable, form)
          if (passwordHash !== null && isMatch) return true
        }
        return false
      }),
  }
}
