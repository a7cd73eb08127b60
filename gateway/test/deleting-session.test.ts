import { sessionKey } from '@skyfolio/kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PROXIED_ROUTES, type ProxiedRoute } from '../src/proxy/route-table.ts'
import { startEcho, startGateway, type TestGateway, type Upstream } from './support.ts'

let echo: Upstream
let gateway: TestGateway
beforeAll(async () => {
  echo = await startEcho()
  gateway = await startGateway({ upstream: echo.url, heartbeatMs: 20 })
})
afterAll(async () => {
  await gateway.close()
  await echo.app.close()
})

/** What needs no session, ends one, or is about the deletion itself. */
const OPEN = new Set([
  'POST /api/register',
  'POST /api/login',
  'POST /api/logout',
  'GET /api/user',
  'POST /api/user/restore',
  'GET /api/user/export',
  'POST /api/user/export',
  'GET /api/user/export/:id',
  'POST /api/user/email/confirm',
  'POST /api/user/email/revert',
  'POST /api/password-reset',
  'POST /api/password-reset/confirm',
])

function request({ method, path }: Pick<ProxiedRoute, 'method' | 'path'>, cookie: string, as: string = method) {
  const isWrite = method !== 'GET'
  return gateway.call(path.replace(/:\w+/g, '1'), {
    method: as,
    headers: { cookie, ...(isWrite && { 'content-type': 'application/json' }) },
    ...(isWrite && { body: '{"fingerprint":"f","rank":"first","folderId":1}' }),
  })
}

/** The user that the service behind the gateway sees. */
function userSeen(echoed: { headers: Record<string, string>; identity?: { userId: number | null } }): number | null {
  if (echoed.identity) return echoed.identity.userId
  const [payload = ''] = (echoed.headers['x-skyfolio-identity'] ?? '').split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString())[1]
}

test.each(PROXIED_ROUTES.map((route) => ({ route, name: `${route.method} ${route.path}` })))(
  'while the account is to be deleted, its session gets no more than it should from $name',
  async ({ route, name }) => {
    const { cookie } = await gateway.signIn({ userId: 11, isAdmin: true, isDeleting: true })
    const response = await request(route, cookie)
    const body = await response.json()
    if (OPEN.has(name)) return expect([response.status, userSeen(body)]).toEqual([200, 11])
    if (route.allowsVisitors) return expect([response.status, userSeen(body)]).toEqual([200, null])
    expect([response.status, body.code]).toEqual([403, 'account_deleting'])
    if (route.method === 'GET') expect((await request(route, cookie, 'HEAD')).status).toBe(403)
  },
)

test('the route table opens nothing else to such a session', () => {
  const open = PROXIED_ROUTES.filter(({ whileDeleting }) => whileDeleting)
  expect(open.filter(({ method, path }) => !OPEN.has(`${method} ${path}`))).toEqual([])
})

test('such a session gets the configuration and all pages, and no live events; an unknown path is none for it too', async () => {
  const { cookie } = await gateway.signIn({ isDeleting: true })
  const statusOf = async (path: string) => (await gateway.call(path, { headers: { cookie } })).status
  expect(await Promise.all(['/api/config', '/api/legal/terms', '/', '/profile'].map(statusOf))).toEqual([
    200, 200, 200, 200,
  ])
  expect(await Promise.all(['/api/events', '/api/nothing'].map(statusOf))).toEqual([403, 404])
})

test('live events end when the session becomes that of an account to be deleted', async () => {
  const { cookie, hash } = await gateway.signIn({ userId: 12 })
  const stream = await gateway.call('/api/events', { headers: { cookie } })
  const session = JSON.parse((await gateway.redis.get(sessionKey(hash))) ?? '')
  await gateway.redis.set(sessionKey(hash), JSON.stringify({ ...session, isDeleting: true }), 'KEEPTTL')
  expect(await stream.text()).toContain(': heartbeat')
})

test('a session of the same user that was restored opens everything', async () => {
  const deleting = await gateway.signIn({ userId: 13, isDeleting: true })
  const restored = await gateway.signIn({ userId: 13 })
  expect((await gateway.call('/api/photos', { headers: { cookie: deleting.cookie } })).status).toBe(403)
  expect((await gateway.call('/api/photos', { headers: { cookie: restored.cookie } })).status).toBe(200)
})
