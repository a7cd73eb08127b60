import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { AppError } from './errors.ts'

/** Who is behind a request, as the gateway found out. All but the address are null for a visitor without a session. */
export interface Identity {
  userId: number | null
  username: string | null
  isAdmin: boolean
  sessionHash: string | null
  /** The client's IP address. */
  address: string
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

function signature(payload: string, key: string): Buffer {
  // Named for its purpose: nothing that the key signs for another can pass for an identity.
  return createHmac('sha256', keyObject(key)).update(`identity.${payload}`).digest()
}

function invalid(): AppError {
  return new AppError(401, 'identity_invalid', 'The request does not come through the front door.')
}

/**
 * Signs an identity with the first key. It holds for 60 seconds.
 * @param now milliseconds since 1970
 */
export function signIdentity(identity: Identity, keys: string[], now = Date.now()): string {
  const [key] = keys
  if (!key) throw new Error('There is no key to sign identities with')
  const { userId, username, isAdmin, sessionHash, address } = identity
  const payload = Buffer.from(JSON.stringify([now, userId, username, isAdmin, sessionHash, address])).toString(
    'base64url',
  )
  return `${payload}.${signature(payload, key).toString('base64url')}`
}

/**
 * The identity in a token that one of the keys signed.
 * @param now milliseconds since 1970
 * @throws AppError 401 `identity_invalid` when the token is absent, forged, or older than 60 seconds
 */
export function verifyIdentity(token: string | undefined, keys: string[], now = Date.now()): Identity {
  const [payload, mark, ...rest] = token?.split('.') ?? []
  if (!payload || !mark || rest.length > 0) throw invalid()
  const given = Buffer.from(mark, 'base64url')
  const genuine = keys.some((key) => {
    const expected = signature(payload, key)
    return expected.length === given.length && timingSafeEqual(expected, given)
  })
  if (!genuine) throw invalid()
  const [signedAt, userId, username, isAdmin, sessionHash, address] = JSON.parse(
    Buffer.from(payload, 'base64url').toString(),
  )
  if (signedAt > now + SKEW_MS || now - signedAt > LIFETIME_MS) throw invalid()
  return { userId, username, isAdmin, sessionHash, address }
}
