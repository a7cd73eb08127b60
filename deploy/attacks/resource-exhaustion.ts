import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { UPLOAD_PARTS } from '@skyfolio/proto'
import sharp from 'sharp'
import { declareFile } from '../checks/declared-file.ts'
import { type Attack, judge, type Outcome } from './attack.ts'
import type { Client } from './client.ts'
import { type Behaviour, describeHeld, holdConnections } from './connections.ts'
import { createFolder, sharePhotos } from './owner.ts'
import type { Target } from './target.ts'
import { declare } from './upload-sessions.ts'
import { describeVisits, faultsOf, startVisitors, type VisitFaults } from './visitors.ts'

// One address, or one account, keeps hundreds of connections busy with as little work as it can. Meanwhile another address signs
// in, votes and looks at pages, pictures and originals.

const CONNECTIONS = 600
/** The whole form is longer than the deadlines of headers and bodies: the attackers are disconnected and come again. */
const SECONDS = { short: 5, whole: 13 }
/** Where a response takes so long without an attack, the figures under attack mean nothing. */
const SLOW_MACHINE_MS = 3_000
/** All at once, then again: together as many requests as the limit of an address allows in the long run. */
const ONCE_AGAIN_MS = 6_000

interface ConnectionAttack {
  name: string
  short?: true
  prepare(target: Target): Promise<{ clients: Client[]; behaviour: Behaviour }>
}

/** Late responses alone may be the machine's: then there is a second attempt. */
async function attackConnections(target: Target, attack: ConnectionAttack): Promise<Outcome> {
  const first = await attackOnce(target, attack)
  if (first.late.length === 0 || first.rejected.length > 0) return outcomeOf(first)
  const second = await attackOnce(target, attack)
  return outcomeOf({ ...second, seen: `${second.seen}; in the first attempt ${first.late.join(', ')}` })
}

const outcomeOf = ({ seen, rejected, late }: VisitFaults & { seen: string }): Outcome => ({
  seen,
  faults: [...rejected, ...late],
})

async function attackOnce(target: Target, { prepare }: ConnectionAttack): Promise<VisitFaults & { seen: string }> {
  const { clients, behaviour } = await prepare(target)
  const stop = await startVisitors(target)
  const held = await holdConnections(clients, CONNECTIONS, SECONDS[target.short ? 'short' : 'whole'], behaviour)
  const visits = await stop()
  const faults = faultsOf(visits, 'another address', target.longestMs)
  return { ...faults, seen: `${describeHeld(held)}; ${describeVisits(visits)}` }
}

/** What a client sends that never ends its request. */
function halfBody(method: string, path: string): Behaviour {
  const begin = (client: Client) =>
    `${method} ${path} HTTP/1.1\r\n${client.lines()}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"a":"`
  return { opening: begin, repeated: 'a' }
}

const cookieOf = ({ cookieHeader }: Client, { endpoint }: Target) =>
  `Cookie: ${cookieHeader()}\r\nOrigin: ${endpoint.origin}\r\n`

/** An account's session at one attacking address. */
async function signedIn(target: Target): Promise<Client> {
  const { client } = await target.register()
  const attacker = target.openClient()
  for (const [name, value] of client.cookies) attacker.cookies.set(name, value)
  return attacker
}

