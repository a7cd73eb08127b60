import { createHmac, createSecretKey, hash, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import { readCookie } from '@skyfolio/kit'

/** What recognises voters, and forgets who they are: nothing is kept but keyed hashes, another set for each folder. */
export interface Voters {
  /** Keyed hash of what identifies a voter in one folder, as the text of a uuid (128 bits). */
  hash(kind: 'fingerprint' | 'address' | 'token', folderId: number, value: string): string
  /** A new signed token: the second witness beside the fingerprint. */
  newToken(): string
  /** The token in a Cookie header, or null when there is none that this service signed. */
  tokenOf(cookies: string | undefined): string | null
  /** The Set-Cookie value that gives a browser its token. */
  cookie(token: string): string
}

const COOKIE = 'voter'
const YEAR_SECONDS = 365 * 24 * 3600
const TOKEN = /^([\w-]{22})\.([\w-]{22})$/

export interface VoterOptions {
  /** Sends the cookie over https only. */
  secure: boolean
  /** Keys the hashes: see `longestKnownKey`. Default: the first key. */
  hashKey?: string
}

/** The first key signs new tokens, tokens that any of them signed are recognised. */
export function createVoters(keys: string[], { secure, hashKey = keys[0] }: VoterOptions): Voters {
  const secrets = keys.map((key) => createSecretKey(key, 'utf8'))
  const [newest] = secrets
  if (!newest) throw new Error('There is no key for voters')
  const sign = (id: string, secret: KeyObject) =>
    createHmac('sha256', secret).update(`token-signature:${id}`).digest().subarray(0, 16).toString('base64url')

  return {
    hash(kind, folderId, value) {
      // Three for each vote, and an HMAC costs five times as much. Of a hash cut to a quarter none can be continued.
      const hex = hash('sha512', `${hashKey}:${kind}:${folderId}:${value}`)
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
    },
    newToken() {
      const id = randomBytes(16).toString('base64url')
      return `${id}.${sign(id, newest)}`
    },
    tokenOf(cookies) {
      const token = readCookie(cookies, COOKIE) ?? ''
      const [, id, signature] = TOKEN.exec(token) ?? []
      if (!id || !signature) return null
      // As texts: several texts decode to the same bytes, and each would be another token.
      const given = Buffer.from(signature)
      const genuine = secrets.some((secret) => timingSafeEqual(given, Buffer.from(sign(id, secret))))
      return genuine ? token : null
    },
    cookie: (token) =>
      `${COOKIE}=${token}; Path=/api; Max-Age=${YEAR_SECONDS}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`,
  }
}
