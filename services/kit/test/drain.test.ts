import { Agent, request } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { Type } from 'typebox'
import { afterEach, expect, test } from 'vitest'
import { type App, batchRoute, buildServer, createBatchClient, createLogger, visitorIdentity } from '../src/index.ts'

// One replica leaves while another is there, behind a balancer that gives new connections to the other: what a rolling
// update is to whoever keeps connections open.
const keys = ['key-key-key-key-key-key-key-key-key-key']
const identity = visitorIdentity('192.0.2.1')
const logger = createLogger('test', 'silent')
const answersWanted = 200
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function replica(): Promise<{ app: App; port: number; answered(): number }> {
  // Without keys, so that any request is accepted; batches are signed all the same.
  const app = await buildServer({ name: 'test', logger })
  let answered = 0
  batchRoute(app, keys, {
    method: 'POST',
    url: '/votes',
    config: { access: 'public', quiet: true },
    schema: { summary: 'Votes', params: Type.Object({}), response: { 200: Type.Object({}) } },
    async handler() {
      answered += 1
      return { body: {} }
    },
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  cleanups.push(() => app.close())
  return { app, port: (app.server.address() as AddressInfo).port, answered: () => answered }
}

/** Passes each new connection to the replica that `to` names in that moment. */
async function balance(to: () => number): Promise<string> {
  const server = createServer((client) => {
    const upstream = connect(to(), '127.0.0.1')
    client.pipe(upstream).pipe(client)
    client.on('error', () => upstream.destroy())
    upstream.on('error', () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Lets one of two replicas leave while `send` is called again and again, by many at once; every call must succeed. */
async function leaveUnder(
  send: (url: string) => Promise<unknown>,
  url: string,
  leave: () => Promise<void>,
  done: () => boolean,
) {
  let left = false
  const failures: unknown[] = []
  const client = async () => {
    while (!left || !done()) await send(url).catch((error) => failures.push(error))
  }
  const clients = Array.from({ length: 10 }, client)
  await leave()
  left = true
  await Promise.all(clients)
  return failures
}

async function twoReplicas() {
  const [one, other] = [await replica(), await replica()]
  let current = one
  const url = await balance(() => current.port)
  async function leave(): Promise<void> {
    while (one.answered() < answersWanted) await turn()
    current = other
    one.app.lameDuckMs = 1_500
    await one.app.close()
  }
  return { url, leave, done: () => other.answered() > answersWanted }
}

test('a draining replica fails no request of clients with open connections', async () => {
  const { url, leave, done } = await twoReplicas()
  const agent = new Agent({ keepAlive: true })
  cleanups.push(() => agent.destroy())
  const send = (origin: string) =>
    new Promise((resolve, reject) => {
      const sending = request(`${origin}/votes`, { method: 'POST', agent }, (response) => {
        response.resume().on('end', () => (response.statusCode === 200 ? resolve(null) : reject(response.statusCode)))
      })
      sending.on('error', reject).end()
    })
  expect(await leaveUnder(send, url, leave, done)).toEqual([])
})

test('a draining replica fails no request of a batch', async () => {
  const { url, leave, done } = await twoReplicas()
  const batches = createBatchClient({ logger, upstream: url, method: 'POST', route: '/votes', identityKeys: keys })
  cleanups.push(() => batches.close())
  const send = async () => {
    const answer = await batches.send({ id: 'a', identity, params: {}, query: {}, body: null, headers: {} })
    if (answer?.[0] !== 200) throw answer
  }
  expect(await leaveUnder(send, url, leave, done)).toEqual([])
})
