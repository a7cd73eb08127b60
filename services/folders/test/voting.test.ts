import { type App, onHint } from '@skyfolio/kit'
import { hints } from '@skyfolio/proto'
import { waitFor } from '@skyfolio/testkit'
import fc from 'fast-check'
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
  type TestSystem,
  withCookie,
} from './support.ts'
import { countedVotes, expectExactTallies } from './votes-support.ts'

let system: TestSystem
let apps: App[]
let app: App

beforeAll(async () => {
  system = await openTestSystem()
  apps = [await system.start(), await system.start(), await system.start()]
  app = apps[0] as App
})
afterAll(() => system.close())

async function folderWithPhotos(count: number, fields: object = { isPublic: true }) {
  const owner = newUser()
  const { id } = await makeFolder(app, owner, fields)
  const photos: number[] = []
  for (let number = 0; number < count; number += 1) {
    photos.push(await putPhoto(system, { userId: owner.userId, folderId: id }))
  }
  return { owner, id, photos: photos as [number, number, number, number] }
}

const none = { first: 0, second: 0, third: 0 }
const hide = (photo: number, owner: { userId: number }, folderId: number, hidden: boolean, revision: number) =>
  putPhoto(
    system,
    { id: photo, userId: owner.userId, folderId, ownIsPublic: !hidden, ownVisibilityRevision: 1 },
    revision,
  )

test('a vote returns the ballot, replaces a photo, moves a photo, and can be removed', async () => {
  const { id, photos } = await folderWithPhotos(3)
  const [a, b, c] = photos
  const voter = newVoter(app)
  const ranked = async (photo: number, rank: string) => (await voter.rank(id, photo, rank)).body.rankings
  expect(await ranked(a, 'first')).toEqual({ ...none, first: a })
  expect(await ranked(b, 'second')).toEqual({ first: a, second: b, third: 0 })
  expect(await ranked(c, 'first')).toEqual({ first: c, second: b, third: 0 })
  expect(await ranked(b, 'first')).toEqual({ ...none, first: b })
  expect(await ranked(b, 'third')).toEqual({ ...none, third: b })
  expect(await ranked(a, '')).toEqual({ ...none, third: b })
  expect(await ranked(b, '')).toEqual(none)
  expect(await ranked(b, '')).toEqual(none)
})

test('a swap exchanges the ranks of two photos, also when it is repeated, and is an ordinary vote where there is nothing to exchange', async () => {
  const { id, photos } = await folderWithPhotos(3)
  const [a, b, c] = photos
  const voter = newVoter(app)
  const swapped = async (photo: number, rank: string) =>
    (await voter.rank(id, photo, rank, undefined, undefined, true)).body.rankings
  expect(await swapped(a, 'first')).toEqual({ ...none, first: a })
  expect(await swapped(b, 'third')).toEqual({ ...none, first: a, third: b })
  for (const _time of ['once', 'again']) expect(await swapped(b, 'first')).toEqual({ ...none, first: b, third: a })
  expect(await swapped(c, 'third')).toEqual({ ...none, first: b, third: c })
  expect(await swapped(c, 'second')).toEqual({ ...none, first: b, second: c })
  expect(await swapped(b, '')).toEqual({ ...none, second: c })
  expect(await countedVotes(system, id)).toEqual({ [c]: { first: 0, second: 1, third: 0 } })
  await expectExactTallies(system)
})

test('removing a vote that was never cast stores nothing', async () => {
  const { id, photos } = await folderWithPhotos(1)
  const response = await newVoter(app).rank(id, photos[0], '')
  expect([response.status, response.body.rankings]).toEqual([200, none])
  expect((await system.pool.query('SELECT FROM ballots WHERE folder_id = $1', [id])).rowCount).toBe(0)
})

const SENTENCE = 'Cannot rank: Unable to generate a unique identifier for ranking.'
test.each([
  [{ fingerprint: '' }, SENTENCE],
  [{ fingerprint: undefined }, SENTENCE],
  [{ fingerprint: 'x'.repeat(7) }, SENTENCE],
  [{ fingerprint: 'x'.repeat(129) }, SENTENCE],
  [{ fingerprint: 12345678 }, SENTENCE],
  [{ rank: 'fourth' }, undefined],
  [{ rank: undefined }, undefined],
  [{ swap: 'yes' }, undefined],
  [{ folderId: 0 }, undefined],
  [{ folderId: 2 ** 31 }, undefined],
  [{ folderId: '1' }, undefined],
])('rejects a vote with %j', async (wrong, sentence) => {
  const { id, photos } = await folderWithPhotos(1)
  const body = { fingerprint: 'f'.repeat(16), rank: 'first', folderId: id, ...wrong }
  const rejected = await call(app, 'POST', `/api/photos/${photos[0]}/rank`, { body })
  expect(rejected.status).toBe(400)
  if (sentence) expect(rejected.body.message).toBe(sentence)
})

