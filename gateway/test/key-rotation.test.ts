import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { App } from '@skyfolio/kit'
import {
  createTestDatabase,
  startRedis,
  type TestDatabase,
  type TestServer,
  testDirectory,
  waitFor,
} from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestSystem, putPhoto, type TestSystem } from '../../services/folders/test/support.ts'
import { renderAnew } from '../../services/media/test/picture-support.ts'
import { startTestMedia, type TestMedia } from '../../services/media/test/support.ts'
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
const LINK_STEPS = [[OLD], [OLD, NEW], [NEW, OLD], [NEW]]

const OWNER = 7
let system: TestSystem
let redis: TestServer
let mediaDatabase: TestDatabase
const medias: TestMedia[] = []
const gateways: TestGateway[] = []

beforeAll(async () => {
  system = await openTestSystem()
  redis = await startRedis()
  mediaDatabase = await createTestDatabase('media')
})
afterAll(async () => {
  for (const gateway of gateways) await gateway.close()
  for (const media of medias) await media.close()
  await system.close()
  await redis.stop()
  await mediaDatabase.drop()
})

/** One replica of folders on a port. */
async function startService(keys: Partial<Keys> & { linkKeys?: string[] }): Promise<App> {
  const app = await system.start(keys)
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app
}

/** One replica of media; all have the same database and objects. */
async function startMediaWith(linkKeys: string[]): Promise<TestMedia> {
  const env = { LINK_KEYS: linkKeys.join(), OBJECT_STORE_DIR: join(testDirectory(), 'objects-of-rotated-keys') }
  const servers = { natsUrl: system.natsUrl, redisUrl: redis.url, databaseUrl: mediaDatabase.url }
  const media = await startTestMedia({ ...servers, env })
  medias.push(media)
  return media
}

/** Starts a gateway in front of these replicas, as requests meet them while keys are rolled out. */
async function startGatewayBefore(folders: App, media: TestMedia): Promise<TestGateway> {
  const [address] = folders.addresses() as AddressInfo[]
  const upstream = `http://127.0.0.1:${address?.port}`
  const gateway = await startGateway({ upstream, mediaUrl: media.origin, redisUrl: redis.url })
  gateways.push(gateway)
  return gateway
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
  const { id, shareCode } = await made.json()
  const photos = [1, 2, 3, 4].map(() => putPhoto(system, { userId: OWNER, folderId: id }))
  return { id: id as number, shareCode: shareCode as string, photos: await Promise.all(photos) }
}

interface Voter {
  fingerprint: string
  cookie: string
  votes: number
  /** The photo with rank first on its ballot. */
  first: number
}

const newVoter = (): Voter => ({ fingerprint: randomBytes(16).toString('hex'), cookie: '', votes: 0, first: 0 })

type VotedFolder = Awaited<ReturnType<typeof folderWithPhotos>>

/** Loads the page, keeps its voter token, and votes once. Returns what is wrong with a response, if anything. */
async function vote(gateway: TestGateway, voter: Voter, folder: VotedFolder) {
  const page = await gateway.call(`/api/share/${folder.shareCode}`, { headers: { cookie: voter.cookie } })
  if (page.status !== 200) return `page: ${page.status} ${await page.text()}`
  voter.cookie = /^voter=[^;]+/.exec(page.headers.get('set-cookie') ?? '')?.[0] ?? voter.cookie
  const photo = folder.photos[voter.votes % folder.photos.length] as number
  const { fingerprint } = voter
  const body = { fingerprint, rank: 'first', folderId: folder.id }
  const response = await post(gateway, `/api/photos/${photo}/rank`, voter.cookie, body)
  if (response.status !== 200) return `vote: ${response.status} ${await response.text()}`
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
function startRequests(voters: Voter[], cookie: string, folder: VotedFolder) {
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

interface OpenPage {
  /** Of the pictures of its photo. */
  urls: string[]
  image: string
  cookie: string
}

/** What a browser has after it has opened the link. */
async function openLink(gateway: TestGateway, shareCode: string): Promise<OpenPage> {
  const opened = async () => {
    const response = await gateway.call(`/api/share/${shareCode}`)
    const [photo] = (await response.json()).photos
    const cookie = response.headers.getSetCookie().map((text) => text.split(';')[0])
    const { url, smallUrl, thumbnailUrl, mediumUrl, previewUrl } = photo
    const urls = [url, smallUrl, thumbnailUrl, mediumUrl, previewUrl]
    return previewUrl && { urls, image: `/api/photos/${photo.id}/image`, cookie: cookie.join('; ') }
  }
  return waitFor<OpenPage | ''>(opened, { what: 'the photo is on the page' })
}

/** The statuses of the page's pictures, and of the photo by its id with the page's cookie, each once. */
async function statusesOf(gateway: TestGateway, { urls, image, cookie }: OpenPage): Promise<number[]> {
  const requests = [...urls.map((url) => gateway.call(url)), gateway.call(image, { headers: { cookie } })]
  const statuses = (await Promise.all(requests)).map(({ status }) => status)
  return [...new Set(statuses)]
}

test('rotates the keys of links: what a link opened stays open in every mixture of replicas, until its key is removed', async () => {
  const [first = [], ...steps] = LINK_STEPS
  let [folders, media] = [await startService({ linkKeys: first }), await startMediaWith(first)]
  let current = await startGatewayBefore(folders, media)
  const { cookie } = await current.signIn({ userId: OWNER })
  const made = await post(current, '/api/folders', cookie, { name: 'Lake', isPublic: true })
  const { id, shareCode } = await made.json()
  const photo = await media.upload(OWNER, { folderId: `${id}` })
  await renderAnew(media, photo.id, OWNER)
  // A change publishes the photo with its renditions to folders.
  await media.json(`/api/photos/${photo.id}`, { userId: OWNER, username: 'pilot', sessionHash: 'a' }, 'PATCH', {
    title: 'Lake',
  })
  const firstPage = await openLink(current, shareCode)
  expect(await statusesOf(current, firstPage)).toEqual([200])

  for (const [index, keys] of steps.entries()) {
    const [newFolders, newMedia] = [await startService({ linkKeys: keys }), await startMediaWith(keys)]
    const next = await startGatewayBefore(newFolders, newMedia)
    const mixed = [
      current,
      await startGatewayBefore(newFolders, media),
      await startGatewayBefore(folders, newMedia),
      next,
    ]
    const pages = await Promise.all(mixed.map((gateway) => openLink(gateway, shareCode)))
    for (const gateway of mixed) for (const page of pages) expect(await statusesOf(gateway, page)).toEqual([200])
    // The last step removes the old key.
    expect(await statusesOf(next, firstPage)).toEqual([index < steps.length - 1 ? 200 : 404])
    ;[folders, media, current] = [newFolders, newMedia, next]
  }
})
