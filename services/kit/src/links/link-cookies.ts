import { AppError } from '../http/errors.ts'
import { readCookie } from '../http/headers.ts'
import { isSigned, sign } from '../http/identity.ts'

/** Pairs of numbers in a signed cookie: what its browser has opened. */
export interface LinkCookie {
  /** The pairs in the Cookie header, the latest first; none if the cookie is missing or forged. */
  read(cookies: string | undefined): readonly Pair[]
  /** The Set-Cookie value that adds the pair to those in the Cookie header; null if it is the latest one there. */
  add(cookies: string | undefined, pair: Pair): string | null
}

export type Pair = readonly [number, number]

export interface LinkCookies {
  /**
   * `links`: folder and link revision of the links that the browser has opened, for the routes that name photo and folder by
   * their ids.
   */
  opened: LinkCookie
  /** `unlocked`: link and password revision of the passwords that were entered. */
  unlocked: LinkCookie
  /** `invitations`: folder and invitation of those whose link the browser has opened. */
  invited: LinkCookie
}

/** The oldest ones are dropped, so that the cookies stay small. */
const MAX_PAIRS = 20
const PAIR = /^([0-9a-z]{1,6})\.([0-9a-z]{1,6})$/
const UNLOCKED_SECONDS = 30 * 24 * 3600
const INVITED_SECONDS = 365 * 24 * 3600

/** Most visitors of a folder have the same value. To look it up takes a tenth of the time of an HMAC, for every vote and page. */
const MAX_REMEMBERED = 1000

/** The first key signs, all verify. @param secure sets the attribute `Secure` */
export function createLinkCookies(keys: string[], secure: boolean): LinkCookies {
  const attributes = `HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  return {
    opened: createCookie('links', `Path=/api; ${attributes}`, keys),
    // The page itself is rendered with the folder's texts for those who have entered the password.
    unlocked: createCookie('unlocked', `Path=/; Max-Age=${UNLOCKED_SECONDS}; ${attributes}`, keys),
    invited: createCookie('invitations', `Path=/api; Max-Age=${INVITED_SECONDS}; ${attributes}`, keys),
  }
}

/** The link revisions of a folder among the pairs of `opened`. */
export function revisionsOf(opened: readonly Pair[], folderId: number): number[] {
  return opened.filter(([id]) => id === folderId).map(([, revision]) => revision)
}

/** Whether the pairs of `unlocked` have the link with its present password; a link without one is open to all. */
export function isUnlocked(unlocked: readonly Pair[], link: { id: number; passwordRevision: number | null }): boolean {
  if (link.passwordRevision === null) return true
  return unlocked.some(([id, revision]) => id === link.id && revision === link.passwordRevision)
}

/** The error for everything of a link whose password was not entered. */
export function passwordRequired(): AppError {
  return new AppError(403, 'password_required', 'This folder is protected by a password.')
}

function createCookie(name: 'links' | 'unlocked' | 'invitations', attributes: string, keys: string[]): LinkCookie {
  const pairsOf = remember((value: string): Pair[] | null => {
    const at = value.lastIndexOf('~')
    const list = value.slice(0, at)
    if (at < 1 || !isSigned(name, list, value.slice(at + 1), keys)) return null
    return list.split('~').flatMap((text): Pair[] => {
      const [, first, second] = PAIR.exec(text) ?? []
      return first && second ? [[Number.parseInt(first, 36), Number.parseInt(second, 36)]] : []
    })
  })
  const signed = remember((list: string): string => `${list}~${sign(name, list, keys)}`)

  function read(cookies: string | undefined): readonly Pair[] {
    const value = readCookie(cookies, name)
    return (value && pairsOf(value)) || []
  }

  return {
    read,
    add(cookies, pair) {
      const known = read(cookies)
      if (known[0] && isSame(known[0], pair)) return null
      const pairs = [pair, ...known.filter((other) => !isSame(other, pair))].slice(0, MAX_PAIRS)
      const list = pairs.map(([first, second]) => `${first.toString(36)}.${second.toString(36)}`).join('~')
      return `${name}=${signed(list)}; ${attributes}`
    },
  }
}

function isSame(one: Pair, other: Pair): boolean {
  return one[0] === other[0] && one[1] === other[1]
}

/** A function that keeps its latest results, except null. */
function remember<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const made = make(text)
    if (made === null) return made
    const [oldest] = known.keys()
    if (known.size >= MAX_REMEMBERED && oldest !== undefined) known.delete(oldest)
    known.set(text, made)
    return made
  }
}
