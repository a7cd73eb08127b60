import type { App } from '@skyfolio/kit'
import { identityHeaders } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  call,
  makeFolder,
  NO_LINK,
  newUser,
  newVoter,
  newVoterToken,
  openTestSystem,
  putPhoto,
  TEST_BURST,
  type TestSystem,
  withCookie,
} from './support.ts'

// Voter tokens, and the ballots of those who have none: the evidence, and the flag `no-page`.

let system: TestSystem
let app: App

beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
})
afterAll(() => system.close())

async function openFolder() {
  const owner = newUser()
  const folder = await makeFolder(app, owner, { isPublic: true })
  const photo = await putPhoto(system, { userId: owner.userId, folderId: folder.id })
  const voters = async () => {
    const { body } = await call(app, 'GET', `/api/folders/${folder.id}/voters?limit=500`, { headers: owner.headers })
    return body as { flags: string[]; owner: boolean }[]
  }
  const flagged = async () => (await voters()).filter(({ flags }) => flags.includes('no-page')).length
  return { ...folder, owner, photo, voters, flagged }
}

const unseenIn = async (folderId: number) => {
  const { rows } = await system.pool.query('SELECT page_unseen FROM ballots WHERE folder_id = $1', [folderId])
  return rows.map((row) => row.page_unseen)
}

const newScript = () => newVoter(app, undefined, null)

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

test('a page gives its token in a header too, for browsers that keep no cookies', async () => {
  const { shareCode, photo } = await openFolder()
  for (const path of [`/api/share/${shareCode}`, `/api/share/${shareCode}/photos/${photo}`]) {
    const first = await call(app, 'GET', path)
    expect(`voter=${first.headers['voter-token']}`, path).toBe(tokenIn(first))
    const again = await call(app, 'GET', path, { headers: { ...identityHeaders(), cookie: tokenIn(first) ?? '' } })
    expect(again.headers['voter-token'], path).toBeUndefined()
  }
})

test('a vote gives its browser no token, also when there is nothing to remove', async () => {
  const { id, photo } = await openFolder()
  const script = newScript()
  for (const rank of ['', 'first', '']) {
    const { status, headers } = await script.rank(id, photo, rank)
    expect([status, headers['set-cookie'], headers['voter-token']]).toEqual([200, undefined, undefined])
  }
})

test('a ballot remembers that its first vote had no token, whatever later votes have', async () => {
  const { id, shareCode, photo, flagged } = await openFolder()
  const script = newScript()
  await script.rank(id, photo, 'first')
  expect(await unseenIn(id)).toEqual([true])
  const page = tokenIn(await call(app, 'GET', `/api/share/${shareCode}`))
  await script.rank(id, photo, 'third', app, withCookie(NO_LINK, page))
  expect(await unseenIn(id)).toEqual([true])
  expect(await flagged()).toBe(1)
})

test('a ballot that begins with the token of a page has been seen, in the cookie or in the body', async () => {
  const { id, shareCode, photo, flagged } = await openFolder()
  const { headers } = await call(app, 'GET', `/api/share/${shareCode}`)
  await newScript().rank(id, photo, 'first', app, withCookie(NO_LINK, tokenIn({ headers })))
  await newVoter(app).rank(id, photo, 'first')
  expect([await unseenIn(id), await flagged()]).toEqual([[false, false], 0])
  // A token that nobody signed is none.
  await newScript().rank(id, photo, 'first', app, withCookie(NO_LINK, `${tokenIn({ headers })}x`))
  await newVoter(app, undefined, `${newVoterToken()}x`).rank(id, photo, 'first')
  expect([(await unseenIn(id)).filter(Boolean).length, await flagged()]).toEqual([2, 2])
})

test('a voter without cookies is one voter while the page is open, and two are two', async () => {
  const { id, photo, voters } = await openFolder()
  const [one, other] = [newVoter(app), newVoter(app)]
  for (const rank of ['first', 'second', 'third']) {
    await one.rank(id, photo, rank)
    await other.rank(id, photo, rank)
  }
  expect((await voters()).map(({ flags }) => flags)).toEqual([[], []])
})

test('flags every ballot that was made without the page, but for the owner’s', async () => {
  const { id, owner, photo, voters } = await openFolder()
  await newScript().rank(id, photo, 'first')
  await newVoter(app, () => owner.headers, null).rank(id, photo, 'first')
  await newVoter(app).rank(id, photo, 'first')
  expect((await voters()).map(({ flags }) => flags)).toEqual([[], [], ['no-page']])
  const body = { excluded: true, flag: 'no-page' }
  expect((await call(app, 'PATCH', `/api/folders/${id}/voters`, { headers: owner.headers, body })).body).toEqual({
    changed: 1,
  })
})

test('flags every ballot of one page that was loaded once, whatever becomes of its cookie', async () => {
  const { id, shareCode, photo, voters } = await openFolder()
  const { headers } = await call(app, 'GET', `/api/share/${shareCode}`)
  const token = headers['voter-token'] as string
  await newScript().rank(id, photo, 'first', app, withCookie(NO_LINK, `voter=${token}`))
  await newVoter(app, undefined, token).rank(id, photo, 'first')
  for (let more = 0; more < 3; more += 1) await newScript().rank(id, photo, 'first')
  const flags = (await voters()).map((voter) => voter.flags.find((flag) => flag !== 'burst'))
  expect(flags).toEqual([...Array(3).fill('no-page'), ...Array(2).fill('shared-token')])
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
