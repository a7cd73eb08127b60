import type { App } from '@skyfolio/kit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compactTallies } from '../src/voting/change-ballots.ts'
import { call, LINK_WAYS, NO_LINK, openTestSystem, type TestSystem, visitor, withCookie } from './support.ts'
import { expectExactTallies } from './votes-support.ts'
import { createModel, type Model, type PhotoUpdate, RANKS, type Rank } from './voting-model.ts'
import { createMedia, FOLDERS, openScenario, PHOTOS, type Scenario, VOTERS } from './voting-scenario.ts'

/** TEST_SEED repeats a run, TEST_RUNS=20 multiplies the number of runs. */
const runs = Number(process.env.TEST_RUNS) || 1
const seed = Number(process.env.TEST_SEED) || Date.now() % 2 ** 31
console.info(`voting properties: TEST_SEED=${seed}`)

let system: TestSystem
let apps: App[]
let app: App
beforeAll(async () => {
  system = await openTestSystem()
  apps = [await system.start(), await system.start(), await system.start()]
  app = apps[0] as App
})
afterAll(() => system.close())

const folder = fc.nat(FOLDERS - 1)
const photo = fc.nat(PHOTOS - 1)
const voter = fc.nat(VOTERS - 1)
const rank = fc.constantFrom<Rank | ''>(...RANKS, '')
/** Absent means false. */
const swap = fc.constantFrom(undefined, false, true)
const mostly = fc.constantFrom(true, true, true, false)
/** How a request shows which of the folder's links; null: it shows none. */
const link = fc.option(
  fc.record({
    way: fc.constantFrom(...(Object.keys(LINK_WAYS) as (keyof typeof LINK_WAYS)[])),
    which: fc.constantFrom('current' as const, 'current' as const, 'former' as const),
  }),
  { freq: 4 },
)
/** How a vote shows the voter token of a page. */
const token = fc.constantFrom('none' as const, 'cookie' as const, 'cookie' as const, 'body' as const)
const kind = <K extends string>(name: K) => fc.constant(name)
// Weighted so that most votes are accepted: folders are mostly public and open, photos mostly exist.
const step = fc.oneof(
  {
    weight: 24,
    arbitrary: fc.record({ kind: kind('vote'), folder, photo, voter, rank, swap, link, token, replica: fc.nat(2) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kind('move'), photo, folder: fc.integer({ min: -1, max: 1 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('privacy'), photo, own: mostly, late: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('delete'), photo }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('pair'), photo, raw: fc.boolean() }) },
  // Any event sent so far, so out of order and repeated; or all undelivered ones in order.
  { weight: 4, arbitrary: fc.record({ kind: kind('deliver'), event: fc.nat(1000) }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('drain') }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('flip'), folder, isPublic: mostly }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('renew'), folder }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('suspend'), not: mostly }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('open'), folder, open: mostly }) },
  { weight: 5, arbitrary: fc.record({ kind: kind('exclude'), folder, voter, excluded: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('exclude many'), folder, excluded: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('reset'), folder }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('compact') }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('compare') }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

interface StepDeps {
  scenario: Scenario
  model: Model
  media: ReturnType<typeof createMedia>
}

