import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { endSlowReaders } from '../src/http/slow-readers.ts'

const KiB = 1024
const MiB = 1024 * KiB
const MINUTE = 60_000
const CHECK_MS = 15_000
// More than the buffers between two sockets hold.
const CHUNK = Buffer.alloc(64 * KiB, 7)
const CHUNKS = 768

const server = createServer()
const sockets = new Set<Socket>()
const clients: Socket[] = []
let stop: () => void

beforeAll(async () => {
  // The clock of the checks alone: connections go on by the real one.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stop = endSlowReaders(sockets, { windowMs: 2 * MINUTE, checkMs: CHECK_MS })
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await waitFor(() => sockets.size === 0, { what: 'the connections have ended' })
})
afterAll(() => {
  stop()
  server.close()
  vi.useRealTimers()
})

/** Connects a client that reads nothing yet; `send` is what the server writes to it. */
async function open(send: (socket: Socket) => void): Promise<{ client: Socket; socket: Socket }> {
  const address = server.address()
  const accepted = once(server, 'connection')
  const client = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1').pause()
  client.on('error', () => {})
  clients.push(client)
  const [socket] = (await accepted) as [Socket]
  send(socket)
  return { client, socket }
}

const sendMuch = (socket: Socket) => void Readable.from(Array(CHUNKS).fill(CHUNK)).pipe(socket)

test('a client that takes nothing for two minutes is disconnected, and not before', async () => {
  const { socket } = await open(sendMuch)
  await waitFor(() => socket.writableLength > 0, { what: 'data waits for the client' })
  vi.advanceTimersByTime(2 * MINUTE)
  expect(socket.destroyed).toBe(false)
  vi.advanceTimersByTime(CHECK_MS)
  expect(socket.destroyed).toBe(true)
})

test('a client that trickles is disconnected as well', async () => {
  const { client, socket } = await open(sendMuch)
  let received = 0
  for (let step = 0; step < 20 && !socket.destroyed; step += 1) {
    received += ((await readSome(client, KiB)) ?? Buffer.alloc(0)).length
    vi.advanceTimersByTime(CHECK_MS)
  }
  expect(socket.destroyed).toBe(true)
  expect(received).toBeGreaterThan(4 * KiB)
})

test('one that stops for a minute and is slow but steady otherwise gets everything', async () => {
  const { client, socket } = await open(sendMuch)
  await waitFor(() => socket.writableLength > 0, { what: 'data waits for the client' })
  vi.advanceTimersByTime(MINUTE)
  let [received, ticks] = [0, 0]
  for await (const chunk of client as AsyncIterable<Buffer>) {
    received += chunk.length
    // The kernel holds less than what is received in four of these steps, a minute.
    if (received < (ticks + 1) * 4 * MiB) continue
    ticks += 1
    vi.advanceTimersByTime(CHECK_MS)
  }
  expect(ticks).toBeGreaterThan(8)
  expect(received).toBe(CHUNKS * CHUNK.length)
})

test('a connection for which nothing waits stays', async () => {
  const { socket } = await open((opened) => opened.write('done'))
  await waitFor(() => socket.writableLength === 0, { what: 'the client has it' })
  vi.advanceTimersByTime(30 * MINUTE)
  expect(socket.destroyed).toBe(false)
})

async function readSome(client: Socket, bytes: number): Promise<Buffer | null> {
  if (client.readableLength < bytes) await once(client, 'readable')
  return client.read(bytes) as Buffer | null
}
