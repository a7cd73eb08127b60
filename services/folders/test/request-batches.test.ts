import { randomBytes } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import {
  type App,
  type BatchClient,
  type BatchedResponse,
  createBatchClient,
  createLogger,
  visitorIdentity,
} from '@skyfolio/kit'
import { identityHeaders, TEST_IDENTITY_KEYS } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  call,
  cookieOf,
  makeFolder,
  makeLink,
  newUser,
  newVoterToken,
  openTestSystem,
  putPhoto,
  type TestSystem,
} from './support.ts'
import { expectExactTallies } from './votes-support.ts'

const visitor = visitorIdentity('192.0.2.1')
const RANKS = ['first', 'second', 'third'] as const
const NO_RANKS = { first: 0, second: 0, third: 0 }

let system: TestSystem
let apps: App[]
let gateways: BatchClient[]

/** Two replicas of the service, and for each a gateway's batch client. */
beforeAll(async () => {
  system = await openTestSystem()
  apps = [await system.start(), await system.start()]
  gateways = await Promise.all(apps.map(async (app) => batchClientTo(await app.listen({ port: 0, host: '127.0.0.1' }))))
})
afterAll(async () => {
  for (const gateway of gateways) gateway.close()
  await system.close()
})

function batchClientTo(upstream: string, method = 'POST', route = '/api/photos/:id/rank'): BatchClient {
  const logger = createLogger('test', 'silent')
  return createBatchClient({ logger, upstream, method, route, identityKeys: TEST_IDENTITY_KEYS })
}

