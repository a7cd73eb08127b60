import { AUDIT_ACTIONS, type AuditAction } from '@skyfolio/proto'
import { toUsernameKey } from '../accounts/usernames.ts'
import type { Database } from '../database.ts'

/** What nobody did: the worker erases accounts whose time has come. */
export const SYSTEM_ACTION = 'user.erased'

/** Entries that all of this holds for. */
export interface AuditSearch {
  actions: readonly AuditAction[]
  /** Each is the actor or the owner; at most two. */
  users: number[]
  subjectId: number | null
  /** Only what an operator or the system did. */
  withoutActor: boolean
}

/** The words with which the web shows the actions, as far as their names do not have them. */
const WORDS: Record<AuditAction, string> = {
  'user.edited': 'changed',
  'user.promoted': 'made administrator',
  'user.demoted': 'took away administrator rights',
  'user.disabled': 'account',
  'user.enabled': 'account',
  'user.quota-changed': 'storage limit',
  'user.password-reset-sent': 'sent',
  'user.deletion-requested': 'account',
  'user.deletion-revoked': 'account',
  'user.erased': 'account',
  'photo.viewed': 'looked private',
  'photo.deleted': '',
  'folder.viewed': 'looked private',
  'folder.deleted': '',
  'order.viewed': 'looked',
  'order.resolved': '',
  'environment.changed': 'switched print',
  'test-order.placed': '',
}
/** Words of these texts that say nothing. */
const FILLERS = new Set(['a', 'an', 'at', 'of', 'the'])
const INSTALLATION_ACTIONS: readonly AuditAction[] = ['environment.changed', 'test-order.placed']
/** A user, photo, folder or order with its id, or one word. */
const TERMS = /\b(user|photo|folder|order) (\d{1,10})(?!\S)|\S+/g
/** As the log shows who is no user. */
const ACTOR = /\b(operator|system) \((?:command|automatic)\)/g
const PLURALS: Record<string, string> = { users: 'user', photos: 'photo', folders: 'folder', orders: 'order' }
const MIN_WORD = 3
const LAST_ID = 2 ** 31 - 1

/**
 * What the text searches for: each word is a user's name, a part of an action, or a word of the subject as it is shown, such as
 * 'User 12', 'Photo 5 of pilot', 'Installation'. Names are found by the whole name. Null when nothing can match.
 */
export async function readSearch(db: Database, text: string): Promise<AuditSearch | null> {
  const search: AuditSearch = { actions: AUDIT_ACTIONS, users: [], subjectId: null, withoutActor: false }
  // A name may have spaces.
  const [whole] = /\s/.test(text) ? (await findUsers(db, [text])).values() : []
  if (whole !== undefined) return { ...search, users: [whole] }

  const names: string[] = []
  for (const [term, kind, id] of text.toLowerCase().replace(ACTOR, '$1').matchAll(TERMS)) {
    if (kind) addNumbered(search, kind, Number(id))
    else if (!addWord(search, term)) names.push(term)
  }
  const found = await findUsers(db, names)
  for (const name of names) addName(search, name, found.get(toUsernameKey(name)))
  search.users = [...new Set(search.users)]
  return search.users.length > 2 || search.actions.length === 0 ? null : search
}

function addNumbered(search: AuditSearch, kind: string, id: number): void {
  if (id > LAST_ID) search.actions = []
  else if (kind === 'user') search.users.push(id)
  else addSubject(search, kind, id)
}

function addSubject(search: AuditSearch, kind: string | null, id: number): void {
  if (search.subjectId !== null && search.subjectId !== id) search.actions = []
  if (kind) onlyActions(search, (action) => action.startsWith(`${kind}.`))
  search.subjectId = id
}

/** Returns whether the word is one of actions or subjects. */
function addWord(search: AuditSearch, word: string): boolean {
  if (FILLERS.has(word)) return true
  const matches = matcherOf(word)
  if (!matches || !AUDIT_ACTIONS.some(matches)) return false
  if (word === 'operator' || word === 'system') search.withoutActor = true
  onlyActions(search, matches)
  return true
}

/** Which actions a word stands for. Null for a word that is too short to be a part of one. */
function matcherOf(word: string): ((action: AuditAction) => boolean) | null {
  if (word === 'installation') return (action) => INSTALLATION_ACTIONS.includes(action)
  if (word === 'system') return (action) => action === SYSTEM_ACTION
  if (word === 'operator') return (action) => action !== SYSTEM_ACTION
  if (word.length < MIN_WORD) return null
  const part = PLURALS[word] ?? word
  // Of what is shown only whole words count, so that few names of users are taken for one.
  return (action) =>
    action.startsWith(part) ||
    WORDS[action].split(' ').includes(word) ||
    action.split(/[.-]/).some((name) => name.startsWith(part))
}

/** A name of a user; a number that is none is the id of a subject. Anything else matches nothing. */
function addName(search: AuditSearch, name: string, userId: number | undefined): void {
  if (userId !== undefined) search.users.push(userId)
  else if (/^\d{1,10}$/.test(name) && Number(name) <= LAST_ID) addSubject(search, null, Number(name))
  else search.actions = []
}

function onlyActions(search: AuditSearch, matches: (action: AuditAction) => boolean): void {
  search.actions = search.actions.filter(matches)
}

/** Ids by the form in which names are compared. */
async function findUsers(db: Database, names: string[]): Promise<Map<string, number>> {
  if (names.length === 0) return new Map()
  const users = await db.user.findMany({
    where: { usernameKey: { in: names.map(toUsernameKey) } },
    select: { id: true, usernameKey: true },
  })
  return new Map(users.map(({ id, usernameKey }) => [usernameKey, id]))
}
