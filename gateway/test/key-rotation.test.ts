import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { App } from '@skyfolio/kit'
import { startRedis, type TestServer, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, putPhoto, type World } from '../../services/folders/test/support.ts'
import { startGateway, type TestGateway } from './support.ts'

const OLD = 'old-key-'.repeat(4)
const NEW = 'new-key-'.repeat(4)
/** What operators set, one after the other: the new key is appended, goes to the front, and the old one is removed. */
const STEPS = [
  { identityKeys: [OLD], voterKeys: [OLD] },
  { identityKeys: [OLD, NEW], voterKeys: [OLD, NEW] },
  { identityKeys: [NEW, OLD], voterKeys: [NEW, OLD] },
  // With its removal a voter key forgets its voters: it stays for as long as their votings last.
  { identityKeys: [NEW], voterKeys: [NEW, OLD] },
]
type Keys = (typeof STEPS)[number]

const OWNER = 7
let world: World
let redis: TestServer
const gateways: TestGateway[] = []

beforeAll(async () => {
  world = await openWorld()
  redis = await startRedis()
})
afterAll(async () => {
  for (const gateway of gateways) await gateway.close()
  await world.close()
  await redis.stop()
})

/** One replica of folders on a port. */
async function startService(keys: Keys): Promise<App> {
  const app = await world.start(keys)
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app
}

/** A gateway and the service behind it, each with its own keys, as they meet while keys are rolled out. */
async function pair({ identityKeys }: Keys, service: App): Promise<TestGateway> {
  const [address] = service.addresses() as AddressInfo[]
  const upstream = `http://127.0.0.1:${address?.port}`
  const gateway = await startGateway({ upstream, redisUrl: redis.url, identityKeys })
  gateways.push(gateway)
  return gateway
}

function post(gateway: TestGateway, path: string, cookie: string, body: object) {
  const headers = { 'content-type': 'application/json', cookie }
  return gateway.call(path, { method: 'POST', headers, body: JSON.stringify(body) })
}

async function folderWithPhotos(gateway: TestGateway, cookie: string) {
  const made = await post(gateway, '/api/folders', cookie, { name: 'Lake', isPublic: true })
  const { id } = await made.json()
  const photos = [1, 2, 3, 4].map(() => putPhoto(world, { userId: OWNER, folderId: id }))
  return { id: id as number, photos: await Promise.all(photos) }
}

interface Voter {
  fingerprint: string
  cookie: string
  votes: number
  /** The photo that it placed first. */
  first: number
}

const newVoter = (): Voter => ({ fingerprint: randomBytes(16).toString('hex'), cookie: '', votes: 0, first: 0 })

/** Votes once and keeps the voter token. Answers what is wrong with the answer. */
async function vote(gateway: TestGateway, voter: Voter, folder: { id: number; photos: number[] }) {
  const photo = folder.photos[voter.votes % folder.photos.length] as number
  const { fingerprint } = voter
  const body = { fingerprint, rank: 'first', folderId: folder.id }
  const answer = await post(gateway, `/api/photos/${photo}/rank`, voter.cookie, body)
  if (answer.status !== 200) return `vote: ${answer.status} ${await answer.text()}`
  voter.cookie = /^voter=[^;]+/.exec(answer.headers.get('set-cookie') ?? '')?.[0] ?? voter.cookie
  voter.votes += 1
  voter.first = photo
}

async function look(gateway: TestGateway, cookie: string) {
  const answer = await gateway.call('/api/folders', { headers: { cookie } })
  if (answer.status !== 200) return `owner: ${answer.status} ${await answer.text()}`
}

async function ballotsOf(folder: { id: number }) {
  const sql = 'SELECT first, token_mismatch FROM ballots WHERE folder_id = $1 ORDER BY first'
  return (await world.pool.query<{ first: number; token_mismatch: boolean }>(sql, [folder.id])).rows
}

/** Asks one pair or another again and again, as every voter and the owner at once. */
function requestsOf(voters: Voter[], cookie: string, folder: { id: number; photos: number[] }) {
  const refused: string[] = []
  let live: TestGateway[] = []
  let answered = 0
  let going = true
  const any = () => live[answered % live.length] as TestGateway
  async function again(ask: () => Promise<string | undefined>): Promise<void> {
    while (going) {
      const refusal = await ask()
      if (refusal) refused.push(refusal)
      answered += 1
    }
  }
  let running: Promise<unknown> | undefined
  return {
    refused,
    /** From now on these are asked. Resolves when they were, many times. */
    async through(...pairs: TestGateway[]) {
      live = pairs
      const enough = answered + 150
      running ??= Promise.all([
        ...voters.map((voter) => again(() => vote(any(), voter, folder))),
        again(() => look(any(), cookie)),
      ])
      await waitFor(() => answered > enough || refused.length > 0, { what: 'answers' })
    },
    async end() {
      going = false
      await running
    },
  }
}

test('keys are rotated under requests: nobody is signed out or refused, each voter keeps the one ballot', async () => {
  const [start, ...steps] = STEPS as [Keys, ...Keys[]]
  let keys = start
  let service = await startService(keys)
  let current = await pair(keys, service)
  const { cookie } = await current.signIn({ userId: OWNER })
  const folder = await folderWithPhotos(current, cookie)
  const voters = Array.from({ length: 10 }, newVoter)
  const requests = requestsOf(voters, cookie, folder)

  await requests.through(current)
  for (const next of steps) {
    const newService = await startService(next)
    const mixed = await Promise.all([pair(next, service), pair(keys, newService), pair(next, newService)])
    await requests.through(current, ...mixed)
    ;[keys, service, current] = [next, newService, mixed[2]]
    await requests.through(current)
  }
  await requests.end()

  expect(requests.refused).toEqual([])
  const chosen = voters.map(({ first }) => first).sort((a, b) => a - b)
  expect(await ballotsOf(folder)).toEqual(chosen.map((first) => ({ first, token_mismatch: false })))
})

test('a removed key opens nothing: its identities are refused, and its voters begin anew beside their old ballots', async () => {
  const before = await pair(STEPS[0] as Keys, await startService(STEPS[0] as Keys))
  const { cookie } = await before.signIn({ userId: OWNER })
  const folder = await folderWithPhotos(before, cookie)
  const voter = newVoter()
  await vote(before, voter, folder)

  const onlyNew = await startService({ identityKeys: [NEW], voterKeys: [NEW] })
  expect((await look(await pair(STEPS[0] as Keys, onlyNew), cookie))?.slice(0, 10)).toBe('owner: 401')
  const token = voter.cookie
  expect(await vote(await pair({ identityKeys: [NEW], voterKeys: [NEW] }, onlyNew), voter, folder)).toBeUndefined()
  expect(voter.cookie).not.toBe(token)
  expect(await ballotsOf(folder)).toHaveLength(2)
})