async function sharedFolder(photoCount: number) {
  const owner = newUser()
  const folder = await makeFolder(apps[0] as App, owner, { isPublic: true })
  const photos: number[] = []
  for (let number = 0; number < photoCount; number += 1) {
    photos.push(await putPhoto(system, { userId: owner.userId, folderId: folder.id }))
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
  client: BatchClient,
  folderId: number,
  photoId: number,
  fingerprint: string,
  rank: string,
  cookie?: string,
) {
  const response = await client.send({
    id: `request-${++lastRequest}`,
    identity: visitor,
    params: { id: `${photoId}` },
    query: {},
    body: { fingerprint, rank, folderId },
    headers: { cookie },
  })
  const [status, body, headers = {}] = response as BatchedResponse<string>
  return { status, body: JSON.parse(body), headers }
}

async function rankingOf(folderId: number, fingerprint: string) {
  const { body } = await call(apps[0] as App, 'GET', `/api/folders/${folderId}/rankings?fingerprint=${fingerprint}`)
  return body.userRankings
}

test('a vote in a request batch gets the same response as alone: ballot and error texts', async () => {
  const { id, photos } = await sharedFolder(1)
  const [client] = gateways as [BatchClient]
  const [photo = 0] = photos
  const fingerprint = newFingerprint()
  const first = await vote(client, id, photo, fingerprint, 'first')
  expect([first.status, first.body, first.headers]).toEqual([200, { rankings: { ...NO_RANKS, first: photo } }, {}])
  const again = await vote(client, id, photo, fingerprint, 'third', `voter=${newVoterToken()}`)
  expect([again.body, again.headers]).toEqual([{ rankings: { ...NO_RANKS, third: photo } }, {}])
  const wrong = [
    await vote(client, id, 2 ** 30, fingerprint, 'first'),
    await vote(client, id, photo, 'short', 'first'),
    await vote(client, 2 ** 30, photo, fingerprint, 'first'),
  ]
  expect(wrong.map(({ status }) => status)).toEqual([404, 400, 404])
  expect(wrong[1]?.body.message).toBe('Cannot rank: Unable to generate a unique identifier for ranking.')
})

test('a vote sent after an acknowledgement wins, through any gateway and replica', async () => {
  const { id, photos } = await sharedFolder(4)
  await Promise.all(
    Array.from({ length: 60 }, async () => {
      const fingerprint = newFingerprint()
      let acknowledged = NO_RANKS
      for (let step = 0; step < 10; step += 1) {
        const photo = pick(photos)
        const rank = pick(RANKS)
        const { status, body } = await vote(pick(gateways), id, photo, fingerprint, rank)
        expect(status).toBe(200)
        const without = Object.fromEntries(
          Object.entries(acknowledged).map(([rank, ranked]) => [rank, ranked === photo ? 0 : ranked]),
        )
        expect(body.rankings).toEqual({ ...without, [rank]: photo })
        acknowledged = body.rankings
      }
      expect(await rankingOf(id, fingerprint)).toEqual(acknowledged)
    }),
  )
  await expectExactTallies(system)
})

test('a voter in two tabs on two replicas ends with the last response of one of the tabs', async () => {
  const { id, photos } = await sharedFolder(4)
  await Promise.all(
    Array.from({ length: 30 }, async () => {
      const fingerprint = newFingerprint()
      const tabs = gateways.map(async (gateway) => {
        let acknowledged = NO_RANKS
        for (let step = 0; step < 8; step += 1) {
          acknowledged = (await vote(gateway, id, pick(photos), fingerprint, pick(RANKS))).body.rankings
          const held = Object.values(acknowledged).filter((photo) => photo > 0)
          expect(new Set(held).size).toBe(held.length)
        }
        return acknowledged
      })
      const last = await Promise.all(tabs)
      expect(last).toContainEqual(await rankingOf(id, fingerprint))
    }),
  )
  await expectExactTallies(system)
})

test('a replica that drains under load loses no acknowledged vote', async () => {
  const { id, photos } = await sharedFolder(4)
  const draining = await system.start()
  const client = batchClientTo(await draining.listen({ port: 0, host: '127.0.0.1' }))
  let isDraining = false
  const voters = Array.from({ length: 40 }, async () => {
    const fingerprint = newFingerprint()
    let acknowledged = NO_RANKS
    while (!isDraining) {
      try {
        const { status, body } = await vote(client, id, pick(photos), fingerprint, pick(RANKS))
        if (status === 200) acknowledged = body.rankings
      } catch (error) {
        expect(error).toMatchObject({ status: 503 })
        isDraining = true
      }
    }
    return { fingerprint, acknowledged }
  })
  await expect
    .poll(async () => (await system.pool.query('SELECT FROM ballots WHERE folder_id = $1', [id])).rowCount)
    .toBe(40)
  await draining.close()
  for (const { fingerprint, acknowledged } of await Promise.all(voters))
    expect(await rankingOf(id, fingerprint)).toEqual(acknowledged)
  await expectExactTallies(system)
  client.close()
})

/** Requests share pages in a request batch and alone. */
async function shares(app: App) {
  const { port } = app.server.address() as { port: number }
  const client = batchClientTo(`http://127.0.0.1:${port}`, 'GET', '/api/share/:shareCode')
  onTestFinished(() => client.close())
  return {
    async inBatch(shareCode: string, headers: Record<string, string>, fingerprint?: string) {
      const id = `request-${++lastRequest}`
      const query = fingerprint ? { fingerprint } : {}
      const response = await client.send({
        id,
        identity: visitor,
        params: { shareCode },
        query,
        body: undefined,
        headers,
      })
      const [status, body = '', answered = {}] = response ?? []
      return { status, bytes: Buffer.from(body), headers: answered }
    },
    async alone(shareCode: string, headers: Record<string, string>, fingerprint?: string) {
      const url = `/api/share/${shareCode}${fingerprint ? `?fingerprint=${fingerprint}` : ''}`
      const response = await app.inject({ url, headers: { ...identityHeaders(), ...headers } })
      const names = ['etag', 'vary', 'cache-control', 'content-encoding', 'set-cookie', 'content-type']
      const kept = names.filter((name) => response.statusCode < 400 && response.headers[name] !== undefined)
      const answered = Object.fromEntries(kept.map((name) => [name, response.headers[name]]))
      return { status: response.statusCode, bytes: response.rawPayload, headers: answered }
    },
  }
}

test('a share page in a request batch equals the one sent alone: plain, compressed, 304 and 404', async () => {
  const { id, shareCode, photos } = await sharedFolder(4)
  const { inBatch, alone } = await shares(apps[0] as App)
  const fingerprint = newFingerprint()
  const [client] = gateways as [BatchClient]
  await vote(client, id, photos[0] as number, fingerprint, 'second')
  const cookie = `voter=${newVoterToken()}`
  const gzip = { cookie, 'accept-encoding': 'gzip, br' }
  const plain = await alone(shareCode, { cookie })
  const small = await alone(shareCode, gzip, fingerprint)
  expect(JSON.parse(gunzipSync(small.bytes).toString()).voteCounts).toEqual({ [`${photos[0]}`]: 'second' })
  expect(await inBatch(shareCode, { cookie })).toEqual(plain)
  expect(await inBatch(shareCode, gzip, fingerprint)).toEqual(small)

  const known = { ...gzip, 'if-none-match': small.headers.etag as string }
  const same = await inBatch(shareCode, known, fingerprint)
  expect([same.status, same.bytes.length]).toEqual([304, 0])
  expect(same).toEqual(await alone(shareCode, known, fingerprint))
  const { bytes: rejection, status } = await inBatch('unknown', gzip)
  expect({ status, bytes: rejection, headers: {} }).toEqual(await alone('unknown', gzip))
  expect(await inBatch(shareCode, gzip, 'short')).toEqual(await alone(shareCode, gzip, 'short'))
})

test('visitors whose pages share a request batch get their own ranks and tokens', async () => {
  const { id, shareCode, photos } = await sharedFolder(3)
  const { inBatch } = await shares(apps[0] as App)
  const voters = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const fingerprint = newFingerprint()
      const photo = pick(photos)
      await vote(pick(gateways), id, photo, fingerprint, 'first')
      return { fingerprint, photo }
    }),
  )
  const pages = await Promise.all(
    voters.map(({ fingerprint }) => inBatch(shareCode, { 'accept-encoding': 'gzip' }, fingerprint)),
  )
  for (const [index, { bytes }] of pages.entries()) {
    expect(JSON.parse(gunzipSync(bytes).toString()).voteCounts).toEqual({ [`${voters[index]?.photo}`]: 'first' })
  }
  const cookies = pages.map(({ headers }) => headers['set-cookie'] as string[])
  expect(cookies.map((values) => values.map((value) => value.split('=')[0]))).toEqual(
    pages.map(() => ['voter', 'links']),
  )
  expect(new Set(cookies.map(([token]) => token)).size).toBe(40)
})