async function perform(one: Step, { scenario, model, media }: StepDeps) {
  const deliver = async ({ photo, update }: { photo: number; update: PhotoUpdate }) => {
    await scenario.applyUpdate(photo, update)
    model.applyUpdate(scenario.photo(photo), update)
  }
  if (one.kind === 'vote') {
    const { folder, voter, rank, swap, link } = one
    const photo = scenario.photo(one.photo)
    const shown = link && scenario.linkOf(folder, link.which)
    const byOwner = voter === VOTERS - 1
    const token = one.token === 'none' ? null : scenario.tokenOf(voter)
    const expected = model.vote({
      ...{ folder, photo, voter, rank, swap: swap ?? false, byOwner },
      link: shown?.linkRevision ?? null,
      token: token ?? scenario.newTokenName(),
      hasToken: token !== null,
    })
    const shownLink = link && shown ? LINK_WAYS[link.way](shown) : NO_LINK
    const { status, body } = await (scenario.voters[voter] as Scenario['voters'][number]).rank(
      scenario.folders[folder]?.id ?? 0,
      photo,
      rank,
      apps[one.replica],
      one.token === 'cookie' ? withCookie(shownLink, `voter=${token}`) : shownLink,
      swap,
      one.token === 'body' ? token : null,
    )
    expect({ status, ...(status === 200 && { ranking: body.rankings }) }).toEqual(expected)
  } else if (one.kind === 'move') {
    const state = media.stateOf(one.photo)
    if (state) media.change(one.photo, { ...state, folder: one.folder, own: null, ownRevision: 0 })
  } else if (one.kind === 'pair') {
    const state = media.stateOf(one.photo)
    if (state) media.change(one.photo, { ...state, raw: one.raw })
  } else if (one.kind === 'privacy') {
    const state = media.stateOf(one.photo)
    if (!state) return
    // Media may know an older revision of the folder than the current one.
    const ownRevision = Math.max((model.folders[state.folder]?.revision ?? 0) - one.late, 0)
    media.change(one.photo, { ...state, own: one.own, ownRevision })
  } else if (one.kind === 'delete') {
    if (media.stateOf(one.photo)) media.change(one.photo, null)
  } else if (one.kind === 'deliver') {
    const event = media.events[one.event % media.events.length]
    if (event) await deliver(event)
  } else if (one.kind === 'drain') {
    for (const event of media.rest()) await deliver(event)
  } else if (one.kind === 'flip') {
    model.setPublic(one.folder, one.isPublic)
    await scenario.send('PATCH', one.folder, '/toggle-public', { isPublic: one.isPublic })
  } else if (one.kind === 'suspend') {
    model.setSuspended(!one.not)
    await scenario.setSuspended(!one.not)
  } else if (one.kind === 'renew') {
    model.renew(one.folder)
    await scenario.renew(one.folder)
  } else if (one.kind === 'open') {
    model.setOpen(one.folder, one.open)
    await scenario.send('PATCH', one.folder, '/voting', { open: one.open })
  } else if (one.kind === 'exclude') {
    const { folder, voter, excluded } = one
    const exists = model.setExcluded(folder, voter, excluded)
    const { status } = await scenario.send('PATCH', folder, `/voters/${scenario.label(folder, voter)}`, { excluded })
    expect(status).toBe(exists ? 200 : 404)
  } else if (one.kind === 'exclude many') {
    const { folder, excluded } = one
    const changed = model.setExcludedMany(folder, { flagged: excluded, excluded })
    const { body } = await scenario.send('PATCH', folder, '/voters', { excluded, ...(excluded && { flagged: true }) })
    expect(body).toEqual({ changed })
  } else if (one.kind === 'reset') {
    model.reset(one.folder)
    await scenario.send('DELETE', one.folder, '/votes')
  } else if (one.kind === 'compact') {
    await compactTallies(system.database)
  } else {
    await compare(scenario, model)
  }
}

/** Expects every response of the service to equal the model's. */
async function compare(scenario: Scenario, model: Model): Promise<void> {
  for (const index of scenario.folders.keys()) {
    const { shareCode } = scenario.linkOf(index, 'current')
    const known = model.folders[index] as Model['folders'][number]
    const tallies = model.tallies(index)
    expect((await scenario.send('GET', index, '/rankings?limit=100')).body).toEqual({
      rankings: Object.fromEntries(tallies.slice(0, 3).map(({ photoId }, index) => [photoId, RANKS[index]])),
      tallies,
      ballots: model.ballots(index),
      voting: known.open ? 'open' : 'closed',
    })
    const voters: { voter: string; [key: string]: unknown }[] = (await scenario.send('GET', index, '/voters')).body
    expect(voters.map(({ createdAt, updatedAt, ...rest }) => rest)).toEqual(
      model.voters(index).map(({ voter, ...rest }) => ({ ...rest, name: null, voter: scenario.label(index, voter) })),
    )
    const log: { action: string }[] = (await scenario.send('GET', index, '/voting-log')).body
    expect(log.map(({ action }) => action)).toEqual(known.log)

    await compareRankings(scenario, model, index)
    for (const [voter, { fingerprint }] of scenario.voters.entries()) {
      const { status, body } = await call(app, 'GET', `/api/share/${shareCode}?fingerprint=${fingerprint}`)
      expect(status).toBe(known.isPublic && !known.suspended ? 200 : 404)
      if (status === 404) continue
      const ranking = model.rankingOf(index, voter)
      const own = RANKS.filter((rank) => ranking[rank] > 0).map((rank) => [ranking[rank], rank])
      expect(body.voteCounts).toEqual(Object.fromEntries(own))
      expect(body.photos.map(({ id }: { id: number }) => id)).toEqual(model.shown(index))
      expect(body.folder.votingOpen).toBe(known.open)
    }
  }
}

