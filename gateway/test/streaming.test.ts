import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { origin, startEcho, startGateway, type TestGateway, type Upstream } from './support.ts'

const megabyte = 1024 * 1024

/** What the service sees of the latest request to each of its routes. */
const seen = { bytes: 0, aborted: false, downloadClosed: false }
let open: () => void
let gate: Promise<void>

let service: Upstream
let gateway: TestGateway
beforeAll(async () => {
  service = await startEcho((app) => {
    app.post('/api/upload-photos', async (request) => {
      const hash = createHash('sha256')
      request.raw.once('close', () => {
        seen.aborted = !request.raw.complete
      })
      await gate
      for await (const chunk of request.body as AsyncIterable<Buffer>) {
        seen.bytes += chunk.length
        hash.update(chunk)
      }
      return { bytes: seen.bytes, hash: hash.digest('hex') }
    })
    app.post('/api/upload-photo', (_request, reply) => reply.code(401).send({ code: 'unauthenticated', message: 'No' }))
    app.get('/api/uploads/endless', (_request, reply) => {
      const body = new Readable({ read: () => void body.push(Buffer.alloc(64 * 1024)) })
      body.once('close', () => {
        seen.downloadClosed = true
      })
      return reply.send(body)
    })
  })
  gateway = await startGateway({ upstream: service.url })
})
afterAll(async () => {
  await gateway.close()
  await service.app.close()
})

function close(): void {
  const { promise, resolve } = Promise.withResolvers<void>()
  gate = promise
  open = resolve
  Object.assign(seen, { bytes: 0, aborted: false, downloadClosed: false })
}

function upload(path: string, length: number): ClientRequest {
  const headers = { origin, 'content-type': 'application/octet-stream', 'content-length': length }
  return httpRequest(`${gateway.url}${path}`, { method: 'POST', headers })
}

async function bodyOf(response: IncomingMessage) {
  return JSON.parse((await response.toArray()).join(''))
}

test('an upload of 100 MB flows through without being kept: what the service does not take, the client keeps', async () => {
  close()
  const chunk = randomBytes(megabyte)
  const hash = createHash('sha256')
  const request = upload('/api/upload-photos', 100 * megabyte)
  const answer = once(request, 'response')
  let accepted = 0
  const sending = (async () => {
    for (let sent = 0; sent < 100; sent++) {
      hash.update(chunk)
      if (!request.write(chunk)) await once(request, 'drain')
      accepted += chunk.length
    }
    request.end()
  })()

  // Nothing is read behind the gateway, so the client must come to a halt, after the sockets' own buffers.
  let before = -1
  await waitFor(
    async () => {
      const stands = accepted === before
      before = accepted
      await new Promise((resolve) => setTimeout(resolve, 200))
      return stands
    },
    { what: 'the client is held back' },
  )
  expect(accepted).toBeLessThan(30 * megabyte)

  open()
  await sending
  const [response] = await answer
  expect(await bodyOf(response)).toEqual({ bytes: 100 * megabyte, hash: hash.digest('hex') })
}, 60_000)

test('a client that goes away in the middle of an upload ends the request to the service', async () => {
  close()
  open()
  const request = upload('/api/upload-photos', 10 * megabyte)
  request.on('error', () => {})
  request.write(randomBytes(megabyte))
  await waitFor(() => seen.bytes > 0, { what: 'the service reads' })
  request.destroy()
  await waitFor(() => seen.aborted, { what: 'the service sees the end' })
})

test('a client that goes away in the middle of a download ends it at the service', async () => {
  close()
  const request = httpRequest(`${gateway.url}/api/uploads/endless`).end()
  const [response] = await once(request, 'response')
  await once(response, 'data')
  request.destroy()
  await waitFor(() => seen.downloadClosed, { what: 'the service sees the end' })
})

/** Sends as a browser does: everything, and only then reads the answer. */
async function sendAllThenRead(path: string, length: number): Promise<string> {
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname)
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nOrigin: ${origin}\r\nContent-Type: text/plain\r\n`
  socket.write(`${head}Content-Length: ${length}\r\n\r\n`)
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.write(Buffer.alloc(length), () => resolve())
  })
  const [answer] = await once(socket, 'data')
  socket.destroy()
  return String(answer)
}

test('a refusal that comes before the upload has ended reaches a client that sends on', async () => {
  for (let time = 0; time < 5; time++) {
    const answer = await sendAllThenRead('/api/upload-photo', 50 * megabyte)
    expect(answer).toMatch(/^HTTP\/1.1 401 /)
    expect(answer).toContain('"unauthenticated"')
  }
}, 30_000)

test('an upload that is announced too large is refused before it is sent', async () => {
  const request = upload('/api/upload-photos', 12 * 150 * megabyte)
  request.on('error', () => {})
  request.flushHeaders()
  const [response] = await once(request, 'response')
  expect([response.statusCode, (await bodyOf(response)).code]).toEqual([413, 'payload_too_large'])
  request.destroy()
})