test('a photo of another folder is 409 for users who see both, and 404 for everybody else', async () => {
  const owner = newUser()
  const other = newUser()
  const open = await makeFolder(app, owner, { isPublic: true })
  const alsoOpen = await makeFolder(app, owner, { isPublic: true })
  const closed = await makeFolder(app, owner)
  const inOpen = await putPhoto(system, { userId: owner.userId, folderId: open.id })
  const inClosed = await putPhoto(system, { userId: owner.userId, folderId: closed.id })
  const inNone = await putPhoto(system, { userId: owner.userId })
  const statuses = (photo: number, folder: { id: number }) =>
    Promise.all(
      [undefined, other.headers, owner.headers].map(
        async (headers) => (await newVoter(app, headers && (() => headers)).rank(folder.id, photo, 'first')).status,
      ),
    )
  expect(await statuses(inOpen, open)).toEqual([200, 200, 200])
  expect(await statuses(inOpen, alsoOpen)).toEqual([409, 409, 409])
  expect(await statuses(inClosed, open)).toEqual([404, 404, 409])
  expect(await statuses(inNone, open)).toEqual([404, 404, 409])
  expect(await statuses(inOpen, closed)).toEqual([404, 404, 409])
  expect(await statuses(inClosed, closed)).toEqual([404, 404, 200])
  expect(await statuses(1_999_999_999, open)).toEqual([404, 404, 404])
  expect(await statuses(inOpen, { id: 1_999_999_999 })).toEqual([404, 404, 404])
})

test('a private photo of a public folder cannot be ranked, not even by the owner', async () => {
  const { id, owner, photos } = await folderWithPhotos(1)
  await hide(photos[0], owner, id, true, 2)
  expect((await newVoter(app).rank(id, photos[0], 'first')).status).toBe(404)
  expect((await newVoter(app, () => owner.headers).rank(id, photos[0], 'first')).status).toBe(409)
})

test("in a private folder the owner can rank all photos, and the ballot is marked as the owner's", async () => {
  const { id, owner, photos } = await folderWithPhotos(2, {})
  const me = newVoter(app, () => owner.headers)
  await me.rank(id, photos[0], 'second')
  await me.rank(id, photos[1], 'first')
  const { body } = await call(app, 'GET', `/api/folders/${id}/rankings`, { headers: owner.headers })
  expect(body.rankings).toEqual({ [photos[1]]: 'first', [photos[0]]: 'second' })
  expect(body.voting).toBe('open')
  expect((await system.pool.query('SELECT owner FROM ballots WHERE folder_id = $1', [id])).rows).toEqual([
    { owner: true },
  ])
})

test('a hidden photo has no rank and is not counted; shown again it counts unless it was replaced', async () => {
  const { id, owner, photos } = await folderWithPhotos(4)
  const [a, b, c, d] = photos
  const replaces = newVoter(app)
  const keeps = newVoter(app)
  for (const voter of [replaces, keeps]) {
    await voter.rank(id, a, 'first')
    await voter.rank(id, b, 'second')
  }
  await hide(a, owner, id, true, 2)
  expect((await replaces.rank(id, c, 'third')).body.rankings).toEqual({ first: 0, second: b, third: c })
  expect((await replaces.rank(id, d, 'first')).body.rankings).toEqual({ first: d, second: b, third: c })
  expect(await countedVotes(system, id)).toEqual({
    [b]: { first: 0, second: 2, third: 0 },
    [c]: { first: 0, second: 0, third: 1 },
    [d]: { first: 1, second: 0, third: 0 },
  })
  await hide(a, owner, id, false, 3)
  const ranking = async ({ fingerprint }: { fingerprint: string }) =>
    (await call(app, 'GET', `/api/folders/${id}/rankings?fingerprint=${fingerprint}`)).body.userRankings
  expect(await ranking(keeps)).toEqual({ first: a, second: b, third: 0 })
  expect(await ranking(replaces)).toEqual({ first: d, second: b, third: c })
})