/** Expects the voters' own rankings, for who shows the folder's current link, the one before it or none, and for its owner. */
async function compareRankings(scenario: Scenario, model: Model, folder: number): Promise<void> {
  for (const [voter, { fingerprint }] of scenario.voters.entries()) {
    for (const which of ['current', 'former', 'none', 'owner'] as const) {
      const shown = which === 'current' || which === 'former' ? scenario.linkOf(folder, which) : null
      const { given, headers } = shown ? LINK_WAYS['body or query'](shown) : NO_LINK
      const query = new URLSearchParams({ fingerprint, ...given })
      const byOwner = which === 'owner'
      const { status, body } = await call(
        app,
        'GET',
        `/api/folders/${scenario.folders[folder]?.id}/rankings?${query}`,
        {
          headers: { ...(byOwner ? scenario.owner.headers : visitor()), ...headers },
        },
      )
      expect(status, which).toBe(model.rankingStatus(folder, { byOwner, link: shown?.linkRevision ?? null }))
      if (status === 200) expect(body.userRankings).toEqual(model.rankingOf(folder, voter))
    }
  }
}

/** Performs the steps on folders whose photos are all there and visible. */
async function performAll(steps: Step[]): Promise<StepDeps> {
  const deps = { scenario: await openScenario(system, app), model: createModel(FOLDERS), media: createMedia() }
  for (let number = 0; number < PHOTOS; number += 1) {
    deps.media.change(number, { folder: number % FOLDERS, own: null, ownRevision: 0, raw: false })
  }
  await perform({ kind: 'drain' }, deps)
  for (const one of steps) await perform(one, deps)
  return deps
}

test(
  'property: all responses equal the model’s after any sequence of votes, photo events (also repeated or late), new links, owner actions and compactions',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60, size: 'max' }), async (steps) => {
        const deps = await performAll(steps)
        const { scenario, model } = deps
        await perform({ kind: 'drain' }, deps)
        await compare(scenario, model)
        await compactTallies(system.database)
        await compare(scenario, model)
        await expectExactTallies(system)
      }),
      { numRuns: 4 * runs, seed, unbiased: true },
    )
  },
  120_000 * runs,
)

/** Votes that are accepted, so that ballots are many, and what changes which ballots there are. */
const ballotStep = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      ...{ kind: kind('vote'), folder: fc.constant(0), photo: fc.constantFrom(0, 2, 4), voter, rank, swap, token },
      ...{ link: fc.constant(null), replica: fc.nat(2) },
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kind('exclude'), folder: fc.constant(0), voter, excluded: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('exclude many'), folder: fc.constant(0), excluded: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('reset'), folder: fc.constant(0) }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('compare') }) },
)

test(
  'property: the flags of ballots equal the model’s, whatever tokens their votes have',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(ballotStep, { minLength: 12, maxLength: 24, size: 'max' }), async (steps) => {
        const { scenario, model } = await performAll(steps)
        await compare(scenario, model)
      }),
      { numRuns: 4 * runs, seed, unbiased: true },
    )
  },
  120_000 * runs,
)

