import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, expectTypeOf, test } from 'vitest'
import type { DocumentedErrorBody } from '../src/api/types.ts'
import { ApiError, type ErrorBody, errorMessage, hasStatus, request, UNREACHABLE } from '../src/lib/http.ts'

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
    expect(await request(await serve(respond(200, '{"id":1}')))).toEqual({ id: 1 })
    server?.close()
    expect(await request(await serve(respond(204, '')))).toBeUndefined()
  })

  test('sends its body as JSON', async () => {
    const url = await serve((incoming, response) => {
      response.writeHead(200)
      incoming.pipe(response)
    })
    expect(await request(url, { method: 'POST', body: { rank: '' } })).toEqual({ rank: '' })
  })

  test('fails with status, colon and body text, and carries the error model', async () => {
    const body = '{"code":"taken","message":"Username already exists","fields":{"username":"Username already exists"}}'
    const error = await failureOf(request(await serve(respond(409, body))))
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 409, message: `409: ${body}`, body: JSON.parse(body) })
    expect(errorMessage(error)).toBe('Username already exists')
  })

  test('fails with the status text when the body is empty', async () => {
    const error = await failureOf(request(await serve(respond(502, ''))))
    expect(error).toMatchObject({ message: '502: Bad Gateway', body: null })
  })

  test('uses a body that is not the error model as its message', async () => {
    const error = await failureOf(request(await serve(respond(500, '<h1>oops</h1>'))))
    expect(errorMessage(error)).toBe('500: <h1>oops</h1>')
    expect(hasStatus(error, 500)).toBe(true)
    expect(hasStatus(error, 404)).toBe(false)
  })

  test('reports that the server cannot be reached', async () => {
    const url = await serve(respond(200, ''))
    await new Promise((resolve) => server?.close(resolve))
    expect(errorMessage(await failureOf(request(url)))).toBe(UNREACHABLE)
  })

  test('rejects with the abort error when it is aborted', async () => {
    const url = await serve(() => {})
    const error = await failureOf(request(url, { signal: AbortSignal.abort() }))
    expect(error).toMatchObject({ name: 'AbortError' })
  })
})