test('standings give 3, 2 and 1 points and break ties by firsts, seconds, then the earlier upload, compacted or not', async () => {
  const { id, owner, photos } = await folderWithPhotos(4)
  const [early, late, seconds, third] = photos
  const vote = (photo: number, rank: string) => newVoter(app).rank(id, photo, rank)
  // 3 points each: a first (late before early by nothing but the upload), and a second with a third.
  await vote(late, 'first')
  await vote(early, 'first')
  await vote(seconds, 'second')
  await vote(seconds, 'third')
  await vote(third, 'third')
  const expected = {
    rankings: { [early]: 'first', [late]: 'second', [seconds]: 'third' },
    tallies: [
      { photoId: early, first: 1, second: 0, third: 0, points: 3, voters: 1 },
      { photoId: late, first: 1, second: 0, third: 0, points: 3, voters: 1 },
      { photoId: seconds, first: 0, second: 1, third: 1, points: 3, voters: 2 },
      { photoId: third, first: 0, second: 0, third: 1, points: 1, voters: 1 },
    ],
    voting: 'open',
  }
  const standings = async () => (await call(app, 'GET', `/api/folders/${id}/rankings`, { headers: owner.headers })).body
  expect(await standings()).toEqual(expected)
  await compactTallies(system.database)
  expect(await standings()).toEqual(expected)
})

test('the owner sees the standings, any voter the own ranking while the folder is public', async () => {
  const { id, owner, photos } = await folderWithPhotos(1)
  const url = `/api/folders/${id}/rankings`
  const voter = newVoter(app)
  await voter.rank(id, photos[0], 'third')
  const own = `${url}?fingerprint=${voter.fingerprint}`
  expect((await call(app, 'GET', url)).status).toBe(401)
  expect((await call(app, 'GET', url, { headers: newUser().headers })).status).toBe(404)
  expect((await call(app, 'GET', own)).body).toEqual({ userRankings: { ...none, third: photos[0] } })
  await call(app, 'PATCH', `/api/folders/${id}/toggle-public`, { headers: owner.headers })
  expect((await call(app, 'GET', own)).status).toBe(404)
  expect((await call(app, 'GET', own, { headers: owner.headers })).body.userRankings.third).toBe(photos[0])
})

test('records another token on the same fingerprint without blocking the vote', async () => {
  const { id, photos } = await folderWithPhotos(1)
  const voter = newVoter(app)
  const mismatch = async () =>
    (await system.pool.query('SELECT token_mismatch FROM ballots WHERE folder_id = $1', [id])).rows[0]?.token_mismatch
  await voter.rank(id, photos[0], 'first')
  expect((await voter.rank(id, photos[0], 'second')).status).toBe(200)
  expect(await mismatch()).toBe(false)
  const other = withCookie(NO_LINK, `voter=${newVoterToken()}`)
  expect((await voter.rank(id, photos[0], 'third', app, other)).status).toBe(200)
  expect(await mismatch()).toBe(true)
})

test('stores nothing that identifies a voter', async () => {
  const { id, photos } = await folderWithPhotos(1)
  const voter = newVoter(app)
  await voter.rank(id, photos[0], 'first')
  const { rows } = await system.pool.query('SELECT ballots::text AS row FROM ballots WHERE folder_id = $1', [id])
  expect(rows[0].row).not.toContain(voter.fingerprint)
  expect(rows[0].row).not.toContain('127.0.0.1')
})

test('a rejected vote does not affect others in its batch', async () => {
  const { id, photos } = await folderWithPhotos(1)
  const responses = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      index % 2 ? newVoter(app).rank(id, photos[0], 'first') : newVoter(app).rank(id, 1_999_999_999, 'first'),
    ),
  )
  expect(responses.map((response) => response.status)).toEqual(
    Array.from({ length: 40 }, (_, index) => (index % 2 ? 200 : 404)),
  )
  expect(await countedVotes(system, id)).toEqual({ [photos[0]]: { first: 20, second: 0, third: 0 } })
})

test('sends hints to the owner, also for the last of many changes', async () => {
  const { id, owner, photos } = await folderWithPhotos(1)
  const heard: number[] = []
  const listener = onHint(system.nats, hints.rankingsChanged, ({ folderId, userId }) => {
    if (folderId === id) heard.push(userId)
  })
  await system.nats.flush()
  await Promise.all(Array.from({ length: 30 }, () => newVoter(app).rank(id, photos[0], 'first')))
  await waitFor(() => heard.length >= 2, { what: 'the hint after the burst' })
  listener.stop()
  expect(new Set(heard)).toEqual(new Set([owner.userId]))
  expect(heard.length).toBeLessThan(15)
})

