import type { Invitation } from '../../api/types.ts'

/** So many invitations are made at once. */
export const NAMES_AT_ONCE = 1000
const NAME_LENGTH = 200

export interface PastedNames {
  names: string[]
  /** So many were there again and are left out. */
  duplicates: number
  /** So many have an invitation and are left out. */
  invited: number
  /** Why they cannot be sent; null if they can. */
  problem: string | null
}

/**
 * The names of a pasted text: one per line, since names have commas too; a single line is separated by commas or semicolons.
 * Upper and lower case make no difference between two. @param invited who is already, and left out
 */
export function readNames(text: string, invited: readonly Pick<Invitation, 'name'>[] = []): PastedNames {
  const lines = trimmed(text.split(/[\n\r]/))
  const pasted = lines.length === 1 ? trimmed(text.split(/[,;]/)) : lines
  const different = Map.groupBy(pasted, (name) => name.toLowerCase())
  const known = new Set(invited.map(({ name }) => name.toLowerCase()))
  const names = [...different].flatMap(([key, [name = '']]) => (known.has(key) ? [] : [name]))
  const left = different.size - names.length
  return { names, duplicates: pasted.length - different.size, invited: left, problem: problemOf(names) }
}

const trimmed = (texts: string[]) => texts.map((text) => text.trim()).filter((text) => text !== '')

function problemOf(names: string[]): string | null {
  const long = names.find((name) => [...name].length > NAME_LENGTH)
  if (long) return `“${[...long].slice(0, 30).join('')}…” is longer than ${NAME_LENGTH} characters.`
  if (names.length <= NAMES_AT_ONCE) return null
  return 'At most 1,000 invitations are made at once: paste the others afterwards.'
}

const BYTE_ORDER_MARK = '\uFEFF'

/** The invitations as CSV (RFC 4180); `linkOf` makes their addresses. The mark tells spreadsheets that it is UTF-8. */
export function invitationsCsv(invitations: readonly Invitation[], linkOf: (invitation: Invitation) => string): string {
  const rows = invitations.map((invitation) => [invitation.name, linkOf(invitation), invitation.used ? 'Yes' : 'No'])
  return BYTE_ORDER_MARK + [['Name', 'Link', 'Voted'], ...rows].map((row) => `${row.map(cellOf).join()}\r\n`).join('')
}

/** Spreadsheets would run what begins like a formula. */
function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
