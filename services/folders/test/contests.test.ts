import { randomBytes } from 'node:crypto'
import type { App } from '@skyfolio/kit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { parseBallotFile, recount } from '../src/contests/recount.ts'
import { createResults } from '../src/contests/results.ts'
import { deletePhoto } from '../src/events.ts'
import { compactTallies } from '../src/voting/change-ballots.ts'
import {
  asUser,
  call,
  cookieOf,
  makeFolder,
  newUser,
  newVoter,
  openTestSystem,
  putPhoto,
  type TestSystem,
  visitor,
} from './support.ts'
import { expectExactTallies } from './votes-support.ts'

// Who votes in a contest, from when to when, and what is published of it.

let system: TestSystem
let app: App
let replica: App
beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
  replica = await system.start()
})
afterAll(() => system.close())

/** A public folder with photos, and what its owner and voters do. */
async function openContest(fields: object = {}, photoCount = 3) {
  const owner = newUser()
  const folder = await makeFolder(app, owner, { isPublic: true })
  const photos: number[] = []
  for (let count = 0; count < photoCount; count++) {
    photos.push(await putPhoto(system, { userId: owner.userId, folderId: folder.id }))
  }
  const send = (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', rest: string, body?: object) =>
    call(app, method, `/api/folders/${folder.id}${rest}`, { headers: asUser(owner.userId), ...(body && { body }) })
  const share = (rest: string, headers = visitor()) =>
    call(app, 'GET', `/api/share/${folder.shareCode}${rest}`, { headers })
  const vote = ({
    cookie,
    rank = 'first',
    photo = photos[0],
    who = visitor(),
    through = app,
    fingerprint = newFingerprint(),
  }: Cast = {}) =>
    call(through, 'POST', `/api/photos/${photo}/rank`, {
      headers: { ...who, ...(cookie && { cookie }) },
      body: { fingerprint, rank, folderId: folder.id },
    })
  /** The cookie of a browser that opens the invitation. */
  const accept = async ({ url }: { url: string }) => {
    const secret = url.split('=')[1]
    const path = `/api/share/${folder.shareCode}/invitation`
    return cookieOf(await call(app, 'POST', path, { body: { secret } }), 'invitations') as string
  }
  if (Object.keys(fields).length > 0) expect((await send('PUT', '/contest', fields)).status).toBe(200)
  return { ...folder, owner, photos, send, share, vote, accept }
}

interface Cast {
  cookie?: string
  rank?: string
  photo?: number | undefined
  who?: Record<string, string>
  through?: App
  fingerprint?: string
}

const newFingerprint = () => randomBytes(16).toString('hex')
const outcome = ({ status, body }: { status: number; body: { code?: string } }) => (status === 200 ? 200 : body.code)

/** A moment by the clock of the database. */
async function databaseTime(plusMs: number): Promise<string> {
  const { rows } = await system.pool.query<{ now: Date }>('SELECT clock_timestamp() AS now')
  return new Date((rows[0]?.now.getTime() ?? 0) + plusMs).toISOString()
}

test('a contest begins as votes were before, and its fields change one by one', async () => {
  const { send } = await openContest()
  const defaults = {
    ...{ opensAt: null, closesAt: null, show: 'never', order: 'added', voters: 'anyone', openBallot: false },
    ...{ resultsPublic: false, resultsText: null, phase: 'open', closedAt: null },
  }
  expect((await send('GET', '/contest')).body).toEqual(defaults)
  const changed = await send('PUT', '/contest', { order: 'shuffled', closedAt: '2020-01-01T00:00:00Z', userId: 1 })
  expect(changed.body).toEqual({ ...defaults, order: 'shuffled' })
  const closesAt = await databaseTime(3_600_000)
  expect((await send('PUT', '/contest', { closesAt })).body).toEqual({ ...defaults, order: 'shuffled', closesAt })
  expect((await send('PUT', '/contest', { opensAt: closesAt })).body.fields).toEqual({
    closesAt: 'Voting must close after it opens.',
  })
  expect((await send('PUT', '/contest', { openBallot: true })).status).toBe(400)
  expect((await send('PUT', '/contest', { closesAt: '2026-02-30T00:00:00Z' })).status).toBe(400)
  const log = (await send('GET', '/voting-log')).body
  expect(log.map(({ action, note }: { action: string; note: string }) => [action, note])).toEqual([
    ['changed', 'closing time'],
    ['changed', 'order of the photos'],
  ])
})

test('before it opens and from its end on no vote counts, the owner’s neither', async () => {
  const { send, vote, share, owner } = await openContest({ opensAt: await databaseTime(3_600_000) })
  expect(outcome(await vote())).toBe('voting_not_open')
  expect(outcome(await vote({ who: owner.headers }))).toBe('voting_not_open')
  expect((await share('')).body.folder).toMatchObject({ votingOpen: false, phase: 'before' })
  // The owner does not wait for the time.
  expect((await send('PATCH', '/voting', { open: true })).body).toMatchObject({ votingOpen: true })
  expect((await send('GET', '/contest')).body).toMatchObject({ opensAt: null, phase: 'open' })
  expect(outcome(await vote())).toBe(200)
  await send('PUT', '/contest', { closesAt: await databaseTime(-1) })
  expect(outcome(await vote())).toBe('voting_closed')
  expect(outcome(await vote({ who: owner.headers }))).toBe('voting_closed')
  expect((await share('')).body.folder).toMatchObject({ votingOpen: false, phase: 'closed' })
  await send('PATCH', '/voting', { open: true })
  expect((await send('GET', '/contest')).body).toMatchObject({ closesAt: null, closedAt: null, phase: 'open' })
  expect(outcome(await vote())).toBe(200)
})

test('a browser in a frame has one ballot, by its cookie, also where it keeps no fingerprint', async () => {
  const { send, share, vote } = await openContest()
  const embedded = { ...visitor(), 'x-embed': 'true' }
  const cookie = cookieOf(await share('', embedded), 'voter') as string
  expect(outcome(await vote({ cookie, who: embedded }))).toBe(200)
  expect(outcome(await vote({ cookie, who: embedded, rank: 'second' }))).toBe(200)
  const ranks = async (headers: Record<string, string>) =>
    Object.values((await share(`?fingerprint=${newFingerprint()}`, { ...headers, cookie })).body.voteCounts)
  expect(await ranks(embedded)).toEqual(['second'])
  expect(await ranks(visitor())).toEqual([])
  expect((await send('GET', '/rankings?limit=1')).body.ballots).toBe(1)
  // Without a cookie it is the fingerprint's.
  expect(outcome(await vote({ who: embedded }))).toBe(200)
  expect((await send('GET', '/rankings?limit=1')).body.ballots).toBe(2)
})

test('times are those of the database, whatever the clock of the service says', async () => {
  const { send, vote, share } = await openContest()
  for (const day of [-1, 1]) {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + day * 86_400_000 })
    onTestFinished(() => void vi.useRealTimers())
    await send('PUT', '/contest', { opensAt: null, closesAt: await databaseTime(3_600_000) })
    expect(outcome(await vote())).toBe(200)
    expect((await share('')).body.folder.phase).toBe('open')
    await send('PUT', '/contest', { opensAt: await databaseTime(1_800_000) })
    expect(outcome(await vote())).toBe('voting_not_open')
    await send('PUT', '/contest', { opensAt: null, closesAt: await databaseTime(-1000) })
    expect(outcome(await vote())).toBe('voting_closed')
    expect((await send('PATCH', '/voting', { open: true })).body.votingOpen).toBe(true)
    expect((await send('GET', '/contest')).body.closesAt).toBe(null)
    vi.useRealTimers()
  }
})

