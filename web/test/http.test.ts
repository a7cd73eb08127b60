import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, expectTypeOf, test, vi } from 'vitest'
import { api, apiPage } from '../src/api/client.ts'
import type { AppConfig, DocumentedErrorBody } from '../src/api/types.ts'
import { ApiError, type ErrorBody, errorMessage, hasStatus, jsonOf, send, UNREACHABLE } from '../src/lib/http.ts'

const realFetch = fetch
let server: Server | undefined

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener)
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const respond =
  (status: number, body: string): RequestListener =>
  (_, response) =>
    response.writeHead(status).end(body)

const failureOf = (call: Promise<unknown>) => call.then(() => null).catch((error: unknown) => error)

afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

test('the error model is the one that the services document', () => {
  expectTypeOf<ErrorBody>().toEqualTypeOf<DocumentedErrorBody>()
})

describe('a request', () => {
  test('returns the parsed JSON, and undefined for an empty response', async () => {
    expect(await jsonOf(await send(await serve(respond(200, '{"id":1}'))))).toEqual({ id: 1 })
    server?.close()
    expect(await jsonOf(await send(await serve(respond(204, ''))))).toBeUndefined()
  })

  test('sends its body as JSON', async () => {
    const url = await serve((incoming, response) => {
      response.writeHead(200)
      incoming.pipe(response)
    })
    expect(await jsonOf(await send(url, { method: 'post', body: { rank: '' } }))).toEqual({ rank: '' })
  })

  test('fails with status, colon and body text, and carries the error model', async () => {
    const body = '{"code":"taken","message":"Username already exists","fields":{"username":"Username already exists"}}'
    const error = await failureOf(send(await serve(respond(409, body))))
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 409, message: `409: ${body}`, body: JSON.parse(body) })
    expect(errorMessage(error)).toBe('Username already exists')
  })

  test('fails with the status text when the body is empty', async () => {
    const error = await failureOf(send(await serve(respond(502, ''))))
    expect(error).toMatchObject({ message: '502: Bad Gateway', body: null })
  })

  test('uses a body that is not the error model as its message', async () => {
    const error = await failureOf(send(await serve(respond(500, '<h1>oops</h1>'))))
    expect(errorMessage(error)).toBe('500: <h1>oops</h1>')
    expect(hasStatus(error, 500)).toBe(true)
    expect(hasStatus(error, 404)).toBe(false)
  })

  test('reports that the server cannot be reached', async () => {
    const url = await serve(respond(200, ''))
    await new Promise((resolve) => server?.close(resolve))
    expect(errorMessage(await failureOf(send(url)))).toBe(UNREACHABLE)
  })

  test('rejects with the abort error when it is aborted', async () => {
    const url = await serve(() => {})
    const error = await failureOf(send(url, { signal: AbortSignal.abort() }))
    expect(error).toMatchObject({ name: 'AbortError' })
  })
})

describe('an operation', () => {
  const requested: string[] = []

  // Operations have paths of the page's own origin.
  beforeEach(async () => {
    requested.length = 0
    const origin = await serve((incoming, response) => {
      requested.push(`${incoming.method} ${incoming.url}`)
      const link = '</api/photos?limit=1&cursor=x>; rel="next"'
      response.writeHead(200, { 'x-total-count': '2', ...(!incoming.url?.includes('cursor') && { link }) })
      response.end('[{"id":1}]')
    })
    vi.stubGlobal('fetch', (path: string, init: RequestInit) => realFetch(origin + path, init))
  })
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  test('has its parameters in path and query, those that are undefined nowhere', async () => {
    const path = { shareCode: 'a/b' }
    await api('get', '/api/share/{shareCode}', { path, query: { fingerprint: undefined } })
    await api('patch', '/api/photos/{id}/folder', { path: { id: 7 }, body: { folderId: null } })
    await api('get', '/api/photos', { query: { q: 'a&b', limit: 48 } })
    expect(requested).toEqual([
      'GET /api/share/a%2Fb',
      'PATCH /api/photos/7/folder',
      'GET /api/photos?q=a%26b&limit=48',
    ])
  })

  test('that lists something returns a page, by whose link the next one is read', async () => {
    const first = await apiPage('/api/photos', { query: { limit: 1 } })
    expect(first).toMatchObject({ items: [{ id: 1 }], total: 2 })
    const last = await apiPage('/api/photos', { query: { limit: 1 }, next: first.next })
    expect(last.next).toBeNull()
    expect(requested).toEqual(['GET /api/photos?limit=1', 'GET /api/photos?limit=1&cursor=x'])
  })

  test('takes only what its document says', () => {
    // @ts-expect-error: a number
    const wrongPath = () => api('get', '/api/folders/{id}', { path: { id: '7' } })
    // @ts-expect-error: no such operation
    const wrongMethod = () => api('delete', '/api/folders', {})
    // @ts-expect-error: the body is missing
    const noBody = () => api('post', '/api/login', {})
    expect([wrongPath, wrongMethod, noBody]).toHaveLength(3)
    expectTypeOf<Awaited<ReturnType<typeof api<'get', '/api/config'>>>>().toEqualTypeOf<AppConfig>()
  })
})
