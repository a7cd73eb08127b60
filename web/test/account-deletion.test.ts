import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { activeUserQuery, userQuery } from '../src/api/queries.ts'
import { checkSession, createQueryClient } from '../src/api/query-client.ts'
import type { AccountExport, User } from '../src/api/types.ts'
import { finalitySentence, formatUntil } from '../src/features/account/deletion-texts.ts'
import { exportStateOf, percentDone } from '../src/features/account/export-section.tsx'
import { failureOf } from '../src/features/upload/queue/failure.ts'
import { ApiError, concernsSession } from '../src/lib/http.ts'

const USER: User = {
  id: 7,
  username: 'pilot',
  firstName: null,
  lastName: null,
  displayName: null,
  email: null,
  emailConfirmed: false,
  isAdmin: false,
  publicByDefault: true,
  emailNotifications: true,
  createdAt: '2026-01-01T00:00:00.000Z',
  deletesAt: null,
  canRestore: false,
}
const DELETING = { ...USER, deletesAt: '2026-02-01T00:00:00.000Z', canRestore: true }
const rejected = (status: number, code: string) => new ApiError(status, 'x', { code, message: 'No.' })

// A page without the mark of visitors.
beforeEach(() => void vi.stubGlobal('document', { documentElement: { dataset: {} } }))
afterEach(() => vi.unstubAllGlobals())

/** GET /api/user returns this user, or 401 for null. Returns the paths that were requested. */
function serveUser(user: User | null): string[] {
  const paths: string[] = []
  vi.stubGlobal('fetch', async (path: string) => {
    paths.push(path)
    return user ? Response.json(user) : Response.json({ code: 'unauthorized', message: 'No.' }, { status: 401 })
  })
  return paths
}

async function clientOf(user: User, client = new QueryClient()): Promise<QueryClient> {
  serveUser(user)
  await client.fetchQuery(userQuery)
  return client
}

describe('an error about the session', () => {
  test.each([
    [401, 'unauthorized', true],
    [403, 'account_deleting', true],
    [403, 'forbidden', false],
    [404, 'not_found', false],
  ])('is %i %s: %s', (status, code, expected) => expect(concernsSession(rejected(status, code))).toBe(expected))

  test.each([
    ['has ended', null, false],
    ['is that of an account that is being deleted', DELETING, false],
    ['was replaced by another one', USER, true],
  ])('makes the page ask the server, which says that it %s', async (_what, now, isUsable) => {
    const client = await clientOf(USER)
    serveUser(now)
    expect(await checkSession(client)).toBe(isUsable)
    expect(client.getQueryData(userQuery.queryKey)).toEqual(now)
  })

  test('asks nothing when nobody is signed in, such as for a wrong password', async () => {
    const client = new QueryClient()
    client.setQueryData(userQuery.queryKey, null)
    const paths = serveUser(null)
    expect(await checkSession(client)).toBe(false)
    expect(paths).toEqual([])
  })

  test.each(['query', 'mutation'])('of a %s is noticed by the client itself', async (kind) => {
    const client = await clientOf(USER, createQueryClient())
    serveUser(DELETING)
    const fail = () => Promise.reject(rejected(403, 'account_deleting'))
    const failing =
      kind === 'query'
        ? client.fetchQuery({ queryKey: ['x'], queryFn: fail })
        : client.getMutationCache().build(client, { mutationFn: fail }).execute(undefined)
    await expect(failing).rejects.toThrow()
    await vi.waitFor(() => expect(client.getQueryData(userQuery.queryKey)).toEqual(DELETING))
  })

  test('makes an upload wait', () => {
    expect(failureOf(rejected(403, 'account_deleting'))).toEqual({ kind: 'signed-out' })
  })
})

test('a user whose account is being deleted is not an active one', () => {
  const { select } = activeUserQuery
  expect([select?.(USER), select?.(DELETING), select?.(null)]).toEqual([USER, null, null])
})

describe('the deletion', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  test.each([
    [7 * 86_400 - 5, 'in 7 days'],
    [86_400, 'in 1 day'],
    [23 * 3600, 'in 23 hours'],
    [3600, 'in 1 hour'],
    [90, 'in 2 minutes'],
    [20, 'in less than a minute'],
    [-60, 'in less than a minute'],
  ])('that begins after %i seconds begins %s', (seconds, text) =>
    expect(formatUntil(new Date(now + seconds * 1000).toISOString(), now)).toBe(text),
  )

  test('says how long it can be taken back', () => {
    expect(finalitySentence(1)).toMatch(/^You have 1 day to change your mind/)
    expect(finalitySentence(0)).toBe('It begins at once and cannot be taken back.')
  })
})

describe('the export', () => {
  const ready: AccountExport = {
    status: 'ready',
    url: '/api/user/export/x',
    size: 10,
    createdAt: '2026-01-01T00:00:00.000Z',
    expiresAt: '2026-01-08T00:00:00.000Z',
    message: null,
    progress: null,
  }

  test('is no longer there once it has expired, also on an open page', () => {
    expect(exportStateOf(ready, Date.parse('2026-01-07T00:00:00Z'))).toBe('ready')
    expect(exportStateOf(ready, Date.parse('2026-01-08T00:00:01Z'))).toBe('none')
    expect(exportStateOf({ ...ready, status: 'failed', url: null }, 0)).toBe('failed')
  })

  test.each([
    [null, 0],
    [{ done: 0, total: 0 }, 0],
    [{ done: 1, total: 3 }, 33],
    [{ done: 9, total: 8 }, 100],
  ])('is prepared to %j at %i percent', (progress, percent) => expect(percentDone(progress)).toBe(percent))
})
