import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { clientAddress } from './client-network.ts'
import { AppError, unavailable } from './errors.ts'

/** The caller of a request, as the gateway established it. All but the address are null for a visitor without a session. */
export interface Identity {
  userId: number | null
  username: string | null
  isAdmin: boolean
  sessionHash: string | null
  /** The client's IP address. */
  address: string
  /** When the password was last entered in the session, in milliseconds since 1970; null: unknown. */
  confirmedAt: number | null
}

/** The identity of somebody without a session. @param address as the server sees it, or a proxy wrote it */
export function visitorIdentity(address: string): Identity {
  const nobody = { userId: null, username: null, isAdmin: false, sessionHash: null, confirmedAt: null }
  return { ...nobody, address: clientAddress(address) }
}

export const IDENTITY_HEADER = 'x-skyfolio-identity'

const LIFETIME_MS = 60_000
/** How far the clocks of two machines may differ. */
const SKEW_MS = 5_000

const keyObjects = new Map<string, KeyObject>()

function keyObject(key: string): KeyObject {
  const known = keyObjects.get(key)
  if (known) return known
  const made = createSecretKey(key, 'utf8')
  keyObjects.set(key, made)
  return made
}

/** Separates the domains of signatures: one made for a purpose is not valid for another. */
export type Purpose =
  | 'identity'
  | 'batch'
  | 'public-name'
  | 'entity-tag'
  | 'links'
  | 'unlocked'
  | 'invitations'
  | 'device'

/** Signs a text with the first key. */
export function sign(purpose: Purpose, text: string, keys: string[]): string {
  const [key] = keys
  if (!key) throw new Error('No signing key is configured')
  return mac(purpose, text, key).toString('base64url')
}

/** Whether one of the keys signed the text for this purpose. */
export function isSigned(purpose: Purpose, text: string, signature: string, keys: string[]): boolean {
  // Texts are compared, not bytes: base64url has further spellings of the same bytes.
  const given = Buffer.from(signature)
  return keys.some((key) => {
    const expected = Buffer.from(mac(purpose, text, key).toString('base64url'))
    return expected.length === given.length && timingSafeEqual(expected, given)
  })
}

/** HMAC-SHA256 of a text for a purpose. */
export function mac(purpose: Purpose, text: string, key: string): Buffer {
  return createHmac('sha256', keyObject(key)).update(`${purpose}.${text}`).digest()
}

/**
 * Milliseconds since 1970 by the clock of the machine, and by the time since this process started, which no change of that clock
 * affects, but a machine that was suspended does.
 */
export type Clocks = readonly [number, number]

export function readClocks(): Clocks {
  return [Date.now(), Math.round(performance.timeOrigin + performance.now())]
}

/**
 * Requires a genuine signature of that time to be still valid by one of the clocks of who signed and one of ours, so that a clock
 * that is changed does no harm.
 * @throws AppError 503: it is our clocks that differ, or else somebody repeats an old request
 */
export function requireFresh(signedAt: Clocks, now: Clocks): void {
  const ages = now.flatMap((ours) => signedAt.map((theirs) => ours - theirs))
  if (ages.some((age) => age >= -SKEW_MS && age <= LIFETIME_MS)) return
  const cause = new Error(`signed ${ages.map((age) => age / 1000)} s ago: do the clocks of two servers differ?`)
  throw Object.assign(unavailable(), { cause })
}

/** The error for requests that do not come through the gateway. */
export function identityInvalid(): AppError {
  return new AppError(401, 'identity_invalid', 'The request did not come through the gateway.')
}

/** Signs an identity with the first key. Valid for 60 seconds. */
export function signIdentity(identity: Identity, keys: string[], now = readClocks()): string {
  const { userId, username, isAdmin, sessionHash, address, confirmedAt } = identity
  const text = JSON.stringify([now, userId, username, isAdmin, sessionHash, address, confirmedAt])
  const payload = Buffer.from(text).toString('base64url')
  return `${payload}.${sign('identity', payload, keys)}`
}

/**
 * The identity in a token that one of the keys signed.
 * @throws AppError 401 `identity_invalid` when the token is absent or forged, 503 when it is older than 60 seconds
 */
export function verifyIdentity(token: string | undefined, keys: string[], now = readClocks()): Identity {
  const [payload, mac, ...rest] = token?.split('.') ?? []
  if (!payload || !mac || rest.length > 0) throw identityInvalid()
  if (!isSigned('identity', payload, mac, keys)) throw identityInvalid()
  const [signedAt, userId, username, isAdmin, sessionHash, address, confirmedAt] = JSON.parse(
    Buffer.from(payload, 'base64url').toString(),
  )
  requireFresh(signedAt, now)
  return { userId, username, isAdmin, sessionHash, address, confirmedAt }
}