test('a share page in a request batch is 404 at once when its folder becomes private', async () => {
  const { shareCode, flip } = await sharedFolder(2)
  const { inBatch } = await shares(apps[1] as App)
  const statuses = async () =>
    (await Promise.all(Array.from({ length: 5 }, () => inBatch(shareCode, {})))).map(({ status }) => status)
  for (let round = 0; round < 3; round += 1) {
    expect(await statuses()).toEqual([200, 200, 200, 200, 200])
    await flip(false)
    expect(await statuses()).toEqual([404, 404, 404, 404, 404])
    await flip(true)
  }
})

test('in a request batch a link with a password opens for the browsers that have entered it, and is 403 for others', async () => {
  const [app] = apps as [App]
  const owner = newUser()
  const folder = await makeFolder(app, owner, { isPublic: true })
  const { code } = await makeLink(app, owner, folder.id, { password: 'lake-1234' })
  const unlocked = await call(app, 'POST', `/api/share/${code}/unlock`, { body: { password: 'lake-1234' } })
  const cookie = `${cookieOf(unlocked, 'unlocked')}`
  const { inBatch, alone } = await shares(app)
  const { headers } = await alone(code, { cookie })
  const forged = { cookie: 'unlocked=1.1~x' }
  const browsers: Record<string, string>[] = [
    ...[{ cookie }, {}, forged],
    { 'if-none-match': `${headers.etag}` },
    { cookie },
  ]
  const answers = await Promise.all(browsers.map((headers) => inBatch(code, headers)))
  expect(answers.map(({ status }) => status)).toEqual([200, 403, 403, 403, 200])
  for (const { bytes, headers } of answers.slice(1, 4)) {
    expect(JSON.parse(`${bytes}`)).toEqual({ code: 'password_required', message: expect.any(String) })
    expect(Object.keys(headers)).not.toContain('set-cookie')
  }
})
