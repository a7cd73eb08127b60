import type { Attack, Expect } from './attack.ts'
import { type HttpResponse, jsonOf } from './client.ts'
import { sendRaw, statusesIn } from './raw-request.ts'
import type { Target } from './target.ts'

const SMUGGLED = 'smuggled-by-the-suite'

/** Bodies whose end two parsers see in different places; the rest is a request that nobody sent. */
function ambiguousRequests(lines: string): string[] {
  const inner = `GET /api/${SMUGGLED} HTTP/1.1\r\nHost: x\r\n\r\n`
  const post = (headers: string, body: string) => `POST /api/login HTTP/1.1\r\n${lines}${headers}\r\n\r\n${body}`
  const json = 'Content-Type: application/json\r\n'
  return [
    post(`${json}Content-Length: 4\r\nTransfer-Encoding: chunked`, `0\r\n\r\n${inner}`),
    post(`${json}Transfer-Encoding: chunked\r\nContent-Length: 4`, `0\r\n\r\n${inner}`),
    post(`${json}Content-Length: 2\r\nContent-Length: ${inner.length + 2}`, `{}${inner}`),
    post(`${json}Content-Length: 2, ${inner.length + 2}`, `{}${inner}`),
    post(`${json}Content-Length: +2`, `{}${inner}`),
    post(`${json}Content-Length: 0x2`, `{}${inner}`),
    post(`${json}Transfer-Encoding: xchunked`, `0\r\n\r\n${inner}`),
    post(`${json}Transfer-Encoding: chunked, identity`, `0\r\n\r\n${inner}`),
    post(`${json}Transfer-Encoding : chunked`, `0\r\n\r\n${inner}`),
    post(`${json}Transfer-Encoding:\x0bchunked`, `0\r\n\r\n${inner}`),
    post(`${json}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity`, `0\r\n\r\n${inner}`),
    post(`${json}Foo: bar\r\n Transfer-Encoding: chunked\r\nContent-Length: 2`, `{}${inner}`),
    post(`${json}Foo: bar\nTransfer-Encoding: chunked`, `0\r\n\r\n${inner}`),
    post(`${json}Transfer-Encoding: chunked`, `0x0\r\n\r\n${inner}`),
    post(`${json}Transfer-Encoding: chunked`, `2;a=\n{}\r\n0\r\n\r\n${inner}`),
    post(`${json}Transfer-Encoding: chunked`, `2\n{}\n0\n\n${inner}`),
  ]
}

/** A GET's body is not read by the services: what is in it must not become their next request. */
function readsWithBody(lines: string): string[] {
  const inner = `GET /api/${SMUGGLED} HTTP/1.1\r\nHost: x\r\n\r\n`
  const get = (path: string) => `GET ${path} HTTP/1.1\r\n${lines}Content-Length: ${inner.length}\r\n\r\n${inner}`
  return [get('/api/user'), get('/api/config'), get('/api/uploads/nothing.webp'), get('/')]
}

async function smuggle(target: Target, expect: Expect): Promise<void> {
  const client = target.openClient()
  const texts = [...ambiguousRequests(client.lines()), ...readsWithBody(client.lines())]
  const responses = await Promise.all(texts.map((text) => sendRaw(client, text)))
  for (const [index, received] of responses.entries()) {
    const first = texts[index]?.split('\r\n\r\n')[0]?.split('\r\n').slice(-2).join(' | ')
    expect(!received.includes(SMUGGLED), `the rest of a body was treated as a request: ${first}`)
    expect(statusesIn(received).length <= 1, `two responses to one request: ${first}`)
    expect(!statusesIn(received).some((status) => status >= 500), `${statusesIn(received)} to ${first}`)
  }
  // Would a smuggled request wait on a connection to a service, somebody else would get its response.
  const others = await Promise.all(
    Array.from({ length: 60 }, () => target.openClient().send('GET', '/api/user', { timeoutMs: 5_000 })),
  )
  const wrong = others.filter(({ status, text }) => status !== 401 || text.includes(SMUGGLED))
  expect(wrong.length === 0, `${wrong.length} of 60 other requests got a response that was not theirs`)
}

const FORGED_IDENTITY = Buffer.from(JSON.stringify([Date.now(), 1, 'admin', true, 'x', '127.0.0.1', Date.now()]))

/** Headers by which only the gateway may speak to services, and those that would remove them on the way. */
function smuggledHeaders(): Record<string, string>[] {
  const identity = `${FORGED_IDENTITY.toString('base64url')}.${'A'.repeat(43)}`
  return [
    { 'x-skyfolio-identity': identity },
    { 'X-SKYFOLIO-IDENTITY': identity },
    { 'x-skyfolio-batch': '1' },
    { 'x-skyfolio-load-test': '9999999999.AAAA' },
    { x_skyfolio_identity: identity },
    { connection: 'x-skyfolio-identity' },
    { connection: 'close, x-skyfolio-identity, cookie, x-request-id' },
    { connection: 'keep-alive, host' },
    { 'x-real-ip': '127.0.0.1', forwarded: 'for=127.0.0.1', via: '1.1 x' },
    { 'x-original-url': '/api/admin/users', 'x-rewrite-url': '/api/admin/users' },
    { 'x-http-method-override': 'DELETE' },
    { te: 'trailers' },
    { upgrade: 'h2c', connection: 'Upgrade, HTTP2-Settings', 'http2-settings': 'AAMAAABkAAQAoAAAAAIAAAAA' },
  ]
}

/** Each on a connection of its own, which some of the headers end. */
async function sendForged(target: Target, path: string, headers: Record<string, string>): Promise<HttpResponse> {
  const client = target.openClient()
  const response = await client.send('GET', path, { headers, anonymous: true })
  client.close()
  return response
}

async function forgeIdentity(target: Target, expect: Expect): Promise<void> {
  const { client: own, id } = await target.register()
  for (const headers of smuggledHeaders()) {
    const what = JSON.stringify(headers)
    for (const path of ['/api/user', '/api/admin/users']) {
      const { status } = await sendForged(target, path, headers)
      expect(status === 401 || status === 400, `without a session GET ${path} with ${what} returned ${status}`)
    }
    const cookie = `sid=${own.cookies.get('sid')}`
    const response = await sendForged(target, '/api/user', { ...headers, cookie })
    if (response.status !== 200) continue
    const user = jsonOf<{ id: number; isAdmin: boolean }>(response)
    expect(user.id === id && !user.isAdmin, `with a session ${what} made it another user's`)
  }
}

/** Addresses that a client claims for itself; behind a proxy as text before what the proxy appends, which has a port. */
async function forgeAddress(target: Target, expect: Expect): Promise<void> {
  const address = target.newAddress()
  const client = target.openClient(address)
  let limited = 0
  for (let number = 0; number < 60; number += 1) {
    const json = { username: `nobody-${number}-${target.marker}`, password: 'a wrong password' }
    const claimed = `203.0.113.${number}`
    const forwarded = target.endpoint.proxied ? `${claimed}, ${address}:${40_000 + number}` : claimed
    const headers = { 'x-forwarded-for': forwarded, 'x-real-ip': claimed }
    if ((await client.send('POST', '/api/login', { json, headers })).status === 429) limited += 1
  }
  expect(limited > 0, 'a client that claims other addresses was never limited')
}

export const SMUGGLING_ATTACKS: Attack[] = [
  { name: 'a body whose end is ambiguous never becomes a second request', run: smuggle },
  { name: 'no header of a client changes who it is', run: forgeIdentity },
  { name: 'a client cannot choose its address by a header, also behind a proxy', run: forgeAddress },
]
