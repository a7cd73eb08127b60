import { testRights } from '@skyfolio/testkit'
import { afterAll, beforeAll } from 'vitest'
import { asOperator, registerAdministrator } from './administration/support.ts'
import {
  changeForm,
  MAIL_SETTINGS,
  type Owner,
  registerConfirmed,
  requestResetToken,
  resetForm,
} from './password-support.ts'
import { type Browser, form, PASSWORD, startAuth, type TestAuth } from './support.ts'

/*
 * Who may do what with an account: every route of the service, for every kind of caller. The identity of a session that has
 * just ended is still fresh: the gateway signed it before it heard of the end.
 */

const callers = [
  'anonymous',
  'the user',
  'a session that has just ended',
  'another user',
  'a disabled user',
  // As far as the gateway lets the request through.
  'a user being deleted',
  'an administrator',
  'the last administrator',
] as const
type Caller = (typeof callers)[number]

interface Fixture {
  owner: Owner
  /** Another session of the same user. */
  second: Browser
  /** Public ids of the sessions. */
  ids: { own: string; second: string }
  resetToken: string
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Response = Awaited<ReturnType<TestAuth['call']>>
type Send = (method: Method, url: string, body?: object) => Promise<Response>

interface Row {
  /** Method and URL pattern. */
  route: string
  what?: string
  /** `self` is the id of the caller. */
  request(fixture: Fixture, send: Send, self: number): Promise<Response>
  /** A successful request of the user changes the account or its sessions. No other one does, unless it is named. */
  changes?: true | 'by everybody' | 'by administrators'
  /** Each request counts against the user. */
  needsNew?: true
  expected: Record<Caller, number>
}

let auth: TestAuth
let count = 0
beforeAll(async () => {
  auth = await startAuth({ settings: { ...MAIL_SETTINGS, REGISTRATIONS_PER_HOUR: '10000' } })
})
afterAll(() => auth.close())

/** The others get the response of another user, but a disabled one, whose session has just ended. */
const cells = (
  anonymous: number,
  user: number,
  ended: number,
  other: number,
  more: Partial<Record<Caller, number>> = {},
): Record<Caller, number> => ({
  anonymous,
  'the user': user,
  'a session that has just ended': ended,
  'another user': other,
  'a disabled user': ended,
  'a user being deleted': other,
  'an administrator': other,
  'the last administrator': other,
  ...more,
})
/** For signed-in users, each with an account of their own. */
const users = (status: number) => cells(401, status, 401, status)
/** For administrators, whatever the user is to them. For others before anything about their session is looked up. */
const administrators = (status: number, last = status) =>
  cells(401, 403, 403, 403, { 'an administrator': status, 'the last administrator': last })
const everybody = (status: number) => cells(status, status, status, status)

function unique(): string {
  count += 1
  return `someone${count}`
}

const table: Row[] = [
  {
    route: 'POST /api/register',
    request: (_fixture, send) => send('POST', '/api/register', form(unique())),
    // The session of the request ends.
    changes: true,
    expected: everybody(201),
  },
  {
    route: 'POST /api/login',
    what: 'with the password',
    request: ({ owner }, send) => send('POST', '/api/login', { username: owner.username, password: PASSWORD }),
    changes: 'by everybody',
    expected: everybody(200),
  },
  {
    route: 'POST /api/login',
    what: 'without it',
    needsNew: true,
    request: ({ owner }, send) => send('POST', '/api/login', { username: owner.username, password: 'a guess' }),
    expected: everybody(401),
  },
  {
    route: 'POST /api/logout',
    request: (_fixture, send) => send('POST', '/api/logout'),
    changes: true,
    expected: everybody(200),
  },
  {
    route: 'GET /api/user',
    request: (_fixture, send) => send('GET', '/api/user'),
    expected: users(200),
  },
  {
    route: 'PUT /api/user',
    request: (_fixture, send) => send('PUT', '/api/user', { firstName: 'New', email: 'new@example.org' }),
    changes: true,
    expected: users(200),
  },
  {
    route: 'GET /api/user/statistics',
    request: (_fixture, send) => send('GET', '/api/user/statistics'),
    expected: users(200),
  },
  {
    route: 'GET /api/admin/stats',
    request: (_fixture, send) => send('GET', '/api/admin/stats'),
    expected: administrators(200),
  },
  {
    route: 'GET /api/admin/audit',
    request: (_fixture, send) => send('GET', '/api/admin/audit'),
    expected: administrators(200),
  },
  {
    route: 'GET /api/user/settings',
    request: (_fixture, send) => send('GET', '/api/user/settings'),
    expected: users(200),
  },
  {
    route: 'PUT /api/user/settings',
    request: (_fixture, send) => send('PUT', '/api/user/settings', { units: 'imperial' }),
    changes: true,
    expected: users(200),
  },
  {
    route: 'POST /api/user/password',
    request: (_fixture, send) => send('POST', '/api/user/password', changeForm(PASSWORD)),
    changes: true,
    expected: users(204),
  },
  {
    route: 'POST /api/user/password',
    what: 'without the current one',
    request: (_fixture, send) => send('POST', '/api/user/password', changeForm('a guess')),
    expected: users(400),
  },
  {
    route: 'GET /api/user/sessions',
    request: (_fixture, send) => send('GET', '/api/user/sessions'),
    expected: users(200),
  },
  {
    route: 'DELETE /api/user/sessions/:id',
    what: 'a further one of the user',
    request: ({ ids }, send) => send('DELETE', `/api/user/sessions/${ids.second}`),
    changes: true,
    expected: cells(401, 204, 401, 404),
  },
  {
    route: 'DELETE /api/user/sessions/:id',
    what: 'the own one of the user',
    request: ({ ids }, send) => send('DELETE', `/api/user/sessions/${ids.own}`),
    changes: true,
    expected: cells(401, 204, 401, 404),
  },
  {
    route: 'DELETE /api/user/sessions/:id',
    what: 'by its hash, which is no id',
    request: ({ second }, send) => send('DELETE', `/api/user/sessions/${second.session.hash}`),
    expected: users(404),
  },
  {
    route: 'DELETE /api/user/sessions',
    request: (_fixture, send) => send('DELETE', '/api/user/sessions'),
    changes: true,
    expected: users(204),
  },
  {
    route: 'POST /api/user/email/confirmation',
    what: 'of an address that is confirmed',
    request: (_fixture, send) => send('POST', '/api/user/email/confirmation'),
    // The other user has no address.
    expected: users(409),
  },
  {
    route: 'POST /api/user/email/confirm',
    what: 'with a token for something else',
    request: ({ resetToken: token }, send) => send('POST', '/api/user/email/confirm', { token, password: PASSWORD }),
    expected: everybody(410),
  },
  {
    route: 'POST /api/user/email/revert',
    what: 'with a token for something else',
    request: ({ resetToken: token }, send) => send('POST', '/api/user/email/revert', { token }),
    expected: everybody(410),
  },
  {
    route: 'POST /api/password-reset',
    request: (_fixture, send) => send('POST', '/api/password-reset', { email: `${unique()}@example.org` }),
    expected: everybody(202),
  },
  {
    route: 'POST /api/password-reset/confirm',
    what: 'with the token of the mail',
    request: ({ resetToken }, send) => send('POST', '/api/password-reset/confirm', resetForm(resetToken)),
    changes: 'by everybody',
    expected: everybody(204),
  },
  {
    route: 'POST /api/password-reset/confirm',
    what: 'with a guessed one',
    request: (_fixture, send) => send('POST', '/api/password-reset/confirm', resetForm('x'.repeat(43))),
    expected: everybody(410),
  },
  {
    route: 'DELETE /api/user',
    request: (_fixture, send) => send('DELETE', '/api/user', { password: PASSWORD }),
    changes: true,
    expected: { ...users(202), 'the last administrator': 409 },
  },
  {
    route: 'DELETE /api/user',
    what: 'without the password',
    request: (_fixture, send) => send('DELETE', '/api/user', { password: 'a guess' }),
    expected: users(400),
  },
  {
    route: 'POST /api/user/restore',
    what: 'when nothing was requested',
    request: (_fixture, send) => send('POST', '/api/user/restore'),
    expected: users(204),
  },
  {
    route: 'DELETE /api/admin/users/:id',
    request: ({ owner }, send) => send('DELETE', `/api/admin/users/${owner.userId}`),
    changes: 'by administrators',
    expected: administrators(202),
  },
  {
    route: 'DELETE /api/admin/users/:id',
    what: 'oneself',
    request: (_fixture, send, self) => send('DELETE', `/api/admin/users/${self}`),
    expected: administrators(202, 409),
  },
  {
    route: 'POST /api/admin/users/:id/restore',
    request: ({ owner }, send) => send('POST', `/api/admin/users/${owner.userId}/restore`),
    expected: administrators(204),
  },
  {
    route: 'GET /api/admin/deletions',
    request: (_fixture, send) => send('GET', '/api/admin/deletions'),
    expected: administrators(200),
  },
  {
    route: 'POST /api/user/confirm-password',
    request: (_fixture, send) => send('POST', '/api/user/confirm-password', { password: PASSWORD }),
    changes: true,
    expected: users(204),
  },
  {
    route: 'POST /api/user/confirm-password',
    what: 'with a guess',
    request: (_fixture, send) => send('POST', '/api/user/confirm-password', { password: 'a guess' }),
    expected: users(400),
  },
  {
    route: 'GET /api/admin/users',
    request: (_fixture, send) => send('GET', '/api/admin/users'),
    expected: administrators(200),
  },
  {
    route: 'GET /api/admin/users/:id',
    request: ({ owner }, send) => send('GET', `/api/admin/users/${owner.userId}`),
    expected: administrators(200),
  },
  {
    route: 'PATCH /api/admin/users/:id',
    request: ({ owner }, send) => send('PATCH', `/api/admin/users/${owner.userId}`, { isAdmin: true, quota: 5 }),
    changes: 'by administrators',
    expected: administrators(200),
  },
  {
    route: 'PATCH /api/admin/users/:id',
    what: 'oneself, to be an administrator',
    request: (_fixture, send, self) => send('PATCH', `/api/admin/users/${self}`, { isAdmin: true }),
    expected: administrators(200),
  },
  {
    route: 'PATCH /api/admin/users/:id',
    what: 'oneself, to be none any more',
    request: (_fixture, send, self) => send('PATCH', `/api/admin/users/${self}`, { isAdmin: false }),
    expected: administrators(200, 409),
  },
  {
    route: 'PATCH /api/admin/users/:id',
    what: 'oneself, to be disabled',
    request: (_fixture, send, self) => send('PATCH', `/api/admin/users/${self}`, { disabled: true }),
    expected: administrators(200, 409),
  },
  {
    route: 'POST /api/admin/users/:id/password-reset',
    request: ({ owner }, send) => send('POST', `/api/admin/users/${owner.userId}/password-reset`),
    changes: 'by administrators',
    expected: administrators(202),
  },
]

/** A user with two sessions. */
async function makeFixture(): Promise<Fixture> {
  const owner = await registerConfirmed(auth, unique())
  const second = await auth.signIn(owner.username)
  const sessions: { id: string; current: boolean }[] = (await owner.call('GET', '/api/user/sessions')).json()
  const idOf = (current: boolean) => sessions.find((session) => session.current === current)?.id ?? ''
  const ids = { own: idOf(true), second: idOf(false) }
  return { owner, second, ids, resetToken: await requestResetToken(auth, owner) }
}

/** Everything the service stores about an account, and which of its sessions run. */
async function recordOf({ owner: { userId } }: Fixture): Promise<unknown> {
  const { rows } = await auth.pool.query(
    `SELECT (SELECT to_jsonb(users) FROM users WHERE id = $1) AS account,
            (SELECT jsonb_agg(mails ORDER BY id) FROM mails WHERE user_id = $1) AS mails,
            (SELECT jsonb_agg(account_tokens ORDER BY hash) FROM account_tokens WHERE user_id = $1) AS tokens,
            (SELECT jsonb_agg(session_endings ORDER BY id) FROM session_endings WHERE user_id = $1) AS endings`,
    [userId],
  )
  const hashes = (await auth.redis.smembers(`sessions-of:${userId}`)).sort()
  const sessions = await Promise.all(hashes.map((hash) => auth.redis.get(`session:${hash}`)))
  return { rows, sessions: sessions.filter(Boolean) }
}

interface Sender {
  send: Send
  self: number
}

async function sender(fixture: Fixture, row: Row, caller: Caller): Promise<Sender> {
  if (caller === 'anonymous') return { send: (method, url, body) => auth.call(method, url, body), self: 0 }
  const { call, userId } = await browserOf(fixture, row, caller)
  return { send: (method, url, body) => call(method, url, body), self: userId }
}

/** The browsers of callers whose requests changed nothing of their own so far. */
const others = new Map<Caller, Browser>()

async function browserOf({ owner }: Fixture, row: Row, caller: Exclude<Caller, 'anonymous'>): Promise<Browser> {
  if (caller === 'the user') return owner
  if (caller === 'a session that has just ended') {
    const ended = await auth.signIn(owner.username)
    await auth.redis.del(`session:${ended.session.hash}`)
    return ended
  }
  const canChangeOwn = !row.route.startsWith('GET ') && row.expected[caller] < 300
  const browser = (!canChangeOwn && others.get(caller)) || (await newBrowser(caller))
  if (canChangeOwn) return browser
  others.set(caller, browser)
  if (isAdministrator(caller)) await appoint(browser, caller)
  return browser
}

/** Makes the user an administrator again, after others were the last one. */
async function appoint({ userId }: Browser, caller: Caller): Promise<void> {
  await auth.db.user.update({ where: { id: userId }, data: { isAdmin: true } })
  if (caller === 'the last administrator') await dismissOthers(userId)
}

const dismissOthers = (id: number) => auth.db.user.updateMany({ where: { id: { not: id } }, data: { isAdmin: false } })

async function newBrowser(caller: Caller): Promise<Browser> {
  const username = unique()
  const other = await auth.register(username)
  const id = other.userId
  if (caller === 'another user') return other
  if (caller === 'a disabled user') {
    await asOperator(auth, username, { disabled: true })
    return other
  }
  if (caller === 'a user being deleted') {
    await auth.db.accountDeletion.create({ data: { userId: id, byAdmin: false, deletesAt: new Date() } })
    return auth.signIn(username)
  }
  const isLast = caller === 'the last administrator'
  if (isLast) await dismissOthers(id)
  else await registerAdministrator(auth, unique())
  await asOperator(auth, username, { isAdmin: true })
  return auth.signIn(username)
}

const isAdministrator = (caller: Caller) => caller === 'an administrator' || caller === 'the last administrator'

function hasChanged({ changes }: Row, caller: Caller): boolean {
  if (changes === 'by administrators') return isAdministrator(caller)
  return changes === 'by everybody' || (changes === true && caller === 'the user')
}

testRights({
  table,
  callers,
  statesOf: () => ['with an account'],
  expected: (row, _state, caller) => row.expected[caller],
  changes: (row, _state, caller) => hasChanged(row, caller),
  makeFixture,
  recordOf,
  async prepare(row, fixture, caller) {
    const { send, self } = await sender(fixture, row, caller)
    return async () => (await row.request(fixture, send, self)).statusCode
  },
  app: () => auth.app,
})
