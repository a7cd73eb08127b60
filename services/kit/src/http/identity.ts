import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { clientAddress } from './client-network.ts'
import { AppError } from './errors.ts'

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

/** Whether a signature of that time is still valid. */
export function isFresh(signedAt: number, now: number): boolean {
  return signedAt <= now + SKEW_MS && now - signedAt <= LIFETIME_MS
}

/** The error for requests that do not come through the gateway. */
export function identityInvalid(): AppError {
  return new AppError(401, 'identity_invalid', 'The request did not come through the gateway.')
}

/**
 * Signs an identity with the first key. Valid for 60 seconds.
 * @param now milliseconds since 1970
 */
export function signIdentity(identity: Identity, keys: string[], now = Date.now()): string {
  const { userId, username, isAdmin, sessionHash, address, confirmedAt } = identity
  const text = JSON.stringify([now, userId, username, isAdmin, sessionHash, address, confirmedAt])
  const payload = Buffer.from(text).toString('base64url')
  return `${payload}.${sign('identity', payload, keys)}`
}

/**
 * The identity in a token that one of the keys signed.
 * @param now milliseconds since 1970
 * @throws AppError 401 `identity_invalid` when the token is absent, forged, or older than 60 seconds
 */
export function verifyIdentity(token: string | undefined, keys: string[], now = Date.now()): Identity {
  const [payload, mac, ...rest] = token?.split('.') ?? []
  if (!payload || !mac || rest.length > 0) throw identityInvalid()
  if (!isSigned('identity', payload, mac, keys)) throw identityInvalid()
  const [signedAt, userId, username, isAdmin, sessionHash, address, confirmedAt] = JSON.parse(
    Buffer.from(payload, 'base64url').toString(),
  )
  if (!isFresh(signedAt, now)) throw identityInvalid()
  return { userId, username, isAdmin, sessionHash, address, confirmedAt }
}
