import { type App, onHint } from '@skyfolio/kit'
import { hints } from '@skyfolio/proto'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compactTallies } from '../src/voting/change-ballots.ts'
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
import { countedVotes, expectExactTallies } from './votes-support.ts'

let system: TestSystem
let app: App

beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
})
afterAll(() => system.close())

async function openFolder(count: number, fields: object = {}) {
  const owner = newUser()
  const folder = await makeFolder(app, owner, { isPublic: true, ...fields })
  const photos: number[] = []
  for (let number = 0; number < count; number += 1) {
    photos.push(await putPhoto(system, { userId: owner.userId, folderId: folder.id }))
  }
  const path = `/api/folders/${folder.id}`
  const send = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', rest: string, body?: object) =>
    call(app, method, `${path}${rest}`, { headers: owner.headers, ...(body && { body }) })
  return { ...folder, owner, photos: photos as [number, number, number], send }
}

test('closed voting rejects every vote, the owner’s too, is shown everywhere, and opens again', async () => {
  const { id, shareCode, owner, photos, send } = await openFolder(2)
  const voter = newVoter(app)
  const me = newVoter(app, () => owner.headers)
  await voter.rank(id, photos[0], 'first')
  const closed = await send('PATCH', '/voting', { open: false })
  expect([closed.status, closed.body.votingOpen]).toEqual([200, false])
  for (const rejected of [
    await voter.rank(id, photos[1], 'second'),
    await voter.rank(id, photos[0], ''),
    await me.rank(id, photos[0], 'first'),
  ]) {
    expect([rejected.status, rejected.body]).toEqual([409, { code: 'voting_closed', message: 'Voting is closed' }])
  }
  expect((await call(app, 'GET', `/api/share/${shareCode}`)).body.folder.votingOpen).toBe(false)
  expect((await send('GET', '')).body.votingOpen).toBe(false)
  expect((await send('GET', '/rankings')).body).toMatchObject({ voting: 'closed', rankings: { [photos[0]]: 'first' } })

  await send('PATCH', '/voting', { open: false })
  expect((await send('PATCH', '/voting', { open: true })).body.votingOpen).toBe(true)
  expect((await voter.rank(id, photos[1], 'second')).status).toBe(200)
  expect((await call(app, 'GET', `/api/share/${shareCode}`)).body.folder.votingOpen).toBe(true)
  const log = (await send('GET', '/voting-log')).body
  expect(log).toEqual([
    { at: expect.stringMatching(/Z$/), action: 'opened', voter: null, ballots: null, note: null },
    { at: expect.stringMatching(/Z$/), action: 'closed', voter: null, ballots: null, note: null },
  ])
})

test('after the response to closing, no vote in progress changes anything', async () => {
  const { id, photos, send } = await openFolder(2)
  let voting = true
  const streams = Array.from({ length: 6 }, async () => {
    while (voting) {
      const { status } = await newVoter(app).rank(id, photos[0], 'first')
      expect([200, 409, 503]).toContain(status)
    }
  })
  await waitFor(async () => (await countedVotes(system, id))[photos[0]] !== undefined, { what: 'votes' })
  expect((await send('PATCH', '/voting', { open: false })).status).toBe(200)
  const then = await countedVotes(system, id)
  await Promise.all(Array.from({ length: 20 }, () => newVoter(app).rank(id, photos[1], 'first')))
  voting = false
  await Promise.all(streams)
  expect(await countedVotes(system, id)).toEqual(then)
})

test('an excluded ballot does not count, its voter notices nothing, and restored it counts in its current state', async () => {
  const { id, shareCode, photos, send } = await openFolder(3)
  const [a, b, c] = photos
  const honest = newVoter(app)
  const odd = newVoter(app)
  await honest.rank(id, a, 'first')
  await odd.rank(id, b, 'first')
  const [{ voter }] = (await send('GET', '/voters')).body
  const excluded = await send('PATCH', `/voters/${voter}`, { excluded: true })
  expect([excluded.status, excluded.body]).toEqual([200, expect.objectContaining({ voter, first: b, excluded: true })])
  expect(await countedVotes(system, id)).toEqual({ [a]: { first: 1, second: 0, third: 0 } })
  const { headers } = await send('GET', '/voters?limit=1')
  expect([headers['x-total-count'], headers['x-excluded-count']]).toEqual(['2', '1'])

  const response = await odd.rank(id, c, 'second')
  expect([response.status, response.body.rankings]).toEqual([200, { first: b, second: c, third: 0 }])
  const page = await call(app, 'GET', `/api/share/${shareCode}?fingerprint=${odd.fingerprint}`)
  expect(page.body.voteCounts).toEqual({ [b]: 'first', [c]: 'second' })
  expect((await send('GET', '/rankings')).body.tallies).toHaveLength(1)
  await expectExactTallies(system)

  await send('PATCH', `/voters/${voter}`, { excluded: true })
  await compactTallies(system.database)
  await send('PATCH', `/voters/${voter}`, { excluded: false })
  expect((await send('GET', '/rankings')).body.tallies.map((tally: { photoId: number }) => tally.photoId)).toEqual([
    a,
    b,
    c,
  ])
  await expectExactTallies(system)
  expect((await send('GET', '/voting-log')).body).toMatchObject([
    { action: 'restored', voter },
    { action: 'excluded', voter },
  ])
  expect((await send('PATCH', '/voters/0123456789abcdef', { excluded: true })).status).toBe(404)
  expect((await send('PATCH', '/voters/nobody', { excluded: true })).status).toBe(400)
})