test('200 concurrent voters on three replicas break no rule and lose no acknowledged vote', async () => {
  const { id, owner, photos } = await folderWithPhotos(6)
  const ranks = ['first', 'second', 'third', '']
  const random = (below: number) => Math.floor(Math.random() * below)
  const rounds = 8
  let voting = true
  const compacting = (async () => {
    while (voting) await compactTallies(system.database)
  })()
  const last = await Promise.all(
    Array.from({ length: 200 }, async () => {
      const voter = newVoter(app)
      let rankings = none
      for (let round = 0; round < rounds; round += 1) {
        const [photo, rank] = [photos[random(6)] ?? 0, ranks[random(4)] ?? '']
        rankings = await waitFor(
          async () => {
            const response = await voter.rank(id, photo, rank, apps[random(apps.length)])
            // An overloaded machine may reject a vote for a moment; the voter retries.
            expect([200, 503]).toContain(response.status)
            return response.body.rankings
          },
          { what: 'an acknowledgement', timeoutMs: 60_000 },
        )
      }
      return { fingerprint: voter.fingerprint, rankings }
    }),
  ).finally(() => {
    voting = false
  })
  await compacting
  for (const { fingerprint, rankings } of last) {
    const read = await call(app, 'GET', `/api/folders/${id}/rankings?fingerprint=${fingerprint}`)
    expect(read.body.userRankings).toEqual(rankings)
  }
  await expectExactTallies(system)
  const { rows } = await system.pool.query('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()')
  expect(rows).toEqual([{ deadlocks: '0' }])
  const { body } = await call(app, 'GET', `/api/folders/${id}/rankings`, { headers: owner.headers })
  const tallies = body.tallies.map(({ photoId, first, second, third }: Record<string, number>) => [
    photoId,
    { first, second, third },
  ])
  expect(Object.fromEntries(tallies)).toEqual(await countedVotes(system, id))
}, 120_000)

test('concurrent changes of one ballot from three replicas break no rule and no tally', async () => {
  const { id, photos } = await folderWithPhotos(4)
  const voter = newVoter(app)
  await Promise.all(
    Array.from({ length: 120 }, (_, index) =>
      voter.rank(id, photos[index % 4] ?? 0, ['first', 'second', 'third', ''][(index >> 2) % 4] ?? '', apps[index % 3]),
    ),
  )
  await expectExactTallies(system)
  expect((await system.pool.query('SELECT FROM ballots WHERE folder_id = $1', [id])).rowCount).toBe(1)
})

test('votes that a browser sends without waiting take effect in order', async () => {
  const { id, photos } = await folderWithPhotos(4)
  const voter = newVoter(app)
  const responses = await Promise.all(photos.map((photo) => voter.rank(id, photo, 'first')))
  expect(responses.map((response) => response.body.rankings.first)).toEqual(photos)
})

test('property: ballots follow a simple model, whatever is voted, hidden and shown', async () => {
  const rank = fc.constantFrom('first', 'second', 'third', '')
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.record({ voter: fc.nat(2), photo: fc.nat(3), rank }) },
    { weight: 2, arbitrary: fc.record({ photo: fc.nat(3), hidden: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ compact: fc.constant(true) }) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { id, owner, photos } = await folderWithPhotos(4)
      const voters = [0, 1, 2].map(() => newVoter(app))
      const hidden = new Set<number>()
      const model = voters.map(() => ({ ...none }))
      const shown = (ballot: typeof none) =>
        Object.fromEntries(Object.entries(ballot).map(([rank, photo]) => [rank, hidden.has(photo) ? 0 : photo]))
      let revision = 1
      for (const one of steps) {
        if ('compact' in one) await compactTallies(system.database)
        else if ('hidden' in one) {
          const photo = photos[one.photo] ?? 0
          revision += 1
          await hide(photo, owner, id, one.hidden, revision)
          if (one.hidden) hidden.add(photo)
          else hidden.delete(photo)
        } else {
          const photo = photos[one.photo] ?? 0
          const response = await voters[one.voter]?.rank(id, photo, one.rank, apps[one.photo % 3])
          if (hidden.has(photo)) {
            expect(response?.status).toBe(404)
            continue
          }
          const ballot = model[one.voter] ?? none
          for (const rank of ['first', 'second', 'third'] as const) if (ballot[rank] === photo) ballot[rank] = 0
          if (one.rank) ballot[one.rank] = photo
          expect(response?.body.rankings).toEqual(shown(ballot))
        }
      }
      await expectExactTallies(system)
    }),
    { numRuns: 25 },
  )
})
