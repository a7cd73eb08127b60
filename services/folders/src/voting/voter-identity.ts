import {
  createHash,
  createHmac,
  createSecretKey,
  hash,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { readCookie } from '@skyfolio/kit'
import type { Database } from '../database.ts'

/** Recognises voters without storing who they are: only keyed hashes are stored, different ones in each folder. */
export interface VoterIdentity {
  /** Keyed hash of what identifies a voter in one folder, in the text form of a UUID (128 bits). */
  hash(
    kind: 'fingerprint' | 'invitation' | 'user' | 'address' | 'site' | 'token',
    folderId: number,
    value: string,
  ): string
  /** A new signed token: a second means of recognition beside the fingerprint. */
  newToken(): string
  /** The token in a Cookie header, or else the one that the page `kept`; null if neither is one that this service signed. */
  tokenOf(cookies: string | undefined, kept?: string): string | null
  /** The Set-Cookie value for a token; for a page in a frame, one that browsers keep for each embedding site by itself. */
  cookie(token: string, embedded: boolean): string
}

const COOKIE = 'voter'
const YEAR_SECONDS = 365 * 24 * 3600
const TOKEN = /^([\w-]{22})\.([\w-]{22})$/

interface VoterIdentityOptions {
  /** Sets the `Secure` attribute of the cookie. */
  secure: boolean
  /** Key of the hashes: see `oldestKnownKey`. Default: the first key. */
  hashKey?: string
}

/** The first key signs new tokens; tokens signed with any of the keys are accepted. */
export function createVoterIdentity(
  keys: string[],
  { secure, hashKey = keys[0] }: VoterIdentityOptions,
): VoterIdentity {
  const secrets = keys.map((key) => createSecretKey(key, 'utf8'))
  const [newest] = secrets
  if (!newest) throw new Error('no voter key')
  const sign = (id: string, secret: KeyObject) =>
    createHmac('sha256', secret).update(`token-signature:${id}`).digest().subarray(0, 16).toString('base64url')

  function isGenuine(token: string | null | undefined): token is string {
    const [, id, signature] = TOKEN.exec(token ?? '') ?? []
    if (!id || !signature) return false
    // Compared as text: several texts decode to the same bytes, and each would be another token.
    const given = Buffer.from(signature)
    return secrets.some((secret) => timingSafeEqual(given, Buffer.from(sign(id, secret))))
  }

  return {
    hash(kind, folderId, value) {
      // Several hashes for each vote, and an HMAC costs five times as much. Truncation to a quarter prevents length extension.
      const hex = hash('sha512', `${hashKey}:${kind}:${folderId}:${value}`)
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
    },
    newToken() {
      const id = randomBytes(16).toString('base64url')
      return `${id}.${sign(id, newest)}`
    },
    tokenOf: (cookies, kept) => [readCookie(cookies, COOKIE), kept].find(isGenuine) ?? null,
    cookie(token, embedded) {
      const sites = embedded ? 'SameSite=None; Secure; Partitioned' : `SameSite=Lax${secure ? '; Secure' : ''}`
      return `${COOKIE}=${token}; Path=/api; Max-Age=${YEAR_SECONDS}; HttpOnly; ${sites}`
    },
  }
}

/**
 * Returns the configured key that this installation has known for longest, and registers new ones in their order.
 *
 * It keys the hashes of voters whatever the order of the list: during a key rotation, replicas with different lists
 * agree on it, and each voter keeps the hash under which the ballot is stored.
 */
export async function oldestKnownKey(db: Database, keys: string[]): Promise<string> {
  const ids = keys.map((key) => createHash('sha256').update(`voter-key:${key}`).digest('hex').slice(0, 16))
  await db.voterKey.createMany({ data: ids.map((id) => ({ id })), skipDuplicates: true })
  const oldest = await db.voterKey.findFirst({ where: { id: { in: ids } }, orderBy: { seq: 'asc' } })
  return keys[ids.indexOf(oldest?.id ?? '')] as string
}