test('a reset removes all votes and keeps the log and the excluded voters', async () => {
  const { id, photos, send } = await openFolder(2)
  const voter = newVoter(app)
  await voter.rank(id, photos[0], 'first')
  const [{ voter: label }] = (await send('GET', '/voters')).body
  await send('PATCH', `/voters/${label}`, { excluded: true })
  await compactTallies(system.database)
  await voter.rank(id, photos[1], 'second')
  expect((await send('DELETE', '/votes')).status).toBe(204)
  const emptied = { voter: label, first: 0, second: 0, third: 0, excluded: true }
  expect((await send('GET', '/voters')).body).toEqual([expect.objectContaining(emptied)])
  expect((await send('GET', '/rankings')).body).toMatchObject({ rankings: {}, tallies: [] })
  await newVoter(app).rank(id, photos[1], 'first')
  expect((await send('GET', '/voting-log')).body).toMatchObject([
    { action: 'reset', voter: null },
    { action: 'excluded', voter: label },
  ])
  expect((await voter.rank(id, photos[0], 'third')).body.rankings).toEqual({ first: 0, second: 0, third: photos[0] })
  await expectExactTallies(system)
  const counted = async () => (await send('GET', '/rankings')).body.tallies.map((tally: object) => tally)
  expect(await counted()).toEqual([expect.objectContaining({ photoId: photos[1], first: 1 })])
  await send('PATCH', `/voters/${label}`, { excluded: false })
  expect(await counted()).toHaveLength(2)
  await expectExactTallies(system)
})

test('a new link replaces the old one at once', async () => {
  const { shareCode, photos, send } = await openFolder(1)
  const renewed = await send('POST', '/share-code')
  expect([renewed.status, renewed.body.shareCode]).toEqual([200, expect.stringMatching(/^[\w-]{22}$/)])
  expect(renewed.body.shareCode).not.toBe(shareCode)
  for (const path of [
    `/api/share/${shareCode}`,
    `/api/share/${shareCode}/photos/${photos[0]}`,
    `/api/folders/share/${shareCode}`,
    `/api/folders/share/${shareCode}/photos`,
  ]) {
    expect((await call(app, 'GET', path)).status).toBe(404)
    expect((await call(app, 'GET', path.replace(shareCode, renewed.body.shareCode))).status).toBe(200)
  }
})

test('the list of voters has pages, last change first, and no voter twice', async () => {
  const { id, photos, send } = await openFolder(2)
  const voters = Array.from({ length: 7 }, () => newVoter(app))
  for (const voter of voters) await voter.rank(id, photos[0], 'first')
  await voters[0]?.rank(id, photos[1], 'second')
  const all = (await send('GET', '/voters')).body
  expect(all).toHaveLength(7)
  expect(all[0]).toEqual({
    voter: expect.stringMatching(/^[0-9a-f]{16}$/),
    createdAt: expect.stringMatching(/Z$/),
    updatedAt: expect.stringMatching(/Z$/),
    first: photos[0],
    second: photos[1],
    third: 0,
    flags: ['burst'],
    excluded: false,
    owner: false,
    name: null,
  })
  const seen: unknown[] = []
  for (let rest = '/voters?limit=3'; rest; ) {
    const page = await send('GET', rest)
    expect(page.headers['x-total-count']).toBe('7')
    seen.push(...page.body)
    const next = /^<(.*)>; rel="next"$/.exec(String(page.headers.link ?? ''))?.[1]
    rest = next ? next.replace(`/api/folders/${id}`, '') : ''
  }
  expect(seen).toEqual(all)
  const hash = '00000000-0000-0000-0000-000000000000'
  const forged = ['9999-99-99 99:99:99+00', '2026-02-30T10:00:00.000000Z', '2026-02-28T24:00:00.000000Z'].map(
    (time) => `${time}|${hash}`,
  )
  for (const text of [...forged, `2026-02-28T10:00:00.000000Z|${'-'.repeat(36)}`, 'nonsense']) {
    const cursor = Buffer.from(text).toString('base64url')
    expect((await send('GET', `/voters?cursor=${cursor}`)).status).toBe(400)
  }
})