const CONNECTION_ATTACKS: ConnectionAttack[] = [
  {
    name: 'nobody waits while 600 connections send half a header',
    short: true,
    async prepare(target) {
      const opening = (client: Client) => `GET /api/user HTTP/1.1\r\n${client.lines()}X-Slow: a`
      return { clients: [target.openClient()], behaviour: { opening, repeated: 'a' } }
    },
  },
  {
    name: 'nobody waits while 600 connections send half a JSON body, byte by byte',
    short: true,
    async prepare(target) {
      return { clients: [target.openClient()], behaviour: halfBody('POST', '/api/login') }
    },
  },
  {
    name: 'nobody waits while 600 connections send half a vote, byte by byte',
    short: true,
    async prepare(target) {
      const [photo] = target.owner.publicPhotos
      return { clients: [target.openClient()], behaviour: halfBody('POST', `/api/photos/${photo}/rank`) }
    },
  },
  {
    name: 'nobody waits while 600 connections request a large original and do not read it',
    async prepare(target) {
      const client = target.openClient()
      const path = await shareLargePhoto(target)
      const opening = ({ lines }: Client) => `GET ${path} HTTP/1.1\r\n${lines()}\r\n`
      return { clients: [client], behaviour: { opening, neverReads: true } }
    },
  },
  {
    name: 'nobody waits while one account sends half of 600 uploads',
    async prepare(target) {
      const client = await signedIn(target)
      const part = '--b\r\nContent-Disposition: form-data; name="photo"; filename="a.jpg"\r\n\r\n'
      const head = (lines: string) =>
        `POST /api/upload-photo HTTP/1.1\r\n${lines}Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 9000000\r\n`
      const opening = ({ lines }: Client) => `${head(lines())}${cookieOf(client, target)}\r\n${part}\xff\xd8\xff`
      // Above the least rate of uploads.
      return { clients: [client], behaviour: { opening, repeated: 'a'.repeat(10_000) } }
    },
  },
  {
    name: 'nobody waits while one account sends 600 parts drop by drop',
    async prepare(target) {
      const client = await signedIn(target)
      const session = await declare(client, declareFile('slow.jpg', randomBytes(2_000_000), UPLOAD_PARTS.minBytes))
      const head = (lines: string) =>
        `PUT /api/upload-sessions/${session.id}/parts/1 HTTP/1.1\r\n${lines}Content-Type: application/octet-stream\r\nContent-Length: 2000000\r\n`
      const opening = ({ lines }: Client) => `${head(lines())}${cookieOf(client, target)}\r\na`
      return { clients: [client], behaviour: { opening, repeated: 'a'.repeat(10_000) } }
    },
  },
  {
    name: 'nobody waits while one account opens 600 streams of live events',
    async prepare(target) {
      const client = await signedIn(target)
      const opening = ({ lines }: Client) => `GET /api/events HTTP/1.1\r\n${lines()}${cookieOf(client, target)}\r\n`
      return { clients: [client], behaviour: { opening } }
    },
  },
  {
    name: 'nobody waits while 600 connections sign in with wrong passwords',
    async prepare(target) {
      const { username } = target.owner
      const body = JSON.stringify({ username: `${username}-`, password: 'a wrong password' })
      const head = 'Content-Type: application/json\r\nContent-Length:'
      const text = (client: Client) =>
        `POST /api/login HTTP/1.1\r\n${client.lines()}${head} ${Buffer.byteLength(body)}\r\n\r\n${body}`
      const client = target.openClient()
      return { clients: [client], behaviour: { opening: text, repeated: text(client), everyMs: ONCE_AGAIN_MS } }
    },
  },
  {
    name: 'nobody waits while one account requests its slowest lists on 600 connections',
    async prepare(target) {
      const client = await signedIn(target)
      const folder = await createFolder(client, 'A folder', true)
      const request = (path: string) => `GET ${path} HTTP/1.1\r\n${client.lines()}${cookieOf(client, target)}\r\n`
      const gallery = ['', '/months', '/places', '/map/0/0/0', '/map/extent', '/track?format=gpx']
      const lists = [
        `/api/folders/${folder.id}/voters`,
        ...gallery.map((rest) => `/api/photos${rest}`),
        '/api/flights',
        '/api/user/statistics',
      ]
      let opened = 0
      const opening = () => {
        opened += 1
        return request(lists[opened % lists.length] ?? '')
      }
      return { clients: [client], behaviour: { opening, repeated: request(lists[0] ?? ''), everyMs: ONCE_AGAIN_MS } }
    },
  },
]

/** Noise, which no encoder makes small: some 12 MB. Returns the public name of the original. */
async function shareLargePhoto(target: Target): Promise<string> {
  const { client } = await target.register()
  const noise = { raw: { width: 2400, height: 2400, channels: 3 as const } }
  const file = await sharp(randomBytes(2400 * 2400 * 3), noise)
    .jpeg({ quality: 97 })
    .toBuffer()
  const { shown } = await sharePhotos(client, { name: 'Large', files: [file] })
  return shown[0]?.url ?? ''
}

/** All behind one address: their requests are many, and each is wanted. */
async function admitCrowd(target: Target): Promise<Outcome> {
  const { expect, faults, seen } = judge()
  const seconds = 15
  const people = target.short ? 100 : 300
  const everyMs = (seconds * 1_000) / people
  const plan = { everyMs, signInEveryMs: 0, pictures: 8, votes: 3, originals: false }
  const stopCrowd = await startVisitors(target, plan)
  const stop = await startVisitors(target)
  const held = await holdConnections([target.openClient()], CONNECTIONS, seconds, halfBody('POST', '/api/login'))
  const [crowd, other] = await Promise.all([stopCrowd(), stop()])
  for (const [visits, who] of [
    [crowd, 'the hall'],
    [other, 'another address'],
  ] as const) {
    const { rejected, late } = faultsOf(visits, who, target.longestMs)
    faults.push(...rejected, ...late)
  }
  expect(crowd.people > 0.8 * people, `only ${crowd.people} of ${people} people came`)
  return seen(`the hall: ${describeVisits(crowd)}; another address: ${describeVisits(other)}; ${describeHeld(held)}`)
}

/** On a machine that is slow without an attack, the bound of the attacks that follow is twice what it takes there. */
async function measureQuietly(target: Target): Promise<Outcome> {
  const stop = await startVisitors(target)
  await delay(4_000)
  const visits = await stop()
  const longest = Math.max(...visits.steps.map(({ milliseconds }) => milliseconds))
  target.longestMs = Math.max(target.longestMs, Math.ceil(2 * longest))
  const bound = `nothing may take more than ${target.longestMs} ms under the attacks that follow`
  return outcomeOf({ ...faultsOf(visits, 'a visitor', SLOW_MACHINE_MS), seen: `${describeVisits(visits)}; ${bound}` })
}

export const EXHAUSTION_ATTACKS: Attack[] = [
  {
    name: 'visitors are served in time while nobody attacks',
    short: true,
    run: measureQuietly,
  },
  ...CONNECTION_ATTACKS.map((attack) => ({
    name: attack.name,
    ...(attack.short && { short: attack.short }),
    run: (target: Target) => attackConnections(target, attack),
  })),
  {
    name: '300 people behind one address are served while 600 connections of another send half a body',
    run: admitCrowd,
  },
]
