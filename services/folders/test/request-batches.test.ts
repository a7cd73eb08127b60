import { randomBytes } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import {
  type App,
  type BatchClient,
  type BatchedResponse,
  createBatchClient,
  createLogger,
  type Identity,
} from '@skyfolio/kit'
import { identityHeaders, TEST_IDENTITY_KEYS } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { call, makeFolder, newUser, openTestSystem, putPhoto, type TestSystem } from './support.ts'
import { expectExactTallies } from './votes-support.ts'

const visitor: Identity = { userId: null, username: null, isAdmin: false, sessionHash: null, address: '192.0.2.1' }
const RANKS = ['first', 'second', 'third'] as const
const PLACES = { first: 0, second: 0, third: 0 }

let world: TestSystem
let apps: App[]
let gateways: BatchClient[]

/** Two replicas of the service, and for each a gateway's side of the folds. */
beforeAll(async () => {
  world = await openTestSystem()
  apps = [await world.start(), await world.start()]
  gateways = await Promise.all(apps.map(async (app) => foldsTo(await app.listen({ port: 0, host: '127.0.0.1' }))))
})
afterAll(async () => {
  for (const gateway of gateways) gateway.close()
  await world.close()
})

function foldsTo(upstream: string, method = 'POST', route = '/api/photos/:id/rank'): BatchClient {
  const logger = createLogger('test', 'silent')
  return createBatchClient({ logger, upstream, method, route, identityKeys: TEST_IDENTITY_KEYS })
}

async function sharedFolder(photoCount: number) {
  const owner = newUser()
  const folder = await makeFolder(apps[0] as App, owner, { isPublic: true })
  const photos: number[] = []
  for (let number = 0; number < photoCount; number += 1) {
    photos.push(await putPhoto(world, { userId: owner.userId, folderId: folder.id }))
  }
  const flip = (isPublic: boolean) =>
    call(apps[0] as App, 'PATCH', `/api/folders/${folder.id}/toggle-public`, {
      headers: owner.headers,
      body: { isPublic },
    })
  return { ...folder, photos, flip }
}

const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T
const newFingerprint = () => randomBytes(16).toString('hex')
let lastRequest = 0

async function vote(
  folds: BatchClient,
  folderId: number,
  photoId: number,
  fingerprint: string,
  rank: string,
  cookie?: string,
) {
  const answer = await folds.send({
    id: `request-${++lastRequest}`,
    identity: visitor,
    params: { id: `${photoId}` },
    query: {},
    body: { fingerprint, rank, folderId },
    headers: { cookie },
  })
  const [status, body, headers = {}] = answer as BatchedResponse<string>
  return { status, body: JSON.parse(body), headers }
}

async function placesOf(folderId: number, fingerprint: string) {
  const { body } = await call(apps[0] as App, 'GET', `/api/folders/${folderId}/rankings?fingerprint=${fingerprint}`)
  return body.userRankings
}

test('A vote in a fold is answered as on its own: ballot, cookie once, refusals in their words', async () => {
  const { id, photos } = await sharedFolder(1)
  const [folds] = gateways as [BatchClient]
  const [photo = 0] = photos
  const fingerprint = newFingerprint()
  const first = await vote(folds, id, photo, fingerprint, 'first')
  expect([first.status, first.body]).toEqual([200, { rankings: { ...PLACES, first: photo } }])
  const [cookie] = String(first.headers['set-cookie']).split(';')
  const again = await vote(folds, id, photo, fingerprint, 'third', cookie)
  expect([again.body, again.headers]).toEqual([{ rankings: { ...PLACES, third: photo } }, {}])
  const wrong = [
    await vote(folds, id, 2 ** 30, fingerprint, 'first'),
    await vote(folds, id, photo, 'short', 'first'),
    await vote(folds, 2 ** 30, photo, fingerprint, 'first'),
  ]
  expect(wrong.map(({ status }) => status)).toEqual([404, 400, 404])
  expect(wrong[1]?.body.message).toBe('Cannot rank: Unable to generate a unique identifier for ranking.')
})

test('A vote sent after an acknowledgement wins, through whichever gateway and replica', async () => {
  const { id, photos } = await sharedFolder(4)
  await Promise.all(
    Array.from({ length: 60 }, async () => {
      const fingerprint = newFingerprint()
      let told = PLACES
      for (let step = 0; step < 10; step += 1) {
        const photo = pick(photos)
        const rank = pick(RANKS)
        const { status, body } = await vote(pick(gateways), id, photo, fingerprint, rank)
        expect(status).toBe(200)
        const without = Object.fromEntries(Object.entries(told).map(([at, held]) => [at, held === photo ? 0 : held]))
        expect(body.rankings).toEqual({ ...without, [rank]: photo })
        told = body.rankings
      }
      expect(await placesOf(id, fingerprint)).toEqual(told)
    }),
  )
  await expectExactTallies(world)
})

test('One voter in two tabs, on two replicas at once, ends with what one of the tabs was told last', async () => {
  const { id, photos } = await sharedFolder(4)
  await Promise.all(
    Array.from({ length: 30 }, async () => {
      const fingerprint = newFingerprint()
      const tabs = gateways.map(async (gateway) => {
        let told = PLACES
        for (let step = 0; step < 8; step += 1) {
          told = (await vote(gateway, id, pick(photos), fingerprint, pick(RANKS))).body.rankings
          const held = Object.values(told).filter((photo) => photo > 0)
          expect(new Set(held).size).toBe(held.length)
        }
        return told
      })
      const last = await Promise.all(tabs)
      expect(last).toContainEqual(await placesOf(id, fingerprint))
    }),
  )
  await expectExactTallies(world)
})

