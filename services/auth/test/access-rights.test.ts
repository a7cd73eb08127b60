import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

const callers = ['anonymous', 'the user', 'a session that has just ended', 'another user'] as const
type Caller = (typeof callers)[number]

interface Fixture {
  owner: Owner
  /** Another session of the same user. */
  second: Browser
  /** Public ids of the sessions. */
  ids: { own: string; second: string }
  resetToken: string
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
type Response = Awaited<ReturnType<TestAuth['call']>>
type Send = (method: Method, url: string, body?: object) => Promise<Response>

interface Row {
  /** Method and URL pattern. */
  route: string
  what?: string
  request(fixture: Fixture, send: Send): Promise<Response>
  /** A successful request of the user changes the account or its sessions. No other one does, unless it is named. */
  changes?: true | 'by everybody'
  expected: Record<Caller, number>
}

let auth: TestAuth
let count = 0
beforeAll(async () => {
  auth = await startAuth({ settings: { ...MAIL_SETTINGS, PASSWORD_RESETS_PER_ADDRESS: '10000' } })
})
afterAll(() => auth.close())

const cells = (anonymous: number, user: number, ended: number, other: number): Record<Caller, number> => ({
  anonymous,
  'the user': user,
  'a session that has just ended': ended,
  'another user': other,
})
/** For signed-in users, each with an account of their own. */
const users = (status: number) => cells(401, status, 401, status)
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
]

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

async function sender({ owner }: Fixture, caller: Caller): Promise<Send> {
  if (caller === 'anonymous') return (method, url, body) => auth.call(method, url, body)
  if (caller === 'the user') return (method, url, body) => owner.call(method, url, body)
  const { call, session } =
    caller === 'another user' ? await auth.register(unique()) : await auth.signIn(owner.username)
  if (caller === 'a session that has just ended') await auth.redis.del(`session:${session.hash}`)
  return (method, url, body) => call(method, url, body)
}

const titled = table.map((row) => ({ row, title: row.what ? `${row.route}, ${row.what}` : row.route }))

describe.each(titled)('$title', ({ row }) => {
  test.each(callers)('%s', async (caller) => {
    const fixture = await makeFixture()
    const send = await sender(fixture, caller)
    const before = await recordOf(fixture)
    expect((await row.request(fixture, send)).statusCode).toBe(row.expected[caller])

    const after = await recordOf(fixture)
    if (row.changes === 'by everybody' || (row.changes && caller === 'the user')) expect(after).not.toEqual(before)
    else expect(after).toEqual(before)
  })
})

/** All routes of the router, including hidden ones; without HEAD, which comes with GET. */
function routesOf(tree: string): string[] {
  const above: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', part = '', methods = ''] = /^((?:[│ ] {3})*)[├└]── (\S+)(?: \((.*)\))?/.exec(line) ?? []
    const depth = indent.length / 4
    above.splice(depth, above.length, part)
    const path = above.join('')
    return methods
      .split(', ')
      .filter((method) => method !== '' && method !== 'HEAD')
      .map((method) => `${method} ${path}`)
  })
}

test('every route of auth has a row in the table, and every row a route', () => {
  const routes = routesOf(auth.app.printRoutes({ commonPrefix: false }))
  expect(routes.length).toBeGreaterThan(10)
  expect([...new Set(table.map(({ route }) => route))].sort()).toEqual(routes.sort())
})