test('a vote at the moment of closing is either counted in the result or answered 409', async () => {
  const results = createResults({ pool: system.pool, logger: app.log as never, onCount: () => {} })
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 5, max: 60 }), fc.boolean(), fc.integer(), async (delay, byOwner, seed) => {
      const { id, send, vote, photos } = await openContest({ resultsPublic: true })
      const closesAt = Date.parse(await databaseTime(delay))
      if (!byOwner) await send('PUT', '/contest', { closesAt: new Date(closesAt).toISOString() })
      // An end that had passed when it was set is the moment at which it was.
      const isInTime = Date.parse(await databaseTime(0)) < closesAt
      let counted = 0
      const accepted = new Map<number, number>()
      const voters = Array.from({ length: 12 }, async (_, index) => {
        for (let turn = 0; ; turn++) {
          const photo = photos[Math.abs(seed + index * 7 + turn) % photos.length] as number
          const result = outcome(await vote({ photo, through: turn % 2 ? app : replica }))
          if (result === 200) accepted.set(photo, (accepted.get(photo) ?? 0) + 1)
          else if (result === 'voting_closed') return
          else expect(result).toBe('unavailable')
        }
      })
      const closing = byOwner
        ? send('PATCH', '/voting', { open: false }).then(() => results.count(id))
        : vi.waitFor(async () => expect(await results.count(id)).not.toBeNull(), { interval: 1, timeout: 10_000 })
      await closing
      const result = await results.count(id)
      await Promise.all(voters)
      for (const tally of result?.tallies ?? []) {
        expect(tally.first).toBe(accepted.get(tally.photoId) ?? 0)
        counted += tally.first
      }
      expect(counted).toBe([...accepted.values()].reduce((sum, votes) => sum + votes, 0))
      expect(result?.ballots).toBe(counted)
      if (!byOwner && isInTime) expect(result?.closedAt.toISOString()).toBe(new Date(closesAt).toISOString())
      expect((await results.count(id))?.log).toEqual(result?.log)
    }),
    { numRuns: 8 },
  )
}, 60_000)

