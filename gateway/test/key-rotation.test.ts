import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { App } from '@skyfolio/kit'
import { startRedis, type TestServer, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestSystem, putPhoto, type TestSystem } from '../../services/folders/test/support.ts'
import { startGateway, type TestGateway } from './support.ts'

const OLD = 'old-key-'.repeat(4)
const NEW = 'new-key-'.repeat(4)
/** The settings of a rotation, in order: the new key is appended, moved to the front, and the old one is removed. */
const STEPS = [
  { identityKeys: [OLD], voterKeys: [OLD] },
  { identityKeys: [OLD, NEW], voterKeys: [OLD, NEW] },
  { identityKeys: [NEW, OLD], voterKeys: [NEW, OLD] },
  // Removing a voter key forgets its voters, so it stays for as long as their votings last.
  { identityKeys: [NEW], voterKeys: [NEW, OLD] },
]
type Keys = (typeof STEPS)[number]

const OWNER = 7
let system: TestSystem
let redis: TestServer
const gateways: TestGateway[] = []

beforeAll(async () => {
  system = await openTestSystem()
  redis = await startRedis()
})
afterAll(async () => {
  for (const gateway of gateways) await gateway.close()
  await system.close()
  await redis.stop()
})

/** One replica of folders on a port. */
async function startService(keys: Keys): Promise<App> {
  const app = await system.start(keys)
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app
}

/** Starts a gateway with its own keys in front of a service, as they meet while keys are rolled out. */
async function startGatewayTo({ identityKeys }: Keys, service: App): Promise<TestGateway> {
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
  const photos = [1, 2, 3, 4].map(() => putPhoto(system, { userId: OWNER, folderId: id }))
  return { id: id as number, photos: await Promise.all(photos) }
}

interface Voter {
  fingerprint: string
  cookie: string
  votes: number
  /** The photo with rank first on its ballot. */
  first: number
}

const newVoter = (): Voter => ({ fingerprint: randomBytes(16).toString('hex'), cookie: '', votes: 0, first: 0 })

/** Votes once and keeps the voter token. Returns what is wrong with the response, if anything. */
async function vote(gateway: TestGateway, voter: Voter, folder: { id: number; photos: number[] }) {
  const photo = folder.photos[voter.votes % folder.photos.length] as number
  const { fingerprint } = voter
  const body = { fingerprint, rank: 'first', folderId: folder.id }
  const response = await post(gateway, `/api/photos/${photo}/rank`, voter.cookie, body)
  if (response.status !== 200) return `vote: ${response.status} ${await response.text()}`
  voter.cookie = /^voter=[^;]+/.exec(response.headers.get('set-cookie') ?? '')?.[0] ?? voter.cookie
  voter.votes += 1
  voter.first = photo
}

async function listFolders(gateway: TestGateway, cookie: string) {
  const response = await gateway.call('/api/folders', { headers: { cookie } })
  if (response.status !== 200) return `owner: ${response.status} ${await response.text()}`
}

async function ballotsOf(folder: { id: number }) {
  const sql = 'SELECT first, token_mismatch FROM ballots WHERE folder_id = $1 ORDER BY first'
  return (await system.pool.query<{ first: number; token_mismatch: boolean }>(sql, [folder.id])).rows
}

/** Sends requests of all voters and the owner in a loop, to the gateways in turn. */
function startRequests(voters: Voter[], cookie: string, folder: { id: number; photos: number[] }) {
  const rejected: string[] = []
  let targets: TestGateway[] = []
  let completed = 0
  let running = true
  const next = () => targets[completed % targets.length] as TestGateway
  async function repeat(send: () => Promise<string | undefined>): Promise<void> {
    while (running) {
      const rejection = await send()
      if (rejection) rejected.push(rejection)
      completed += 1
    }
  }
  let loops: Promise<unknown> | undefined
  return {
    rejected,
    /** Switches to these gateways. Resolves after many requests to them. */
    async sendTo(...gateways: TestGateway[]) {
      targets = gateways
      const enough = completed + 150
      loops ??= Promise.all([
        ...voters.map((voter) => repeat(() => vote(next(), voter, folder))),
        repeat(() => listFolders(next(), cookie)),
      ])
      await waitFor(() => completed > enough || rejected.length > 0, { what: 'responses' })
    },
    async end() {
      running = false
      await loops
    },
  }
}

test('rotates keys under load: no request is rejected, and each voter keeps one ballot', async () => {
  const [start, ...steps] = STEPS as [Keys, ...Keys[]]
  let keys = start
  let service = await startService(keys)
  let current = await startGatewayTo(keys, service)
  const { cookie } = await current.signIn({ userId: OWNER })
  const folder = await folderWithPhotos(current, cookie)
  const voters = Array.from({ length: 10 }, newVoter)
  const requests = startRequests(voters, cookie, folder)

  await requests.sendTo(current)
  for (const next of steps) {
    const newService = await startService(next)
    const mixed = await Promise.all([
      startGatewayTo(next, service),
      startGatewayTo(keys, newService),
      startGatewayTo(next, newService),
    ])
    await requests.sendTo(current, ...mixed)
    ;[keys, service, current] = [next, newService, mixed[2]]
    await requests.sendTo(current)
  }
  await requests.end()

  expect(requests.rejected).toEqual([])
  const chosen = voters.map(({ first }) => first).sort((a, b) => a - b)
  expect(await ballotsOf(folder)).toEqual(chosen.map((first) => ({ first, token_mismatch: false })))
})

test('a removed key is invalid: its identities are rejected, and its voters get new ballots beside their old ones', async () => {
  const before = await startGatewayTo(STEPS[0] as Keys, await startService(STEPS[0] as Keys))
  const { cookie } = await before.signIn({ userId: OWNER })
  const folder = await folderWithPhotos(before, cookie)
  const voter = newVoter()
  await vote(before, voter, folder)

  const onlyNew = await startService({ identityKeys: [NEW], voterKeys: [NEW] })
  expect((await listFolders(await startGatewayTo(STEPS[0] as Keys, onlyNew), cookie))?.slice(0, 10)).toBe('owner: 401')
  const token = voter.cookie
  expect(
    await vote(await startGatewayTo({ identityKeys: [NEW], voterKeys: [NEW] }, onlyNew), voter, folder),
  ).toBeUndefined()
  expect(voter.cookie).not.toBe(token)
  expect(await ballotsOf(folder)).toHaveLength(2)
})
