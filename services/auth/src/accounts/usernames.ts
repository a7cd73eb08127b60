import confusables from 'unhomoglyph/data.json' with { type: 'json' }
import type { Transaction } from '../database.ts'

/** The form in which usernames are compared: trimmed, compatibility characters unified, case folded. */
export function toUsernameKey(username: string): string {
  // PostgreSQL cannot store NUL in a text; its replacement is in no username, so the lookup finds nobody.
  return username.trim().normalize('NFKC').toLowerCase().replaceAll('\0', '\uFFFD')
}

// What a username looks like, by Unicode's table of confusable characters (UTS 39). The unique key of usernames tells only
// which letters they have: a Cyrillic 'vіctim' has another one than the Latin 'victim'.

const LOOKS_LIKE = new Map(Object.entries(confusables as Record<string, string>))
/** The dot of these letters hides another one. */
const DOTTED_TWICE = /([ijl])\u0307+/gu
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu
/** Letters that are read from the right, with the spaces between their words. */
const FROM_RIGHT =
  '\\p{Script=Hebrew}\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Thaana}\\p{Script=Nko}\\p{Script=Adlam}\\p{Script=Hanifi_Rohingya}\\p{Script=Samaritan}\\p{Script=Mandaic}'
const RUNS = new RegExp(`[${FROM_RIGHT}\\p{M}\\s]+|[^${FROM_RIGHT}]+`, 'gu')
const HAS_FROM_RIGHT = new RegExp(`[${FROM_RIGHT}]`, 'u')

/**
 * The skeletons of a username: as it is shown, and in small letters, since names are the same regardless of case. Two
 * names that share one look the same.
 */
export function usernameSkeletons(username: string): string[] {
  const shown = inAnyDirection(username.replaceAll(IGNORABLE, '').normalize('NFKC').trim().replace(/\s+/gu, ' '))
  return [...new Set([shown, foldCase(shown)].map((text) => foldCase(skeleton(text))))].sort()
}

/** Whether another user's name looks like one with these skeletons. */
export async function hasLookalike(db: Pick<Transaction, '$queryRaw'>, skeletons: string[]): Promise<boolean> {
  const rows = await db.$queryRaw<
    unknown[]
  >`SELECT 1 FROM users WHERE username_skeletons && ${skeletons}::text[] LIMIT 1`
  return rows.length > 0
}

/** Of transactions that add names which look the same, the second one waits here, and then sees the first one's. */
export async function lockSkeletons(tx: Transaction, skeletons: string[]): Promise<void> {
  for (const text of skeletons)
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('username ' || ${text}, 0))`
}

function skeleton(text: string): string {
  const replaced = [...text.normalize('NFD')].map((character) => LOOKS_LIKE.get(character) ?? character).join('')
  return replaced.normalize('NFD').replaceAll(DOTTED_TWICE, '$1')
}

/** Case folding, which JavaScript lacks: a letter that has two small forms, or stands for two letters, gets one form. */
function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFKC')
}

/** A number before a word that is read from the right is shown where one behind it is, so their order says nothing. */
function inAnyDirection(text: string): string {
  if (!HAS_FROM_RIGHT.test(text)) return text
  const runs = (text.match(RUNS) ?? []).map((run) => run.trim())
  return runs.filter(Boolean).sort().join(' ')
}