const invited = fc.nat(3)
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('vote' as const),
      voter: invited,
      photo: fc.nat(3),
      rank: fc.constantFrom('first', 'second', 'third', ''),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('exclude' as const), voter: invited, excluded: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('withdraw' as const), voter: invited }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), photo: fc.nat(3) }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

test('a result follows a model through votes, exclusions, withdrawals and deleted photos, and is recounted', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.array(step, { maxLength: 8 }), async (before, after) => {
      const { send, share, vote, accept, photos, owner } = await openContest(
        { voters: 'invited', openBallot: true, resultsPublic: true },
        4,
      )
      const names = ['Ann', 'Ben', 'Cem', 'Dee']
      const invitations = (await send('POST', '/invitations', { names })).body
      const cookies = await Promise.all(invitations.map(accept))
      /** The photo at each rank, by voter. */
      const ballots = new Map<number, { ranks: Record<string, number>; excluded: boolean }>()
      const withdrawn = new Set<number>()
      const deleted = new Set<number>()

      async function perform(one: Step, isClosed: boolean) {
        if (one.kind === 'delete') {
          const gone = photos[one.photo] as number
          if (!deleted.has(gone)) await putPhoto(system, { id: gone, userId: owner.userId, folderId: 0 }, 9)
          deleted.add(gone)
        } else if (one.kind === 'withdraw') {
          if (!withdrawn.has(one.voter)) await send('DELETE', `/invitations/${invitations[one.voter].id}`)
          withdrawn.add(one.voter)
          ballots.delete(one.voter)
        } else if (one.kind === 'exclude') {
          const listed = (await send('GET', '/voters')).body as { name: string; voter: string }[]
          const found = listed.find(({ name }) => name === names[one.voter])
          if (found) await send('PATCH', `/voters/${found.voter}`, { excluded: one.excluded })
          const ballot = ballots.get(one.voter)
          if (found && ballot) ballot.excluded = one.excluded
        } else {
          const photo = photos[one.photo] as number
          const result = outcome(await vote({ cookie: cookies[one.voter], photo, rank: one.rank }))
          const isGone = deleted.has(photo)
          if (isClosed || withdrawn.has(one.voter) || isGone) return expect(result).not.toBe(200)
          expect(result).toBe(200)
          const ballot = ballots.get(one.voter) ?? { ranks: {}, excluded: false }
          ballot.ranks = Object.fromEntries(
            Object.entries(ballot.ranks).filter(([rank, held]) => rank !== one.rank && held !== photo),
          )
          if (one.rank) ballot.ranks[one.rank] = photo
          if (one.rank || ballots.has(one.voter)) ballots.set(one.voter, ballot)
        }
      }

      function expected() {
        const cast = [...ballots.values()].map(({ ranks, excluded }) => ({
          excluded,
          ranks: Object.entries(ranks).filter(([, photo]) => !deleted.has(photo)),
        }))
        const full = cast.filter(({ ranks }) => ranks.length > 0)
        const counted = full.filter(({ excluded }) => !excluded)
        const votes = counted.flatMap(({ ranks }) => ranks)
        const tallies = photos.flatMap((photoId) => {
          const [first, second, third] = ['first', 'second', 'third'].map(
            (rank) => votes.filter(([at, photo]) => at === rank && photo === photoId).length,
          ) as [number, number, number]
          const points = 3 * first + 2 * second + third
          return points > 0 ? [{ photoId, first, second, third, points, voters: first + second + third }] : []
        })
        tallies.sort((a, b) => b.points - a.points || b.first - a.first || b.second - a.second)
        return { ballots: counted.length, excluded: full.length - counted.length, tallies }
      }

      for (const one of before) await perform(one, false)
      await send('PATCH', '/voting', { open: false })
      for (const one of [null, ...after]) {
        if (one) await perform(one, true)
        const { ballots, excluded, tallies } = expected()
        const result = (await share('/results')).body
        expect(result).toMatchObject({ ballots, tallies })
        expect(result.log.at(-1)).toMatchObject({ ballots, excluded })
        const file = parseBallotFile(JSON.stringify((await send('GET', '/ballots.json')).body))
        expect(file.log).toEqual(result.log)
        expect(recount(file).agrees).toBe(true)
      }
    }),
    { numRuns: 12 },
  )
}, 60_000)