test('A replica that drains under votes loses none that it acknowledged', async () => {
  const { id, photos } = await sharedFolder(4)
  const leaving = await world.start()
  const folds = foldsTo(await leaving.listen({ port: 0, host: '127.0.0.1' }))
  let refused = false
  const voters = Array.from({ length: 40 }, async () => {
    const fingerprint = newFingerprint()
    let told = PLACES
    while (!refused) {
      try {
        const { status, body } = await vote(folds, id, pick(photos), fingerprint, pick(RANKS))
        if (status === 200) told = body.rankings
      } catch (error) {
        expect(error).toMatchObject({ status: 503 })
        refused = true
      }
    }
    return { fingerprint, told }
  })
  await expect
    .poll(async () => (await world.pool.query('SELECT FROM ballots WHERE folder_id = $1', [id])).rowCount)
    .toBe(40)
  await leaving.close()
  for (const { fingerprint, told } of await Promise.all(voters)) expect(await placesOf(id, fingerprint)).toEqual(told)
  await expectExactTallies(world)
  folds.close()
})

/** Share pages through a fold, and the same on their own. */
async function shares(app: App) {
  const { port } = app.server.address() as { port: number }
  const folds = foldsTo(`http://127.0.0.1:${port}`, 'GET', '/api/share/:shareCode')
  onTestFinished(() => folds.close())
  return {
    async inFold(shareCode: string, headers: Record<string, string>, fingerprint?: string) {
      const id = `request-${++lastRequest}`
      const query = fingerprint ? { fingerprint } : {}
      const answer = await folds.send({
        id,
        identity: visitor,
        params: { shareCode },
        query,
        body: undefined,
        headers,
      })
      const [status, body = '', answered = {}] = answer ?? []
      return { status, bytes: Buffer.from(body), headers: answered }
    },
    async alone(shareCode: string, headers: Record<string, string>, fingerprint?: string) {
      const url = `/api/share/${shareCode}${fingerprint ? `?fingerprint=${fingerprint}` : ''}`
      const response = await app.inject({ url, headers: { ...identityHeaders(), ...headers } })
      const names = ['etag', 'vary', 'cache-control', 'content-encoding', 'set-cookie', 'content-type']
      const kept = names.filter((name) => response.statusCode < 400 && response.headers[name] !== undefined)
      const answered = Object.fromEntries(kept.map((name) => [name, String(response.headers[name])]))
      return { status: response.statusCode, bytes: response.rawPayload, headers: answered }
    },
  }
}

test('A share page in a fold is the one that a visitor gets alone: plain, compressed, known, refused', async () => {
  const { id, shareCode, photos } = await sharedFolder(4)
  const { inFold, alone } = await shares(apps[0] as App)
  const fingerprint = newFingerprint()
  const [folds] = gateways as [BatchClient]
  const voted = await vote(folds, id, photos[0] as number, fingerprint, 'second')
  const [cookie = ''] = String(voted.headers['set-cookie']).split(';')
  const gzip = { cookie, 'accept-encoding': 'gzip, br' }
  const plain = await alone(shareCode, { cookie })
  const small = await alone(shareCode, gzip, fingerprint)
  expect(JSON.parse(gunzipSync(small.bytes).toString()).voteCounts).toEqual({ [`${photos[0]}`]: 'second' })
  expect(await inFold(shareCode, { cookie })).toEqual(plain)
  expect(await inFold(shareCode, gzip, fingerprint)).toEqual(small)

  const known = { ...gzip, 'if-none-match': small.headers.etag as string }
  const same = await inFold(shareCode, known, fingerprint)
  expect([same.status, same.bytes.length]).toEqual([304, 0])
  expect(same).toEqual(await alone(shareCode, known, fingerprint))
  const { bytes: refusal, status } = await inFold('unknown', gzip)
  expect({ status, bytes: refusal, headers: {} }).toEqual(await alone('unknown', gzip))
  expect(await inFold(shareCode, gzip, 'short')).toEqual(await alone(shareCode, gzip, 'short'))
})

test('Visitors whose pages travel together get their own places and tokens', async () => {
  const { id, shareCode, photos } = await sharedFolder(3)
  const { inFold } = await shares(apps[0] as App)
  const voters = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const fingerprint = newFingerprint()
      const photo = pick(photos)
      await vote(pick(gateways), id, photo, fingerprint, 'first')
      return { fingerprint, photo }
    }),
  )
  const pages = await Promise.all(
    voters.map(({ fingerprint }) => inFold(shareCode, { 'accept-encoding': 'gzip' }, fingerprint)),
  )
  for (const [index, { bytes }] of pages.entries()) {
    expect(JSON.parse(gunzipSync(bytes).toString()).voteCounts).toEqual({ [`${voters[index]?.photo}`]: 'first' })
  }
  expect(new Set(pages.map(({ headers }) => headers['set-cookie'])).size).toBe(40)
})

test('A share page in a fold is gone at once when its folder becomes private', async () => {
  const { shareCode, flip } = await sharedFolder(2)
  const { inFold } = await shares(apps[1] as App)
  const statuses = async () =>
    (await Promise.all(Array.from({ length: 5 }, () => inFold(shareCode, {})))).map(({ status }) => status)
  for (let round = 0; round < 3; round += 1) {
    expect(await statuses()).toEqual([200, 200, 200, 200, 200])
    await flip(false)
    expect(await statuses()).toEqual([404, 404, 404, 404, 404])
    await flip(true)
  }
})
