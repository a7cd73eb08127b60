import { readCookie } from '../http/headers.ts'
import { isSigned, sign } from '../http/identity.ts'

/** A signed cookie that says which links its browser has opened, for the routes that name photo and folder by their ids. */
export interface LinkCookie {
  /** The link revision of the folder whose link the browser has opened last; null: none. */
  revisionOf(cookies: string | undefined, folderId: number): number | null
  /** The Set-Cookie value that adds the folder's link to those in the Cookie header; null if it is the latest one there. */
  add(cookies: string | undefined, folderId: number, linkRevision: number): string | null
}

const COOKIE = 'links'
/** The oldest ones are dropped, so that the cookie stays small. */
const MAX_LINKS = 20
const ENTRY = /^([0-9a-z]{1,6})\.([0-9a-z]{1,6})$/

/** Most visitors of a folder have the same value. To look it up takes a tenth of the time of an HMAC, for every vote and page. */
const MAX_REMEMBERED = 1000

type Entry = [folderId: number, linkRevision: number]

/** The first key signs, all verify. @param secure sets the attribute `Secure` */
export function createLinkCookie(keys: string[], secure: boolean): LinkCookie {
  const entriesOf = remember((value: string): Entry[] | null => {
    const at = value.lastIndexOf('~')
    const list = value.slice(0, at)
    if (at < 1 || !isSigned('links', list, value.slice(at + 1), keys)) return null
    return list.split('~').flatMap((text): Entry[] => {
      const [, folder, revision] = ENTRY.exec(text) ?? []
      return folder && revision ? [[Number.parseInt(folder, 36), Number.parseInt(revision, 36)]] : []
    })
  })
  const signed = remember((list: string): string => `${list}~${sign('links', list, keys)}`)

  function read(cookies: string | undefined): Entry[] {
    const value = readCookie(cookies, COOKIE)
    return (value && entriesOf(value)) || []
  }

  return {
    revisionOf: (cookies, folderId) => read(cookies).find(([id]) => id === folderId)?.[1] ?? null,
    add(cookies, folderId, linkRevision) {
      const known = read(cookies)
      const [latest] = known
      if (latest?.[0] === folderId && latest[1] === linkRevision) return null
      const entries = [[folderId, linkRevision] as Entry, ...known.filter(([id]) => id !== folderId)].slice(
        0,
        MAX_LINKS,
      )
      const list = entries.map(([id, revision]) => `${id.toString(36)}.${revision.toString(36)}`).join('~')
      return `${COOKIE}=${signed(list)}; Path=/api; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
    },
  }
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
