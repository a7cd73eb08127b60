import { randomBytes } from 'node:crypto'
import { type App, createFolds, createLogger, type Folds, type Identity } from '@skyfolio/kit'
import { TEST_IDENTITY_KEYS } from '@skyfolio/kit/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, makeFolder, newUser, openWorld, putPhoto, type World } from './support.ts'
import { expectExactTallies } from './votes-support.ts'

const visitor: Identity = { userId: null, username: null, isAdmin: false, sessionHash: null, address: '192.0.2.1' }
const RANKS = ['first', 'second', 'third'] as const
const PLACES = { first: 0, second: 0, third: 0 }

let world: World
let apps: App[]
let gateways: Folds[]

/** Two replicas of the service, and for each a gateway's side of the folds. */
beforeAll(async () => {
  world = await openWorld()
  apps = [await world.start(), await world.start()]
  gateways = await Promise.all(apps.map(async (app) => foldsTo(await app.listen({ port: 0, host: '127.0.0.1' }))))
})
afterAll(async () => {
  for (const gateway of gateways) gateway.close()
  await world.close()
})

function foldsTo(upstream: string): Folds {
  return createFolds({
    logger: createLogger('test', 'silent'),
    upstream,
    method: 'POST',
    route: '/api/photos/:id/rank',
    identityKeys: TEST_IDENTITY_KEYS,
  })
}

async function folderWithPhotos(count: number) {
  const owner = newUser()
  const folder = await makeFolder(apps[0] as App, owner, { isPublic: true })
  const photos: number[] = []
  for (let number = 0; number < count; number += 1) {
    photos.push(await putPhoto(world, { userId: owner.userId, folderId: folder.id }))
  }
  return { id: folder.id, photos }
}

const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T
const newFingerprint = () => randomBytes(16).toString('hex')
let lastRequest = 0

async function vote(
  folds: Folds,
  folderId: number,
  photoId: number,
  fingerprint: string,
  rank: string,
  cookie?: string,
) {
  const [status, body, headers = {}] = await folds.send({
    id: `request-${++lastRequest}`,
    identity: visitor,
    params: { id: `${photoId}` },
    body: { fingerprint, rank, folderId },
    cookie,
  })
  return { status, body: JSON.parse(body), headers }
}

async function placesOf(folderId: number, fingerprint: string) {
  const { body } = await call(apps[0] as App, 'GET', `/api/folders/${folderId}/rankings?fingerprint=${fingerprint}`)
  return body.userRankings
}

test('A vote in a fold is answered as on its own: ballot, cookie once, refusals in their words', async () => {
  const { id, photos } = await folderWithPhotos(1)
  const [folds] = gateways as [Folds]
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
  const { id, photos } = await folderWithPhotos(4)
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
  const { id, photos } = await folderWithPhotos(4)
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
  const { id, photos } = await folderWithPhotos(4)
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