test('flags bursts from one address, another token on a fingerprint, and a token shared by several ballots', async () => {
  const { id, photos, send } = await openFolder(1)
  const flagsOf = async (query = '') =>
    (await send('GET', `/voters${query}`)).body.map((v: { flags: string[] }) => v.flags)
  const [first, token] = [newVoter(app), newVoterToken()]
  const cookie = `voter=${token}`
  await first.rank(id, photos[0], 'first', app, withCookie(NO_LINK, cookie))
  expect(await flagsOf()).toEqual([[]])
  const rank = (fingerprint: string) =>
    call(app, 'POST', `/api/photos/${photos[0]}/rank`, {
      headers: { ...newUser().headers, cookie },
      body: { fingerprint, rank: 'first', folderId: id },
    })
  await rank('another-fingerprint')
  expect(await flagsOf()).toEqual([['shared-token'], ['shared-token']])
  await newVoter(app).rank(id, photos[0], 'first')
  await first.rank(id, photos[0], 'second')
  expect(await flagsOf()).toEqual([['token-mismatch', 'shared-token'], [], ['shared-token']])
  const flagged = await send('GET', '/voters?flagged=true')
  expect([flagged.headers['x-total-count'], flagged.body.length]).toEqual(['2', 2])

  const bursts = async () => (await flagsOf()).filter((flags: string[]) => flags.includes('burst')).length
  // Ballots without a page of their own count for no burst.
  for (let more = 2; more < TEST_BURST.ballots; more += 1) await newVoter(app).rank(id, photos[0], 'first')
  expect(await bursts()).toBe(0)
  await newVoter(app).rank(id, photos[0], 'first')
  expect(await bursts()).toBe(TEST_BURST.ballots)
  // The same ballots, each a window apart from the next, are no burst.
  await system.pool.query(
    `UPDATE ballots SET created_at = now() - make_interval(secs => $2 * n)
     FROM (SELECT voter AS of, row_number() OVER () AS n FROM ballots WHERE folder_id = $1) AS numbered
     WHERE folder_id = $1 AND voter = of`,
    [id, TEST_BURST.seconds],
  )
  expect(await bursts()).toBe(0)
})

test('exports the standings of every photo with its title, safe for spreadsheets', async () => {
  const { id, owner, photos, send } = await openFolder(1, { name: 'See & "Wald" 2026' })
  const formula = await putPhoto(system, { userId: owner.userId, folderId: id, title: '=1+2, "ü"' })
  const untitled = await putPhoto(system, { userId: owner.userId, folderId: id, title: '' })
  await newVoter(app).rank(id, formula, 'second')
  const response = await app.inject({ method: 'GET', url: `/api/folders/${id}/rankings.csv`, headers: owner.headers })
  expect(response.headers['content-type']).toBe('text/csv; charset=utf-8')
  expect(response.headers['content-disposition']).toBe(
    `attachment; filename="rankings-${id}.csv"; filename*=UTF-8''See%20%26%20%22Wald%22%202026%20rankings.csv`,
  )
  expect(response.rawPayload.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]))
  expect(response.body.slice(1).split('\r\n')).toEqual([
    '"Place","Photo","Title","Firsts","Seconds","Thirds","Points","Voters"',
    `1,${formula},"'=1+2, ""ü""",0,1,0,2,1`,
    `"",${photos[0]},"Photo ${photos[0]}",0,0,0,0,0`,
    `"",${untitled},"Untitled",0,0,0,0,0`,
    '',
  ])
  expect((await send('DELETE', '')).status).toBe(204)
})

test('every action of the owner on the votes sends a hint to the owner’s browsers', async () => {
  const { id, photos, send } = await openFolder(1)
  await newVoter(app).rank(id, photos[0], 'first')
  const [{ voter }] = (await send('GET', '/voters')).body
  let heard = 0
  const listener = onHint(system.nats, hints.rankingsChanged, ({ folderId }) => {
    if (folderId === id) heard += 1
  })
  await system.nats.flush()
  const requests: Parameters<typeof send>[] = [
    ['PATCH', `/voters/${voter}`, { excluded: true }],
    ['PATCH', '/voting', { open: false }],
    ['DELETE', '/votes'],
    ['POST', '/share-code'],
  ]
  for (const request of requests) {
    const before = heard
    await send(...request)
    await waitFor(() => heard > before, { what: `the hint after ${request[1]}` })
  }
  listener.stop()
})