test(
  'property: votes concurrent with everything that can interfere leave exact tallies, valid ballots and each voter’s last choice',
  async () => {
    const choice = fc.record({ photo, rank, swap, replica: fc.nat(2) })
    const votes = fc.array(fc.array(choice, { minLength: 8, maxLength: 16, size: 'max' }), {
      minLength: 6,
      maxLength: 6,
    })
    const disturbances = fc.array(
      fc.constantFrom(
        'exclude',
        'restore',
        'reset',
        'close',
        'open',
        'flip',
        'hide',
        'show',
        'away',
        'back',
        'delete',
        'suspend',
        'renew',
      ),
      { minLength: 10, maxLength: 30, size: 'max' },
    )
    await fc.assert(
      fc.asyncProperty(votes, votes, disturbances, async (stormy, calm, troubles) => {
        const scenario = await openScenario(system, app)
        const revisions = Array.from({ length: PHOTOS }, () => 0)
        const publish = (index: number, state: PhotoUpdate['state']) => {
          revisions[index] = (revisions[index] ?? 0) + 1
          return scenario.applyUpdate(index, { revision: revisions[index], state })
        }
        const there = { folder: 0, own: null, ownRevision: 0, raw: false }
        for (let index = 0; index < PHOTOS; index += 1) await publish(index, there)
        // Two browsers per voter: their requests race for one ballot.
        const browsers = [0, 0, 1, 1, 2, 2].map((index) => scenario.voters[index] as Scenario['voters'][number])
        const id = scenario.folders[0].id
        const shown = () => LINK_WAYS['body or query'](scenario.linkOf(0, 'current'))

        let storm = true
        const compaction = (async () => {
          while (storm) await compactTallies(system.database)
        })()
        const trouble = async (what: (typeof troubles)[number]) => {
          if (what === 'exclude' || what === 'restore') {
            await scenario.send('PATCH', 0, `/voters/${scenario.label(0, 0)}`, { excluded: what === 'exclude' })
          } else if (what === 'reset') expect((await scenario.send('DELETE', 0, '/votes')).status).toBe(204)
          else if (what === 'close' || what === 'open') {
            expect((await scenario.send('PATCH', 0, '/voting', { open: what === 'open' })).status).toBe(200)
          } else if (what === 'flip') await scenario.send('PATCH', 0, '/toggle-public')
          else if (what === 'hide') await publish(0, { folder: 0, own: false, ownRevision: 1000, raw: false })
          else if (what === 'show') await publish(0, there)
          else if (what === 'renew') await scenario.renew(0)
          else if (what === 'suspend') {
            await scenario.setSuspended(true)
            await scenario.setSuspended(false)
          } else if (what === 'away') await publish(1, { folder: 1, own: null, ownRevision: 0, raw: false })
          else if (what === 'back') await publish(1, there)
          else await publish(2, null)
        }
        await Promise.all([
          ...browsers.map(async ({ rank }, index) => {
            for (const { photo, rank: choice, swap, replica } of stormy[index] ?? []) {
              const { status } = await rank(id, scenario.photo(photo), choice, apps[replica], shown(), swap)
              expect([200, 404, 409, 503]).toContain(status)
            }
          }),
          (async () => {
            for (const one of troubles) await trouble(one)
          })(),
        ])
        storm = false
        await compaction
        await expectExactTallies(system)

        await scenario.send('PATCH', 0, '/voting', { open: true })
        await scenario.send('PATCH', 0, '/toggle-public', { isPublic: true })
        for (const index of [0, 1]) await publish(index, there)
        await publish(2, null)
        const last = await Promise.all(
          scenario.voters.map(async ({ rank, fingerprint }, index) => {
            let ranking: unknown
            for (const { photo, rank: choice, swap, replica } of calm[index] ?? []) {
              const { status, body } = await rank(id, scenario.photo(photo), choice, apps[replica], shown(), swap)
              expect(status).toBe(photo === 2 ? 404 : 200)
              if (status === 200) ranking = body.rankings
            }
            return { fingerprint, ranking }
          }),
        )
        for (const { fingerprint, ranking } of last) {
          const query = new URLSearchParams({ fingerprint, ...shown().given })
          const { body } = await call(app, 'GET', `/api/folders/${id}/rankings?${query}`)
          if (ranking) expect(body.userRankings).toEqual(ranking)
        }
        await compactTallies(system.database)
        await expectExactTallies(system)
        const deleted = await system.pool.query(
          'SELECT FROM ballots WHERE folder_id = $1 AND NOT excluded AND $2 IN (first, second, third)',
          [id, scenario.photo(2)],
        )
        expect(deleted.rowCount).toBe(0)
      }),
      { numRuns: 2 * runs, seed, unbiased: true },
    )
  },
  120_000 * runs,
)
