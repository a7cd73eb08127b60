import { setImmediate } from 'node:timers/promises'
import {
  type App,
  buildServer,
  createLogger,
  IDENTITY_HEADER,
  type Identity,
  signIdentity,
  visitorIdentity,
} from '@skyfolio/kit'
import { afterEach, expect, test } from 'vitest'
import { limitPerUser } from '../src/limits.ts'

const KEYS = ['key-key-key-key-key-key-key-key-key-key']
const ada: Identity = { ...visitorIdentity('192.0.2.1'), userId: 1, username: 'ada', sessionHash: 'h' }

let app: App
afterEach(() => app.close())

/** A server of whose routes a user may use one at a time. The handler of `/slow` waits for `finish`. */
async function startServer() {
  const handled: string[] = []
  const begun = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  const nextArrived = Promise.withResolvers<void>()
  /** Of the request that its client gives up. */
  const abandoned = { arrived: Promise.withResolvers<void>(), closed: Promise.withResolvers<void>() }
  app = await buildServer({ name: 'test', logger: createLogger('test', 'silent'), identityKeys: KEYS })
  app.addHook('onRequest', async (request, reply) => {
    if (request.url === '/next') nextArrived.resolve()
    if (!request.url.endsWith('abandoned')) return
    abandoned.arrived.resolve()
    reply.raw.once('close', abandoned.closed.resolve)
  })
  app.get('/*', { config: { access: 'user' }, ...limitPerUser({ perKey: 1 }) }, async ({ url }) => {
    handled.push(url)
    if (!url.startsWith('/slow')) return {}
    begun.resolve()
    await finish.promise
    handled.push(`${url} finished`)
    return {}
  })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const headers = { [IDENTITY_HEADER]: signIdentity(ada, KEYS) }
  const get = (path: string, init: RequestInit = {}) => fetch(origin + path, { headers, ...init })

  /** Resolves when the server knows that the client has gone. */
  async function abandon(path: string): Promise<void> {
    const client = new AbortController()
    const response = get(path, { signal: client.signal })
    await abandoned.arrived.promise
    if (path.startsWith('/slow')) await begun.promise
    client.abort()
    await expect(response).rejects.toThrow()
    await abandoned.closed.promise
  }
  /** Resolves when the server has the request, which waits or is handled. */
  async function sendNext(): Promise<{ response: Promise<Response> }> {
    const response = get('/next')
    await nextArrived.promise
    await setImmediate()
    return { response }
  }
  return { handled, begun, finish, get, abandon, sendNext }
}

test('a request whose client has gone before its turn is not handled, and the next one has its turn', async () => {
  const { handled, begun, finish, get, abandon, sendNext } = await startServer()
  const first = get('/slow')
  await begun.promise
  await abandon('/abandoned')
  const next = await sendNext()
  finish.resolve()
  expect((await first).status).toBe(200)
  expect((await next.response).status).toBe(200)
  expect(handled).toEqual(['/slow', '/slow finished', '/next'])
})

test('a request whose client has gone keeps its place until its handler ends', async () => {
  const { handled, finish, abandon, sendNext } = await startServer()
  await abandon('/slow/abandoned')
  const next = await sendNext()
  finish.resolve()
  expect((await next.response).status).toBe(200)
  expect(handled).toEqual(['/slow/abandoned', '/slow/abandoned finished', '/next'])
})
