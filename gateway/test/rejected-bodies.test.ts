import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ORIGIN, startEcho, startGateway, type TestGateway, type Upstream } from './support.ts'

const MB = 1024 * 1024
const DISCARD_LIMITS = { bytes: 4 * MB, ms: 2_000 }
/** More than the buffers of all sockets between client and gateway hold. */
const BUFFERED_BYTES = 30 * MB

let service: Upstream
let gateway: TestGateway
beforeAll(async () => {
  service = await startEcho((app) => {
    app.post('/api/upload-photo', (_request, reply) => reply.code(415).send({ code: 'unsupported', message: 'No' }))
  })
  gateway = await startGateway({ upstream: service.url, discardLimits: DISCARD_LIMITS })
})
afterAll(async () => {
  await gateway.close()
  await service.app.close()
})

/** Starts a request, collects the response, and records when the server ends the connection. */
function startRequest(path: string, headers: string[], body = '') {
  const { hostname, port } = new URL(gateway.url)
  const socket: Socket = connect(Number(port), hostname)
  const received = { response: '', closed: false }
  socket.on('data', (chunk) => {
    received.response += chunk
  })
  socket.on('error', () => {})
  socket.on('end', () => {
    received.closed = true
  })
  socket.on('close', () => {
    received.closed = true
  })
  socket.write([`POST ${path} HTTP/1.1`, 'Host: x', 'Content-Type: text/plain', ...headers, '', body].join('\r\n'))
  return { socket, received }
}

/** Sends chunks until the server ends the connection. Returns the number of bytes that left this process. */
async function sendChunks(socket: Socket, received: { closed: boolean }, maxBytes: number): Promise<number> {
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536), Buffer.from('\r\n')])
  while (!received.closed && !socket.destroyed && socket.bytesWritten < maxBytes) {
    if (!socket.write(chunk)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {})
    await new Promise((resolve) => setImmediate(resolve))
  }
  return socket.bytesWritten - socket.writableLength
}

test.each([
  ['a body above its limit', '/api/login', [`Origin: ${ORIGIN}`], 413],
  ['an upload that its service rejects', '/api/upload-photo', [`Origin: ${ORIGIN}`], 415],
  ['a request from a foreign page', '/api/upload-photos', ['Origin: http://elsewhere.test'], 403],
  ['a body for an unknown route', '/api/nothing', [`Origin: ${ORIGIN}`], 413],
])(
  '%s gets its response at once and is read only up to the limit',
  async (_what, path, headers, status) => {
    const { socket, received } = startRequest(path, [...headers, 'Transfer-Encoding: chunked'])
    const sent = await sendChunks(socket, received, 300 * MB)
    expect(sent).toBeLessThan(DISCARD_LIMITS.bytes + BUFFERED_BYTES)
    await waitFor(() => received.closed, { what: 'the connection ends' })
    expect(received.response).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(received.response).toMatch(/\r\nconnection: close\r\n/i)
  },
  60_000,
)

test('closes the connection of a client that sends the rest of a rejected body too slowly, after the response', async () => {
  const { socket, received } = startRequest('/api/upload-photo', [`Origin: ${ORIGIN}`, 'Content-Length: 1000000'])
  const drip = setInterval(() => socket.write('.'), 100)
  await waitFor(() => received.response !== '', { what: 'the response' })
  expect(received.response).toMatch(/^HTTP\/1.1 415 /)
  await waitFor(() => received.closed, { what: 'the connection ends' })
  clearInterval(drip)
})

test('keeps the connection after the rejection of a request that was read completely', async () => {
  const { socket, received } = startRequest('/api/upload-photo', [`Origin: ${ORIGIN}`, 'Content-Length: 2'], 'ab')
  await waitFor(() => received.response.includes('"No"'), { what: 'the rejection' })
  expect(received.response).not.toMatch(/connection: close/i)
  received.response = ''
  socket.write('GET /api/config HTTP/1.1\r\nHost: x\r\n\r\n')
  await waitFor(() => received.response.startsWith('HTTP/1.1 200 '), { what: 'another response' })
  socket.destroy()
})
