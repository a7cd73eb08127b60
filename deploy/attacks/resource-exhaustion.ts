import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { UPLOAD_PARTS } from '@skyfolio/proto'
import sharp from 'sharp'
import { declareFile } from '../checks/declared-file.ts'
import type { Attack } from './attack.ts'
import type { Client } from './client.ts'
import { type Behaviour, describeHeld, holdConnections } from './connections.ts'
import { createFolder, sharePhotos } from './owner.ts'
import type { Target } from './target.ts'
import { declare } from './upload-sessions.ts'
import { describeVisits, faultsOf, startVisitors } from './visitors.ts'

// One address, or one account, keeps hundreds of connections busy with as little work as it can. Meanwhile another address signs
// in, votes and looks at pages, pictures and originals.

const CONNECTIONS = 600
/** The whole form is longer than the deadlines of headers and bodies: the attackers are disconnected and come again. */
const SECONDS = { short: 5, whole: 13 }
/** Where a response takes so long without an attack, the figures under attack mean nothing. */
const SLOW_MACHINE_MS = 3_000
/** All at once, then again: together as many requests as the limit of an address allows in the long run. */
const ONCE_AGAIN_MS = 6_000

interface Attackers {
  client: Client
  behaviour: Behaviour
}

/** Late responses alone may be the machine's: then there is a second attempt. */
function attackConnections(prepare: (target: Target) => Promise<Attackers>): Attack['run'] {
  return async (target, expect, note) => {
    async function attackOnce() {
      const { client, behaviour } = await prepare(target)
      const stop = await startVisitors(target)
      const held = await holdConnections(client, CONNECTIONS, SECONDS[target.short ? 'short' : 'whole'], behaviour)
      const visits = await stop()
      note(`${describeHeld(held)}; ${describeVisits(visits)}`)
      return faultsOf(visits, 'another address', target.longestMs)
    }
    const first = await attackOnce()
    const isLateOnly = first.late.length > 0 && first.rejected.length === 0
    const { rejected, late } = isLateOnly ? await attackOnce() : first
    for (const fault of [...rejected, ...late]) expect(false, fault)
  }
}

