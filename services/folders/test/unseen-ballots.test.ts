import type { App } from '@skyfolio/kit'
import { identityHeaders } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  call,
  makeFolder,
  NO_LINK,
  newUser,
  newVoter,
  openTestSystem,
  putPhoto,
  TEST_BURST,
  TEST_UNSEEN,
  type TestSystem,
  withCookie,
} from './support.ts'
import { fillBallots } from './votes-support.ts'

// Ballots by browsers that loaded no page of a folder: the witness, and the flag `no-page`.

let system: TestSystem
let app: App

beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
})
afterAll(() => system.close())

type Arrivals = Parameters<typeof fillBallots>[1]

async function openFolder() {
  const owner = newUser()
  const folder = await makeFolder(app, owner, { isPublic: true })
  const photo = await putPhoto(system, { userId: owner.userId, folderId: folder.id })
  const fill = (options: Omit<Arrivals, 'folderId' | 'photoId'>) =>
    fillBallots(system, { folderId: folder.id, photoId: photo, ...options })
  const voters = async () => {
    const { body } = await call(app, 'GET', `/api/folders/${folder.id}/voters?limit=500`, { headers: owner.headers })
    return body as { flags: string[]; owner: boolean }[]
  }
  const flagged = async () => (await voters()).filter(({ flags }) => flags.includes('no-page')).length
  return { ...folder, owner, photo, fill, voters, flagged }
}

const unseenIn = async (folderId: number) => {
  const { rows } = await system.pool.query('SELECT page_unseen FROM ballots WHERE folder_id = $1', [folderId])
  return rows.map((row) => row.page_unseen)
}

/** The voter token in the cookies of a response, as a browser sends it. */
function tokenIn({ headers }: { headers: Record<string, unknown> }): string | undefined {
  const set = [headers['set-cookie'] ?? []].flat() as string[]
  return set.find((cookie) => cookie.startsWith('voter='))?.split(';')[0]
}

test('every public response of a folder sets the voter token unless the browser has one, also with 304', async () => {
  const { shareCode, photo } = await openFolder()
  for (const path of [
    `/api/share/${shareCode}`,
    `/api/share/${shareCode}/photos/${photo}`,
    `/api/folders/share/${shareCode}`,
    `/api/folders/share/${shareCode}/photos`,
  ]) {
    const first = await call(app, 'GET', path)
    const token = tokenIn(first)
    expect(token, path).toMatch(/^voter=[\w-]{22}\.[\w-]{22}$/)
    expect(first.headers['cache-control'], path).toBe('private, no-cache')
    const send = (headers: object) => call(app, 'GET', path, { headers: { ...identityHeaders(), ...headers } })
    expect(tokenIn(await send({ cookie: token })), path).toBeUndefined()
    expect(tokenIn(await send({ cookie: `${token}x` })), path).toMatch(/^voter=/)
    const etag = first.headers.etag
    if (!etag) continue
    const unchanged = await send({ 'if-none-match': etag })
    expect([unchanged.status, tokenIn(unchanged)], path).toEqual([304, expect.stringMatching(/^voter=/)])
  }
})

test('a ballot remembers that its first vote had no token, whatever later votes have', async () => {
  const { id, shareCode, photo } = await openFolder()
  const script = newVoter(app)
  const first = await script.rank(id, photo, 'first')
  expect(await unseenIn(id)).toEqual([true])
  const token = tokenIn(first)
  expect(token).toMatch(/^voter=/)
  const later = await script.rank(id, photo, 'second', app, withCookie(NO_LINK, token))
  expect([later.status, tokenIn(later)]).toEqual([200, undefined])
  const page = tokenIn(await call(app, 'GET', `/api/share/${shareCode}`))
  await script.rank(id, photo, 'third', app, withCookie(NO_LINK, page))
  expect(await unseenIn(id)).toEqual([true])
})

test('a ballot that begins with the token of a page has been seen, also if the cookie is lost later', async () => {
  const { id, shareCode, photo } = await openFolder()
  const person = newVoter(app)
  const token = tokenIn(await call(app, 'GET', `/api/share/${shareCode}`))
  await person.rank(id, photo, 'first', app, withCookie(NO_LINK, token))
  await person.rank(id, photo, 'second')
  expect(await unseenIn(id)).toEqual([false])
  // A token that nobody signed is none.
  await newVoter(app).rank(id, photo, 'first', app, withCookie(NO_LINK, `${token}x`))
  expect((await unseenIn(id)).toSorted()).toEqual([false, true])
})

test('flags such ballots when they come in numbers from one network, and neither others nor the owner’s', async () => {
  const { id, owner, photo, fill, flagged, voters } = await openFolder()
  for (let count = 1; count < TEST_UNSEEN.ballots; count += 1) await newVoter(app).rank(id, photo, 'first')
  await newVoter(app, () => owner.headers).rank(id, photo, 'first')
  await newVoter(app, () => identityHeaders({ address: '203.0.113.9' })).rank(id, photo, 'first')
  await fill({ count: 5 })
  expect(await flagged()).toBe(0)
  await newVoter(app).rank(id, photo, 'first')
  expect(await flagged()).toBe(TEST_UNSEEN.ballots)
  expect((await voters()).filter((voter) => voter.owner).flatMap(({ flags }) => flags)).not.toContain('no-page')
  const { body } = await call(app, 'PATCH', `/api/folders/${id}/voters`, {
    headers: owner.headers,
    body: { excluded: true, flag: 'no-page' },
  })
  expect(body).toEqual({ changed: TEST_UNSEEN.ballots })
})

test('does not flag them when they come further apart, or are few beside the network’s other ballots', async () => {
  const slow = await openFolder()
  const intervalMs = Math.ceil((TEST_UNSEEN.seconds * 1000) / (TEST_UNSEEN.ballots - 1)) + 1000
  await slow.fill({ count: 3 * TEST_UNSEEN.ballots, addresses: 1, intervalMs, unseenEvery: 1 })
  expect(await slow.flagged()).toBe(0)

  const third = await openFolder()
  await third.fill({ count: 3 * TEST_UNSEEN.ballots, addresses: 1, unseenEvery: 3 })
  expect(await third.flagged()).toBe(TEST_UNSEEN.ballots)

  const quarter = await openFolder()
  await quarter.fill({ count: 40 * TEST_UNSEEN.ballots, addresses: 1, unseenEvery: 4 })
  expect(await quarter.flagged()).toBe(0)
})

test('ballots from one IPv6 network are from one address, whatever their addresses and ports', async () => {
  const { id, photo, voters } = await openFolder()
  const rank = (address: string) => newVoter(app, () => identityHeaders({ address })).rank(id, photo, 'first')
  for (let count = 1; count < TEST_BURST.ballots; count += 1) await rank(`2001:db8:1:2::${count.toString(16)}`)
  await rank('2001:db8:1:3::1')
  expect((await voters()).flatMap(({ flags }) => flags)).not.toContain('burst')
  await rank('[2001:db8:1:2:ffff:ffff:ffff:ffff]:443')
  const bursts = (await voters()).filter(({ flags }) => flags.includes('burst'))
  expect(bursts).toHaveLength(TEST_BURST.ballots)
})
