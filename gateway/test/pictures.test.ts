import { request as httpRequest } from 'node:http'
import { passwordRequired } from '@skyfolio/kit'
import { waitFor } from '@skyfolio/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PUBLIC_CACHE_CONTROL, type ScriptedMedia, startScriptedMedia, stateOf } from './scripted-media.ts'
import { startGateway, type TestGateway } from './support.ts'

const PUBLIC_NAME = `s-1-2-3-t-${'m'.repeat(22)}.webp`
const STORED_NAME = `${'a'.repeat(32)}.webp`
const OTHER_NAME = `${'b'.repeat(32)}.webp`
const MB = 1024 * 1024

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

const get = (name: string, headers: Record<string, string> = {}, query = '') =>
  gateway.call(`/api/uploads/${name}${query}`, { headers })

async function statusAndText(name: string, headers: Record<string, string> = {}, query = '') {
  const response = await get(name, headers, query)
  return [response.status, await response.text()]
}

/** The response of media to a confirmation that takes as long as the test wants. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}

const notFound = () => Object.assign(new Error('not found'), { statusCode: 404 })

describe('a rendition', () => {
  test('is confirmed and loaded once for all who request it at the same time', async () => {
    const stored = gate()
    media.script.confirm = async () => stateOf(STORED_NAME)
    media.script.load = async () => {
      await stored.opened
      return Buffer.from('picture')
    }
    const responses = Array.from({ length: 20 }, () => statusAndText(PUBLIC_NAME))
    await waitFor(() => media.seen.loaded.length > 0, { what: 'the load' })
    stored.open()
    expect(await Promise.all(responses)).toEqual(Array(20).fill([200, 'picture']))
    expect(media.seen).toMatchObject({ loaded: [STORED_NAME], streamed: 0 })
    // On a busy machine the confirmation may expire meanwhile.
    expect(media.seen.confirmed.length).toBeLessThan(10)
  })

  test('comes with the headers of its confirmation and those of the gateway, without a cookie', async () => {
    const response = await get(PUBLIC_NAME)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      etag: `"tag of ${PUBLIC_NAME}"`,
      'cache-control': PUBLIC_CACHE_CONTROL,
      'content-type': 'image/webp',
      'content-disposition': 'inline; filename="picture.webp"',
      'content-length': String(`bytes of ${PUBLIC_NAME}`.length),
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
    })
    expect(response.headers.get('set-cookie')).toBeNull()
  })

  test.each([
    ['the entity tag', (etag: string) => etag],
    ['a weak one', (etag: string) => `W/${etag}`],
    ['one of several', (etag: string) => `"other", ${etag}`],
    ['any', () => '*'],
  ])('is 304 for %s, without loading it', async (_, header) => {
    const etag = `"tag of ${PUBLIC_NAME}"`
    for (let time = 0; time < 2; time += 1) {
      const response = await get(PUBLIC_NAME, { 'if-none-match': header(etag) })
      expect([response.status, await response.text()]).toEqual([304, ''])
      expect(response.headers.get('etag')).toBe(etag)
      expect(response.headers.get('cache-control')).toBe(PUBLIC_CACHE_CONTROL)
    }
    expect(media.seen).toMatchObject({ loaded: [], streamed: 0 })
    expect((await get(PUBLIC_NAME, { 'if-none-match': '"another"' })).status).toBe(200)
  })

  test('is confirmed for each user, and once for all visitors', async () => {
    const one = await gateway.signIn({ userId: 1 })
    const other = await gateway.signIn({ userId: 2 })
    const administrator = await gateway.signIn({ userId: 2, isAdmin: true })
    for (const { cookie } of [one, other, administrator, one]) await get(STORED_NAME, { cookie })
    await get(STORED_NAME)
    await get(STORED_NAME)
    expect(media.seen.viewers).toEqual([1, 2, 2, null])
    expect(media.seen.loaded).toEqual([STORED_NAME])
  })

  test('is confirmed for everybody as for a visitor under its public name', async () => {
    const { cookie } = await gateway.signIn()
    await get(PUBLIC_NAME, { cookie })
    await get(PUBLIC_NAME)
    expect(media.seen.viewers).toEqual([null])
  })

  test('is loaded once under its public name as a card of a public folder', async () => {
    const card = `s-1-2-3-c-${'m'.repeat(22)}.jpg`
    media.script.confirm = async () => stateOf(`${'a'.repeat(32)}.jpg`)
    for (let count = 0; count < 3; count += 1) expect((await get(card)).status).toBe(200)
    expect(media.seen).toMatchObject({ loaded: [`${'a'.repeat(32)}.jpg`], streamed: 0 })
  })

  test('is not shown to another user than the one for whom it is confirmed', async () => {
    media.script.confirm = async (name, { userId }) => {
      if (userId !== 1) throw notFound()
      return stateOf(name)
    }
    const owner = await gateway.signIn({ userId: 1 })
    const other = await gateway.signIn({ userId: 2 })
    const statuses = []
    for (const { cookie } of [owner, other]) statuses.push((await get(STORED_NAME, { cookie })).status)
    statuses.push((await get(STORED_NAME)).status)
    expect(statuses).toEqual([200, 404, 404])
  })

  test('is 404 at once when it was withdrawn and nothing newer is known, and within a second otherwise', async () => {
    expect((await get(PUBLIC_NAME)).status).toBe(200)
    media.script.confirm = async () => {
      throw notFound()
    }
    const withdrawn = performance.now()
    await waitFor(async () => (await get(PUBLIC_NAME)).status === 404, { what: 'the picture is withdrawn' })
    expect(performance.now() - withdrawn).toBeLessThan(1_000)
    const rejected = await get(OTHER_NAME)
    expect([rejected.status, rejected.headers.get('cache-control')]).toEqual([404, 'private, no-store'])
    media.script.confirm = async (name) => stateOf(name)
    expect((await get(OTHER_NAME)).status).toBe(200)
  })

  test('is confirmed in the background while it is requested all the time', async () => {
    await get(PUBLIC_NAME)
    const slow = gate()
    media.script.confirm = async (name) => {
      await slow.opened
      return stateOf(name, { tookMs: 1e6 })
    }
    await waitFor(
      async () => {
        expect((await get(PUBLIC_NAME)).status).toBe(200)
        return media.seen.confirmed.length === 2
      },
      { what: 'the second confirmation' },
    )
    expect(await statusAndText(PUBLIC_NAME)).toEqual([200, `bytes of ${PUBLIC_NAME}`])
    slow.open()
  })

  test('is loaded under its new name when it was rendered anew', async () => {
    media.script.confirm = async () => stateOf(STORED_NAME)
    expect(await statusAndText(PUBLIC_NAME)).toEqual([200, `bytes of ${STORED_NAME}`])
    media.script.confirm = async () => stateOf(OTHER_NAME)
    await waitFor(async () => (await statusAndText(PUBLIC_NAME))[1] === `bytes of ${OTHER_NAME}`, { what: 'new bytes' })
    const response = await get(PUBLIC_NAME)
    expect(response.headers.get('etag')).toBe(`"tag of ${OTHER_NAME}"`)
  })

  test('is confirmed again when its file was replaced after its confirmation', async () => {
    const states = [stateOf(STORED_NAME), stateOf(OTHER_NAME)]
    media.script.confirm = async () => states.shift() ?? stateOf(OTHER_NAME)
    media.script.load = async (name) => (name === STORED_NAME ? null : Buffer.from('new'))
    expect(await statusAndText(PUBLIC_NAME)).toEqual([200, 'new'])
  })

  test('is left to media when the store lacks its file', async () => {
    media.script.load = async () => null
    expect(await statusAndText(STORED_NAME)).toEqual([200, `streamed GET /api/uploads/${STORED_NAME}`])
  })
})

describe('is streamed by media:', () => {
  test.each([
    ['a range', STORED_NAME, { range: 'bytes=0-9' }, ''],
    ['a download', STORED_NAME, {}, '?download'],
    ['an original', `${'a'.repeat(32)}.jpg`, {}, ''],
    ['an original under its public name', PUBLIC_NAME.replace('webp', 'jpg'), {}, ''],
    ['a print image', 'p-1234.jpg', {}, ''],
  ])('%s', async (_, name, headers, query) => {
    expect(await statusAndText(name, headers, query)).toEqual([200, `streamed GET /api/uploads/${name}${query}`])
    expect(media.seen).toMatchObject({ confirmed: [], loaded: [] })
  })

  test('a HEAD request', async () => {
    const response = await gateway.call(`/api/uploads/${STORED_NAME}`, { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
    expect(media.seen).toMatchObject({ confirmed: [], streamed: 1 })
  })

  test('what media does not call a rendition', async () => {
    media.script.confirm = async () => stateOf(null)
    expect((await statusAndText(STORED_NAME))[1]).toMatch('streamed')
  })

  test('a picture of a link with a password, by the cookies of each request', async () => {
    media.script.confirm = async () => {
      throw passwordRequired()
    }
    for (const headers of [{}, { 'if-none-match': '*' }] as Record<string, string>[]) {
      expect((await statusAndText(PUBLIC_NAME, headers))[1]).toMatch('streamed')
    }
    expect(media.seen).toMatchObject({ streamed: 2, loaded: [] })
  })

  test('a picture of more than 2 MB or more than a quarter of the cache, whether its size is known before or not', async () => {
    media.script.confirm = async (name) => stateOf(name, { size: name === STORED_NAME ? 2 * MB + 1 : null })
    expect((await statusAndText(STORED_NAME))[1]).toMatch('streamed')
    expect(media.seen.loaded).toEqual([])
    media.script.load = async () => Buffer.alloc(MB)
    for (let time = 0; time < 2; time += 1) expect((await statusAndText(OTHER_NAME))[1]).toMatch('streamed')
    expect(media.seen.loaded).toEqual([OTHER_NAME])
  })

  test('every picture if the cache is off', async () => {
    const without = await startGateway({ upstream: media.url, pictureCacheBytes: 0 })
    const response = await without.call(`/api/uploads/${STORED_NAME}`)
    expect(await response.text()).toMatch('streamed')
    expect(media.seen.confirmed).toEqual([])
    await without.close()
  })
})

describe('memory', () => {
  const names = Array.from({ length: 40 }, (_, index) => `${index.toString(16).padStart(32, '0')}.webp`)

  test('is bounded: pictures that were not used for longest are loaded again', async () => {
    media.script.load = async () => Buffer.alloc(MB / 4)
    for (const name of names) expect((await get(name)).status).toBe(200)
    const [first, last] = [names[0] ?? '', names.at(-1) ?? '']
    const before = media.seen.loaded.length
    await get(last)
    expect(media.seen.loaded.length).toBe(before)
    await get(first)
    expect(media.seen.loaded.slice(before)).toEqual([first])
  })

  test('is not filled for a client that has gone', async () => {
    const never = gate()
    media.script.load = async () => {
      await never.opened
      return Buffer.alloc(0)
    }
    const client = httpRequest(`${gateway.url}/api/uploads/${STORED_NAME}`).on('error', () => {})
    client.end()
    await waitFor(() => media.seen.loaded.length === 1, { what: 'the load' })
    client.destroy()
    await waitFor(() => media.closedLoads() === 1, { what: 'media sees the end of the load' })
    never.open()
  })

  test('a load goes on while one of its clients is left', async () => {
    const stored = gate()
    media.script.load = async () => {
      await stored.opened
      return Buffer.from('picture')
    }
    const client = httpRequest(`${gateway.url}/api/uploads/${STORED_NAME}`).on('error', () => {})
    client.end()
    await waitFor(() => media.seen.loaded.length === 1, { what: 'the load' })
    const patient = statusAndText(STORED_NAME)
    // The gateway has received the patient client's request when it responds to this later one.
    await get(OTHER_NAME, {}, '?download')
    client.destroy()
    await get(OTHER_NAME, {}, '?download')
    stored.open()
    expect(await patient).toEqual([200, 'picture'])
    expect(media.seen.loaded).toEqual([STORED_NAME])
  })
})
