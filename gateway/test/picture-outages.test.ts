import { waitFor } from '@skyfolio/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ScriptedMedia, startScriptedMedia, stateOf } from './scripted-media.ts'
import { startEcho, startGateway, type TestGateway } from './support.ts'

const NAME = `${'a'.repeat(32)}.webp`
const OTHER_NAME = `${'b'.repeat(32)}.webp`
const MB = 1024 * 1024
/** The longest use of a confirmation, the attempts to get another one, and reserve for a busy machine. */
const CONFIRMED_MS = 800 + 2_000 + 2_000

let media: ScriptedMedia
let gateway: TestGateway
beforeEach(async () => {
  media = await startScriptedMedia()
  gateway = await startGateway({ upstream: media.url, pictureCacheBytes: 4 * MB })
})
afterEach(async () => {
  await gateway.close()
  await media.close()
})

const get = (name: string, headers: Record<string, string> = {}) => gateway.call(`/api/uploads/${name}`, { headers })
const never = new Promise<never>(() => {})

async function expectUnavailable(name = NAME) {
  const response = await get(name)
  expect([response.status, response.headers.get('cache-control')]).toEqual([503, 'private, no-store'])
  expect(response.headers.get('retry-after')).toBe('1')
}

test('a media that hangs makes pictures 503 within the deadline, and none is sent on an older confirmation', async () => {
  expect((await get(NAME)).status).toBe(200)
  media.script.confirm = () => never
  const begun = performance.now()
  const statuses: [number, number][] = []
  while (performance.now() - begun < 1_500) {
    const requested = performance.now()
    statuses.push([(await get(NAME)).status, requested - begun])
  }
  expect(statuses.filter(([status, at]) => status === 200 && at > 800)).toEqual([])
  expect(statuses.at(-1)?.[0]).toBe(503)
  expect(performance.now() - begun).toBeLessThan(1_500 + CONFIRMED_MS)
  await expectUnavailable()

  media.script.confirm = async (name) => stateOf(name)
  await waitFor(async () => (await get(NAME)).status === 200, { what: 'pictures are sent again' })
  expect(media.seen.streamed).toBe(0)
})

test('confirmations of visitors that hang do not delay those of users', async () => {
  media.script.confirm = async (name, { userId }) => (userId === null ? never : stateOf(name))
  const waiting = Array.from({ length: 3 }, (_, index) => get(`${'0'.repeat(31)}${index}.webp`))
  await waitFor(() => media.seen.confirmed.length > 0, { what: 'confirmations are requested' })
  const { cookie } = await gateway.signIn()
  expect((await get(OTHER_NAME, { cookie })).status).toBe(200)
  expect(media.seen.viewers.filter((viewer) => viewer !== null)).toEqual([1])
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([503, 503, 503])
})

test('a confirmation that is outdated on arrival is requested again, and never used', async () => {
  const states = [stateOf(NAME, { ageMs: 801 }), stateOf(NAME, { ageMs: 5_000 }), stateOf(NAME, { ageMs: 300 })]
  media.script.confirm = async () => states.shift() ?? stateOf(NAME, { ageMs: 900 })
  expect((await get(NAME)).status).toBe(200)
  expect(media.seen.confirmed.length).toBe(3)
  await expectUnavailable(OTHER_NAME)
  expect(media.seen.confirmed.length).toBe(6)
})

test('the time of a response on its way counts as age of its confirmation', async () => {
  media.script.confirm = async (name) => {
    await new Promise((resolve) => setTimeout(resolve, 300))
    return stateOf(name, { ageMs: 600, tookMs: 0 })
  }
  await expectUnavailable()
})

test('a 503 of media is followed by further attempts, and then a 503 for the client without a stream', async () => {
  const outage = Object.assign(new Error('no folders'), { code: 'UND_ERR_SOCKET' })
  let failures = 0
  media.script.confirm = async (name) => {
    failures += 1
    if (failures !== 2) throw outage
    return stateOf(name)
  }
  expect((await get(NAME)).status).toBe(200)
  await expectUnavailable(OTHER_NAME)
  expect(media.seen).toMatchObject({ confirmed: [NAME, NAME, OTHER_NAME, OTHER_NAME, OTHER_NAME], streamed: 0 })
})

test('a load that hangs ends with 503, while other pictures are sent', async () => {
  media.script.load = async (name) => (name === NAME ? never : Buffer.from('other'))
  const hanging = get(NAME)
  await waitFor(() => media.seen.loaded.includes(NAME), { what: 'the load' })
  expect(await (await get(OTHER_NAME)).text()).toBe('other')
  expect((await hanging).status).toBe(503)
  media.script.load = async () => Buffer.from('there again')
  expect(await (await get(NAME)).text()).toBe('there again')
}, 20_000)

test('a picture whose load takes longer than its confirmation holds is confirmed again before it is sent', async () => {
  media.script.confirm = async (name) => {
    if (media.seen.confirmed.length > 1) throw Object.assign(new Error('withdrawn'), { statusCode: 404 })
    return stateOf(name, { ageMs: 700 })
  }
  media.script.load = async () => {
    await new Promise((resolve) => setTimeout(resolve, 300))
    return Buffer.from('withdrawn meanwhile')
  }
  expect((await get(NAME)).status).toBe(404)
})

test('many pictures are loaded a few at a time', async () => {
  let [running, most] = [0, 0]
  media.script.load = async () => {
    running += 1
    most = Math.max(most, running)
    await new Promise((resolve) => setTimeout(resolve, 5))
    running -= 1
    return Buffer.from('picture')
  }
  const names = Array.from({ length: 100 }, (_, index) => `${String(index).padStart(32, '0')}.webp`)
  const responses = await Promise.all(names.map((name) => get(name)))
  expect(responses.map(({ status }) => status)).toEqual(Array(100).fill(200))
  expect(media.seen.loaded.length).toBe(100)
  expect(most).toBeLessThanOrEqual(16)
})

test('pictures are 503 while media is down, and come again from its successor without a restart of the gateway', async () => {
  expect((await get(NAME)).status).toBe(200)
  const { port } = new URL(media.url)
  await media.close()
  await waitFor(async () => (await get(NAME)).status === 503, { what: 'the confirmation has expired' })
  media = await startScriptedMedia(Number(port))
  await waitFor(async () => (await get(NAME)).status === 200, { what: 'pictures are sent again' })
})

test('a media of a release without confirmations decides while it streams', async () => {
  const older = await startEcho()
  const before = await startGateway({ upstream: older.url, pictureCacheBytes: 4 * MB })
  const response = await before.call(`/api/uploads/${NAME}`)
  expect([response.status, (await response.json()).url]).toEqual([200, `/api/uploads/${NAME}`])
  await before.close()
  await older.app.close()
})

test('while Redis is unavailable users are visitors', async () => {
  const { cookie } = await gateway.signIn()
  const without = await startGateway({
    upstream: media.url,
    pictureCacheBytes: 4 * MB,
    redisUrl: 'redis://127.0.0.1:9',
  })
  const response = await without.call(`/api/uploads/${NAME}`, { headers: { cookie } })
  expect([response.status, media.seen.viewers]).toEqual([200, [null]])
  await without.close()
})
