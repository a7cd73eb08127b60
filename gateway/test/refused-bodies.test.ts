import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { origin, startEcho, startGateway, type TestGateway, type Upstream } from './support.ts'

const MB = 1024 * 1024
const REST = { bytes: 4 * MB, ms: 2_000 }

let service: Upstream
let gateway: TestGateway
beforeAll(async () => {
  service = await startEcho((app) => {
    app.post('/api/upload-photo', (_request, reply) => reply.code(415).send({ code: 'unsupported', message: 'No' }))
  })
  gateway = await startGateway({ upstream: service.url, rest: REST })
})
afterAll(async () => {
  await gateway.close()
  await service.app.close()
})

/** Opens a request, hears what is answered, and tells when the server ends the connection. */
function begin(path: string, headers: string[], body = '') {
  const { hostname, port } = new URL(gateway.url)
  const socket: Socket = connect(Number(port), hostname)
  const heard = { answer: '', closed: false }
  socket.on('data', (chunk) => {
    heard.answer += chunk
  })
  socket.on('error', () => {})
  socket.on('end', () => {
    heard.closed = true
  })
  socket.on('close', () => {
    heard.closed = true
  })
  socket.write([`POST ${path} HTTP/1.1`, 'Host: x', 'Content-Type: text/plain', ...headers, '', body].join('\r\n'))
  return { socket, heard }
}

/** Sends chunks until the server ends it. Gives the number of bytes that it took. */
async function sendWithoutEnd(socket: Socket, heard: { closed: boolean }, most: number): Promise<number> {
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536), Buffer.from('\r\n')])
  while (!heard.closed && !socket.destroyed && socket.bytesWritten < most) {
    if (!socket.write(chunk)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {})
    await new Promise((resolve) => setImmediate(resolve))
  }
  return socket.bytesWritten - socket.writableLength
}

test.each([
  ['a body beyond its limit', '/api/login', [`Origin: ${origin}`], 413],
  ['an upload that its service refuses', '/api/upload-photo', [`Origin: ${origin}`], 415],
  ['a request of a foreign page', '/api/upload-photos', ['Origin: http://elsewhere.test'], 403],
  ['a body for no route', '/api/nothing', [`Origin: ${origin}`], 413],
])(
  '%s is answered at once, and not read for ever',
  async (_what, path, headers, status) => {
    const { socket, heard } = begin(path, [...headers, 'Transfer-Encoding: chunked'])
    const taken = await sendWithoutEnd(socket, heard, 300 * MB)
    expect(taken).toBeLessThan(150 * MB)
    await waitFor(() => heard.closed, { what: 'the connection ends' })
    expect(heard.answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(heard.answer).toMatch(/\r\nconnection: close\r\n/i)
  },
  60_000,
)

test('who sends the rest of a refused body too slowly is cut off, after the answer', async () => {
  const { socket, heard } = begin('/api/upload-photo', [`Origin: ${origin}`, 'Content-Length: 1000000'])
  const drip = setInterval(() => socket.write('.'), 100)
  await waitFor(() => heard.answer !== '', { what: 'the answer' })
  expect(heard.answer).toMatch(/^HTTP\/1.1 415 /)
  await waitFor(() => heard.closed, { what: 'the connection ends' })
  clearInterval(drip)
})

test('a connection goes on after a refusal of a request that was read whole', async () => {
  const { socket, heard } = begin('/api/upload-photo', [`Origin: ${origin}`, 'Content-Length: 2'], 'ab')
  await waitFor(() => heard.answer.includes('"No"'), { what: 'the refusal' })
  expect(heard.answer).not.toMatch(/connection: close/i)
  heard.answer = ''
  socket.write('GET /api/config HTTP/1.1\r\nHost: x\r\n\r\n')
  await waitFor(() => heard.answer.startsWith('HTTP/1.1 200 '), { what: 'another answer' })
  socket.destroy()
})
