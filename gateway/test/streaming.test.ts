import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ORIGIN, startEcho, startGateway, type TestGateway, type Upstream } from './support.ts'

const MB = 1024 * 1024

/** What the service recorded of the latest request. */
const seen = { bytes: 0, aborted: false, downloadClosed: false }
let startReading: () => void
let mayRead: Promise<void>

let service: Upstream
let gateway: TestGateway
beforeAll(async () => {
  service = await startEcho((app) => {
    app.post('/api/upload-photos', async (request) => {
      const hash = createHash('sha256')
      request.raw.once('close', () => {
        seen.aborted = !request.raw.complete
      })
      await mayRead
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

function reset(): void {
  const { promise, resolve } = Promise.withResolvers<void>()
  mayRead = promise
  startReading = resolve
  Object.assign(seen, { bytes: 0, aborted: false, downloadClosed: false })
}

function upload(path: string, length: number): ClientRequest {
  const headers = { origin: ORIGIN, 'content-type': 'application/octet-stream', 'content-length': length }
  return httpRequest(`${gateway.url}${path}`, { method: 'POST', headers })
}

async function bodyOf(response: IncomingMessage) {
  return JSON.parse((await response.toArray()).join(''))
}

test('streams an upload of 100 MB without buffering it: backpressure of the service reaches the client', async () => {
  reset()
  const chunk = randomBytes(MB)
  const hash = createHash('sha256')
  const request = upload('/api/upload-photos', 100 * MB)
  const responded = once(request, 'response')
  let accepted = 0
  const sending = (async () => {
    for (let sent = 0; sent < 100; sent++) {
      hash.update(chunk)
      if (!request.write(chunk)) await once(request, 'drain')
      accepted += chunk.length
    }
    request.end()
  })()

  // The service reads nothing, so the client must stop once the buffers of the sockets are full.
  let before = -1
  await waitFor(
    async () => {
      const stalled = accepted === before
      before = accepted
      await new Promise((resolve) => setTimeout(resolve, 200))
      return stalled
    },
    { what: 'the client stalls' },
  )
  expect(accepted).toBeLessThan(30 * MB)

  startReading()
  await sending
  const [response] = await responded
  expect(await bodyOf(response)).toEqual({ bytes: 100 * MB, hash: hash.digest('hex') })
}, 60_000)

test('a client that disconnects during an upload ends the request to the service', async () => {
  reset()
  startReading()
  const request = upload('/api/upload-photos', 10 * MB)
  request.on('error', () => {})
  request.write(randomBytes(MB))
  await waitFor(() => seen.bytes > 0, { what: 'the service reads' })
  request.destroy()
  await waitFor(() => seen.aborted, { what: 'the service sees the end' })
})

test('a client that disconnects during a download ends it at the service', async () => {
  reset()
  const request = httpRequest(`${gateway.url}/api/uploads/endless`).end()
  const [response] = await once(request, 'response')
  await once(response, 'data')
  request.destroy()
  await waitFor(() => seen.downloadClosed, { what: 'the service sees the end' })
})

/** Sends as a browser does: the whole body before reading the response. */
async function sendAllThenRead(path: string, length: number): Promise<string> {
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname)
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nOrigin: ${ORIGIN}\r\nContent-Type: text/plain\r\n`
  socket.write(`${head}Content-Length: ${length}\r\n\r\n`)
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.write(Buffer.alloc(length), () => resolve())
  })
  const [response] = await once(socket, 'data')
  socket.destroy()
  return String(response)
}

test('a rejection before the end of the upload reaches a client that continues to send', async () => {
  for (let run = 0; run < 5; run++) {
    const response = await sendAllThenRead('/api/upload-photo', 50 * MB)
    expect(response).toMatch(/^HTTP\/1.1 401 /)
    expect(response).toContain('"unauthenticated"')
  }
}, 30_000)

test('rejects an upload whose declared length is too large before it is sent', async () => {
  const request = upload('/api/upload-photos', 12 * 150 * MB)
  request.on('error', () => {})
  request.flushHeaders()
  const [response] = await once(request, 'response')
  expect([response.statusCode, (await bodyOf(response)).code]).toEqual([413, 'payload_too_large'])
  request.destroy()
})