/** Bodies that never end. */
function halfBodies(...paths: string[]): Behaviour {
  let opened = 0
  const opening = (client: Client) => {
    opened += 1
    const head = `POST ${paths[opened % paths.length]} HTTP/1.1\r\n${client.lines()}`
    return `${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"a":"`
  }
  return { opening, repeated: 'a' }
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

async function halfHeaders(target: Target): Promise<Attackers> {
  const opening = (client: Client) => `GET /api/user HTTP/1.1\r\n${client.lines()}X-Slow: a`
  return { client: target.openClient(), behaviour: { opening, repeated: 'a' } }
}

async function halfJson(target: Target): Promise<Attackers> {
  const behaviour = halfBodies('/api/login', `/api/photos/${target.owner.publicPhotos[0]}/rank`)
  return { client: target.openClient(), behaviour }
}

async function unreadOriginal(target: Target): Promise<Attackers> {
  const path = await shareLargePhoto(target)
  const opening = ({ lines }: Client) => `GET ${path} HTTP/1.1\r\n${lines()}\r\n`
  return { client: target.openClient(), behaviour: { opening, neverReads: true } }
}

/** Above the least rate of uploads. */
function slowUpload(client: Client, target: Target, head: string, begin: string): Attackers {
  const opening = ({ lines }: Client) =>
    `${head.replace('\r\n', `\r\n${lines()}`)}${cookieOf(client, target)}\r\n${begin}`
  return { client, behaviour: { opening, repeated: 'a'.repeat(10_000) } }
}

async function slowForms(target: Target): Promise<Attackers> {
  const head =
    'POST /api/upload-photo HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 9000000\r\n'
  const part = '--b\r\nContent-Disposition: form-data; name="photo"; filename="a.jpg"\r\n\r\n'
  return slowUpload(await signedIn(target), target, head, `${part}\xff\xd8\xff`)
}

async function slowParts(target: Target): Promise<Attackers> {
  const client = await signedIn(target)
  const { id } = await declare(client, declareFile('slow.jpg', randomBytes(2_000_000), UPLOAD_PARTS.minBytes))
  const type = 'Content-Type: application/octet-stream\r\nContent-Length: 2000000\r\n'
  return slowUpload(client, target, `PUT /api/upload-sessions/${id}/parts/1 HTTP/1.1\r\n${type}`, 'a')
}

async function manyStreams(target: Target): Promise<Attackers> {
  const client = await signedIn(target)
  const opening = ({ lines }: Client) => `GET /api/events HTTP/1.1\r\n${lines()}${cookieOf(client, target)}\r\n`
  return { client, behaviour: { opening } }
}

async function wrongPasswords(target: Target): Promise<Attackers> {
  const client = target.openClient()
  const body = JSON.stringify({ username: `${target.owner.username}-`, password: 'a wrong password' })
  const head = `POST /api/login HTTP/1.1\r\n${client.lines()}Content-Type: application/json\r\n`
  const text = `${head}Content-Length: ${body.length}\r\n\r\n${body}`
  return { client, behaviour: { opening: () => text, repeated: text, everyMs: ONCE_AGAIN_MS } }
}

async function slowestLists(target: Target): Promise<Attackers> {
  const client = await signedIn(target)
  const folder = await createFolder(client, 'A folder', true)
  const gallery = ['', '/months', '/places', '/cameras', '/map/0/0/0', '/map/extent', '/track?format=gpx']
  const lists = [
    `/api/folders/${folder.id}/voters`,
    ...gallery.map((rest) => `/api/photos${rest}`),
    '/api/flights',
    '/api/user/statistics',
  ]
  const requests = lists.map((path) => `GET ${path} HTTP/1.1\r\n${client.lines()}${cookieOf(client, target)}\r\n`)
  let opened = 0
  const opening = () => {
    opened += 1
    return requests[opened % requests.length] ?? ''
  }
  return { client, behaviour: { opening, repeated: requests[0] ?? '', everyMs: ONCE_AGAIN_MS } }
}

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
const admitCrowd: Attack['run'] = async (target, expect, note) => {
  const seconds = 15
  const people = 300
  const plan = { everyMs: (seconds * 1_000) / people, signInEveryMs: 0, pictures: 8, votes: 3, originals: false }
  const stopCrowd = await startVisitors(target, plan)
  const stop = await startVisitors(target)
  await holdConnections(target.openClient(), CONNECTIONS, seconds, halfBodies('/api/login'))
  const [crowd, other] = await Promise.all([stopCrowd(), stop()])
  note(`the hall: ${describeVisits(crowd)}; another address: ${describeVisits(other)}`)
  const faults = [faultsOf(crowd, 'the hall', target.longestMs), faultsOf(other, 'another address', target.longestMs)]
  for (const fault of faults.flatMap(({ rejected, late }) => [...rejected, ...late])) expect(false, fault)
  expect(crowd.people > 0.8 * people, `only ${crowd.people} of ${people} people came`)
}

/** On a machine that is slow without an attack, the bound of the attacks that follow is twice what it takes there. */
const measureQuietly: Attack['run'] = async (target, expect, note) => {
  const stop = await startVisitors(target)
  await delay(4_000)
  const visits = await stop()
  const longest = Math.max(...visits.steps.map(({ milliseconds }) => milliseconds))
  target.longestMs = Math.max(target.longestMs, Math.ceil(2 * longest))
  note(`${describeVisits(visits)}; nothing may take more than ${target.longestMs} ms under the attacks that follow`)
  const { rejected, late } = faultsOf(visits, 'a visitor', SLOW_MACHINE_MS)
  for (const fault of [...rejected, ...late]) expect(false, fault)
}

const ofConnections = (what: string, prepare: (target: Target) => Promise<Attackers>) => ({
  name: `nobody waits while ${what}`,
  run: attackConnections(prepare),
})

export const EXHAUSTION_ATTACKS: Attack[] = [
  { name: 'visitors are served in time while nobody attacks', run: measureQuietly },
  ofConnections('600 connections send half a header', halfHeaders),
  ofConnections('600 connections send half a JSON body or half a vote, byte by byte', halfJson),
  ...[
    ofConnections('600 connections request a large original and do not read it', unreadOriginal),
    ofConnections('one account sends half of 600 uploads', slowForms),
    ofConnections('one account sends 600 parts drop by drop', slowParts),
    ofConnections('one account opens 600 streams of live events', manyStreams),
    ofConnections('600 connections sign in with wrong passwords', wrongPasswords),
    ofConnections('one account requests its slowest lists on 600 connections', slowestLists),
    {
      name: '300 people behind one address are served while 600 connections of another send half a body',
      run: admitCrowd,
    },
  ].map((attack) => ({ ...attack, long: true as const })),
]