test('a voting whose ballots cannot be counted now is over all the same', async () => {
  const { id, send, vote } = await openContest()
  const results = createResults({ pool: system.pool, logger: app.log as never, onCount: () => {} })
  await system.pool.query(`ALTER TABLE vote_counts ADD CONSTRAINT failing CHECK (folder_id <> ${id}) NOT VALID`)
  onTestFinished(async () => void (await system.pool.query('ALTER TABLE vote_counts DROP CONSTRAINT failing')))
  await send('PUT', '/contest', { closesAt: await databaseTime(-1000) })
  await results.countClosed()
  const { rows } = await system.pool.query('SELECT closed_at IS NOT NULL AS closed FROM folders WHERE id = $1', [id])
  expect(rows).toEqual([{ closed: true }])
  expect(outcome(await vote())).toBe('voting_closed')
})

test('a request for the ballots of an open voting waits for no vote', async () => {
  const { id, send } = await openContest()
  const client = await system.pool.connect()
  try {
    await client.query('BEGIN')
    await client.query('SELECT pg_advisory_xact_lock_shared(1, $1)', [id])
    expect((await send('GET', '/ballots.json')).body.code).toBe('voting_open')
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
})

test('the deletion of a folder keeps the votes of no other folder waiting, invitations included', async () => {
  const deleted = await openContest({ voters: 'invited' })
  const other = await openContest()
  const cookie = await deleted.accept((await deleted.send('POST', '/invitations', { names: ['Ann'] })).body[0])
  const client = await system.pool.connect()
  try {
    await client.query('BEGIN')
    await client.query('SELECT FROM folders WHERE id = $1 FOR NO KEY UPDATE', [deleted.id])
    await client.query('SELECT pg_advisory_xact_lock(1, $1)', [deleted.id])
    await client.query('DELETE FROM folders WHERE id = $1', [deleted.id])
    const votes = Array.from({ length: 6 }, (_, index) => (index % 2 ? other.vote() : deleted.vote({ cookie })))
    const outcomes = (await Promise.all(votes)).map(outcome)
    expect(outcomes).toEqual(['unavailable', 200, 'unavailable', 200, 'unavailable', 200])
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
})

test('the ballots of invitations have no flags of browsers', async () => {
  const { send, vote, accept } = await openContest({ voters: 'invited', openBallot: true })
  const invitations = (await send('POST', '/invitations', { names: ['Ann', 'Ben'] })).body
  const who = visitor()
  for (const invitation of invitations) {
    const cookie = await accept(invitation)
    // Without a voter token, from one network, and again from another browser.
    expect(outcome(await vote({ cookie, who }))).toBe(200)
    expect(outcome(await vote({ cookie, rank: 'second' }))).toBe(200)
  }
  const voters = (await send('GET', '/voters')).body
  expect(voters.map(({ name, flags }: { name: string; flags: string[] }) => [name, flags]).sort()).toEqual([
    ['Ann', []],
    ['Ben', []],
  ])
})

test('the log sums up what the owner did between two counts', async () => {
  const { send, vote } = await openContest()
  await vote()
  for (const open of [false, true, false]) await send('PATCH', '/voting', { open })
  await send('GET', '/ballots.json')
  const [voter] = (await send('GET', '/voters')).body
  for (const excluded of [true, false, true]) await send('PATCH', `/voters/${voter.voter}`, { excluded })
  await send('PUT', '/contest', { show: 'closed' })
  await send('PUT', '/contest', { show: 'always', order: 'taken' })
  expect((await send('GET', '/ballots.json')).body.log.at(-1).note).toBe(
    '2 ballots excluded; 1 ballot restored; changed: who sees the standings, order of the photos',
  )
})

test('a count between the batches of an exclusion tells what was excluded until then', async () => {
  const { id, send, photos } = await openContest({ resultsPublic: true })
  await system.pool.query(
    `INSERT INTO ballots (folder_id, voter, first, last_photo_id, last_rank, last_swaps, address, token, page_unseen, owner, token_mismatch)
     SELECT $1, gen_random_uuid(), $2, $2, 1, false, gen_random_uuid(), gen_random_uuid(), false, false, true FROM generate_series(1, 3500)`,
    [id, photos[0]],
  )
  await system.pool.query('INSERT INTO tallies VALUES ($1, $2, 3500, 0, 0)', [id, photos[0]])
  await send('PATCH', '/voting', { open: false })
  const results = createResults({ pool: system.pool, logger: app.log as never, onCount: () => {} })
  let excluding = true
  const excluded = send('PATCH', '/voters', { excluded: true, flag: 'token-mismatch' }).finally(() => {
    excluding = false
  })
  while (excluding) await results.count(id)
  expect((await excluded).body).toEqual({ changed: 3500 })
  const log = (await results.count(id))?.log ?? []
  for (const [index, entry] of log.entries()) {
    const before = log[index - 1]?.excluded ?? 0
    if (index > 0) expect(entry.note).toBe(`${entry.excluded - before} ballots excluded`)
  }
  expect(log.at(-1)).toMatchObject({ ballots: 0, excluded: 3500 })
})

test('an end in the past is the moment at which the owner set it, since votes counted until then', async () => {
  const { send, share, vote } = await openContest({ resultsPublic: true })
  await send('PUT', '/contest', { closesAt: await databaseTime(-1000) })
  expect((await share('/results')).body.ballots).toBe(0)
  await send('PUT', '/contest', { closesAt: null })
  await vote()
  const voted = await databaseTime(0)
  await send('PUT', '/contest', { closesAt: await databaseTime(-3_600_000) })
  const { ballots, closedAt, log } = (await share('/results')).body
  expect(ballots).toBe(1)
  expect(closedAt > voted).toBe(true)
  expect(log.at(-1).note).toBe('changed: closing time; voting opened; closed by time')
})

test('no exclusion of an open ballot outlives the change to secret ones', async () => {
  const { send, vote, accept } = await openContest({ voters: 'invited', openBallot: true })
  const cookie = await accept((await send('POST', '/invitations', { names: ['Ann'] })).body[0])
  await vote({ cookie })
  const [voter] = (await send('GET', '/voters')).body
  await send('PATCH', `/voters/${voter.voter}`, { excluded: true })
  await send('DELETE', '/votes')
  expect((await send('PUT', '/contest', { openBallot: false })).status).toBe(200)
  await vote({ cookie })
  await send('PATCH', '/voting', { open: false })
  expect((await send('GET', '/ballots.json')).body.ballots).toMatchObject([{ excluded: false, count: 1 }])
})

test('an invitation means nothing where anyone votes', async () => {
  const { send, vote, accept, share } = await openContest({ voters: 'invited' })
  const [ann, ben] = (await send('POST', '/invitations', { names: ['Ann', 'Ben'] })).body
  const [annsCookie, bensCookie] = [await accept(ann), await accept(ben)]
  expect((await send('PUT', '/contest', { voters: 'anyone' })).status).toBe(200)
  await send('DELETE', `/invitations/${ben.id}`)
  for (const cookie of [annsCookie, bensCookie]) expect(outcome(await vote({ cookie }))).toBe(200)
  expect((await send('GET', '/invitations')).body).toMatchObject([{ name: 'Ann', used: false }])
  expect((await share('', { ...visitor(), cookie: annsCookie })).body.invitation).toBeNull()
})

test('the deletion of photos does not tell who had chosen them', async () => {
  const { send, vote, accept, photos, owner } = await openContest({ voters: 'invited' })
  const invitations = (await send('POST', '/invitations', { names: ['Ann', 'Ben', 'Cem'] })).body
  for (const index of [0, 1]) await vote({ cookie: await accept(invitations[index]), photo: photos[index] })
  for (const photoId of photos.slice(0, 2)) {
    await system.database.$transaction((tx) => deletePhoto(tx, { photoId, userId: owner.userId, revision: 9 }))
  }
  const used = (await send('GET', '/invitations')).body.map((invitation: { used: boolean }) => invitation.used)
  expect(used).toEqual([true, true, false])
})

test('a clock of the database that is set back opens nothing again after the count', async () => {
  const { id, send, vote, share } = await openContest({ resultsPublic: true })
  await send('PUT', '/contest', { closesAt: await databaseTime(-1000) })
  expect((await share('/results')).status).toBe(200)
  // As the row is to a clock that was set back.
  await system.pool.query("UPDATE folders SET closes_at = now() + interval '1 hour' WHERE id = $1", [id])
  expect(outcome(await vote())).toBe('voting_closed')
})

test('in a contest for invited voters an invitation has one ballot, in every browser that has opened it', async () => {
  const { send, vote, share, accept, photos, id } = await openContest({ voters: 'invited' })
  const [anna, ben] = (await send('POST', '/invitations', { names: ['  Anna \n', 'ben@example.com'] })).body
  expect(anna).toEqual({
    id: expect.any(Number),
    name: 'Anna',
    url: expect.stringMatching(/^\/share\/.+#invitation=.{22}$/),
    used: false,
  })
  expect(outcome(await vote())).toBe('invitation_required')
  const cookie = await accept(anna)
  expect((await share('', { ...visitor(), cookie })).body.invitation).toEqual({ name: 'Anna' })
  expect((await share('')).body.invitation).toBeNull()

  // Two browsers at once: the later vote replaces the earlier one.
  const both = [
    vote({ cookie }),
    vote({ cookie, photo: photos[1], through: replica }),
    vote({ cookie, photo: photos[1] }),
  ]
  expect((await Promise.all(both)).map(outcome)).toEqual([200, 200, 200])
  const { tallies, ballots } = (await send('GET', '/rankings?limit=10')).body
  expect(tallies.reduce((sum: number, tally: { voters: number }) => sum + tally.voters, 0)).toBe(1)
  expect(ballots).toBe(1)
  expect((await send('GET', '/invitations')).body.map(({ used }: { used: boolean }) => used)).toEqual([true, false])
  expect(outcome(await vote({ cookie: await accept(ben), rank: 'second' }))).toBe(200)

  // What they voted is told nowhere.
  for (const [method, rest] of [
    ['GET', '/voters'],
    ['PATCH', '/voters'],
    ['PATCH', `/voters/${'0'.repeat(16)}`],
  ] as const) {
    const answer = await send(method, rest, method === 'PATCH' ? { excluded: true, flagged: true } : undefined)
    expect(answer.body.code).toBe('secret_ballot')
  }

  expect((await send('DELETE', `/invitations/${anna.id}`)).status).toBe(204)
  expect(outcome(await vote({ cookie }))).toBe('invitation_required')
  expect((await share('', { ...visitor(), cookie })).body).toMatchObject({ invitation: null, voteCounts: {} })
  await compactTallies(system.database)
  await expectExactTallies(system)
  expect((await system.pool.query('SELECT FROM ballots WHERE folder_id = $1', [id])).rowCount).toBe(1)
})

test('an invitation that is withdrawn while it votes leaves no ballot', async () => {
  const { send, vote, accept, id } = await openContest({ voters: 'invited' })
  for (let run = 0; run < 10; run++) {
    const [invitation] = (await send('POST', '/invitations', { names: ['Anna'] })).body
    const cookie = await accept(invitation)
    const votes = Array.from({ length: 6 }, (_, index) => vote({ cookie, through: index % 2 ? app : replica }))
    await Promise.all([...votes, send('DELETE', `/invitations/${invitation.id}`)])
    expect((await system.pool.query('SELECT FROM ballots WHERE folder_id = $1', [id])).rowCount).toBe(0)
  }
  await expectExactTallies(system)
})

test('an invitation opens its own folder only, and needs its secret', async () => {
  const one = await openContest({ voters: 'invited' })
  const other = await openContest({ voters: 'invited' })
  const [invitation] = (await one.send('POST', '/invitations', { names: ['Anna'] })).body
  const secret = invitation.url.split('=')[1]
  for (const [code, given] of [
    [other.shareCode, secret],
    [one.shareCode, `${secret}x`],
    [one.shareCode, ''],
    [one.shareCode, '\0'],
  ]) {
    const answer = await call(app, 'POST', `/api/share/${code}/invitation`, { body: { secret: given } })
    expect(answer).toMatchObject({ status: 404, body: { code: 'invitation_unknown' } })
  }
  const cookie = await one.accept(invitation)
  expect(outcome(await other.vote({ cookie }))).toBe('invitation_required')
  expect(outcome(await one.vote({ cookie: cookie.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')) }))).toBe(
    'invitation_required',
  )
  expect((await one.send('DELETE', `/invitations/${invitation.id + 1000}`)).status).toBe(404)
  expect((await other.send('DELETE', `/invitations/${invitation.id}`)).status).toBe(404)
})

test('an open ballot tells its owner the names of invited voters', async () => {
  const { send, vote, accept, share, photos } = await openContest({ voters: 'invited', openBallot: true })
  expect((await share('')).body.folder.openBallot).toBe(true)
  const [anna] = (await send('POST', '/invitations', { names: ['Anna'] })).body
  await vote({ cookie: await accept(anna) })
  const [voter] = (await send('GET', '/voters')).body
  expect(voter).toMatchObject({ name: 'Anna', first: photos[0] })
  expect((await send('PATCH', `/voters/${voter.voter}`, { excluded: true })).body).toMatchObject({
    name: 'Anna',
    excluded: true,
  })
})

test('where signed-in users vote, each has one ballot, whatever the browser', async () => {
  const { send, vote, share } = await openContest({ voters: 'users' })
  expect((await vote()).status).toBe(401)
  const who = asUser(777_001)
  expect((await Promise.all([vote({ who }), vote({ who, through: replica }), vote({ who })])).map(outcome)).toEqual([
    200, 200, 200,
  ])
  expect(outcome(await vote({ who: asUser(777_002), rank: 'second' }))).toBe(200)
  expect((await send('GET', '/rankings?limit=10')).body.ballots).toBe(2)
  expect(Object.values((await share('?fingerprint=some-other-browser', who)).body.voteCounts)).toEqual(['first'])
})

test('who votes and whether ballots are open do not change while there are ballots', async () => {
  const { send, vote } = await openContest()
  await vote()
  expect((await send('PUT', '/contest', { voters: 'invited' })).body.code).toBe('ballots_exist')
  expect((await send('PUT', '/contest', { voters: 'invited', openBallot: true })).body.code).toBe('ballots_exist')
  expect((await send('PUT', '/contest', { voters: 'anyone', show: 'always' })).status).toBe(200)
  await send('DELETE', '/votes')
  expect((await send('PUT', '/contest', { voters: 'invited' })).status).toBe(200)
})

test('voters see the standings as the owner decided', async () => {
  const { send, vote, share, photos } = await openContest()
  const fingerprint = newFingerprint()
  const seen = async () => {
    const strangers = await share('/standings')
    const voters = await share(`/standings?fingerprint=${fingerprint}`)
    return [strangers, voters].map(({ status, body }) => (status === 200 ? body.tallies.length : body.code))
  }
  const hidden = 'standings_hidden'
  expect(await seen()).toEqual([hidden, hidden])
  await send('PUT', '/contest', { show: 'voted' })
  expect(await seen()).toEqual([hidden, hidden])
  await vote({ fingerprint, photo: photos[2] })
  expect(await seen()).toEqual([hidden, 1])
  await vote({ fingerprint, photo: photos[2], rank: '' })
  expect(await seen()).toEqual([hidden, hidden])
  await vote({ fingerprint })
  await send('PUT', '/contest', { show: 'closed' })
  expect(await seen()).toEqual([hidden, hidden])
  await send('PATCH', '/voting', { open: false })
  expect(await seen()).toEqual([1, 1])
  await send('PUT', '/contest', { show: 'never' })
  expect(await seen()).toEqual([hidden, hidden])
  await send('PUT', '/contest', { show: 'always' })
  // Up to a second old.
  await vi.waitFor(
    async () => {
      const expected = { photoId: photos[0], first: 1, second: 0, third: 0, points: 3, voters: 1 }
      expect((await share('/standings')).body).toEqual({ ballots: 1, tallies: [expected] })
    },
    { timeout: 5_000 },
  )
})

test('results are shown once voting is closed and the owner has published them, with a log that only grows', async () => {
  const { send, vote, share, photos, id } = await openContest({ resultsText: ' Well flown!\n' })
  const cast = newVoter(app)
  await cast.rank(id, photos[1] as number, 'first')
  await vote({ photo: photos[0], rank: 'second' })
  expect((await share('/results')).body.code).toBe('results_hidden')
  expect((await send('GET', '/ballots.json')).body.code).toBe('voting_open')
  await send('PUT', '/contest', { resultsPublic: true })
  expect((await share('/results')).body.code).toBe('results_hidden')
  expect((await share('/results.csv')).status).toBe(403)
  expect((await share('')).body.folder.resultsPublic).toBe(false)

  await send('PATCH', '/voting', { open: false })
  const first = (await share('/results')).body
  expect(first).toMatchObject({
    folder: { id, name: 'Lake' },
    text: 'Well flown!',
    ballots: 2,
    places: [
      { rank: 1, photoId: photos[1], first: 1, second: 0, third: 0, points: 3 },
      { rank: 2, photoId: photos[0], first: 0, second: 1, third: 0, points: 2 },
    ],
    log: [{ ballots: 2, excluded: 0, note: expect.stringContaining('voting closed') }],
  })
  expect((await share('')).body.folder.resultsPublic).toBe(true)
  expect((await share('/results.csv')).body).toContain(`1,${photos[1]},"Photo ${photos[1]}",1,0,0,3,1`)

  const [voter] = (await send('GET', '/voters')).body
  await send('PATCH', `/voters/${voter.voter}`, { excluded: true })
  const second = (await share('/results')).body
  expect(second.log).toEqual([first.log[0], { ...second.log[1], ballots: 1, excluded: 1, note: '1 ballot excluded' }])
  expect((await call(replica, 'GET', `/api/share/${(await send('GET', '')).body.shareCode}/results`)).body).toEqual(
    second,
  )

  await putPhoto(system, { id: photos[1] as number, userId: 1, folderId: 0 }, 9)
  expect((await share('/results')).body.log.at(-1)).toMatchObject({ note: 'photos changed' })
  await send('PUT', '/contest', { resultsPublic: false })
  expect((await share('/results')).body.code).toBe('results_hidden')
})

test('a voting that ended by time is counted without a reader', async () => {
  const { id, send, vote } = await openContest()
  await vote()
  await send('PUT', '/contest', { closesAt: await databaseTime(50) })
  await vi.waitFor(
    async () => {
      const { rows } = await system.pool.query('SELECT note, ballots FROM vote_counts WHERE folder_id = $1', [id])
      expect(rows).toEqual([{ note: 'changed: closing time; closed by time', ballots: 1 }])
    },
    { timeout: 10_000 },
  )
  expect((await send('GET', '')).body.votingOpen).toBe(false)
})

test('photos come in the order that the owner chose, and shuffled ones in that of adding', async () => {
  const { owner, send, share, id, photos } = await openContest({}, 0)
  const put = async (taken: string | undefined, ownPosition: number | undefined) =>
    photos.push(
      await putPhoto(system, { userId: owner.userId, folderId: id, ownPosition, ...(taken && { dateTaken: taken }) }),
    )
  await put('2026-05-02T10:00:00', 2)
  await put('2026-05-01T10:00:00', undefined)
  await put(undefined, 1)
  const [a, b, c] = photos
  const order = async () => (await share('')).body.photos.map((photo: { id: number }) => photo.id)
  expect(await order()).toEqual([c, b, a])
  for (const [name, expected] of [
    ['taken', [b, a, c]],
    ['own', [c, a, b]],
    ['shuffled', [c, b, a]],
  ] as const) {
    await send('PUT', '/contest', { order: name })
    expect(await order()).toEqual(expected)
    expect((await share('')).body.folder).toMatchObject({
      order: name,
      shuffleKey: name === 'shuffled' ? expect.any(String) : null,
    })
  }
})
