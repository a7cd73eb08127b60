import type { App } from '@skyfolio/kit'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  call,
  makeFolder,
  newUser,
  newVoter,
  openTestSystem,
  putPhoto,
  TEST_BURST,
  TEST_CROWD,
  type TestSystem,
} from './support.ts'
import { expectExactTallies, fillBallots } from './votes-support.ts'

let world: TestSystem
let app: App

beforeAll(async () => {
  world = await openTestSystem()
  app = await world.start()
})
afterAll(() => world.close())

async function openFolder() {
  const owner = newUser()
  const folder = await makeFolder(app, owner, { isPublic: true })
  const photo = await putPhoto(world, { userId: owner.userId, folderId: folder.id })
  const ask = (method: 'GET' | 'PATCH', rest: string, body?: object) =>
    call(app, method, `/api/folders/${folder.id}${rest}`, { headers: owner.headers, ...(body && { body }) })
  const fill = (o: { count: number; addresses?: number; apartMs?: number }) =>
    fillBallots(world, { folderId: folder.id, photoId: photo, ...o })
  return { ...folder, owner, photo, ask, fill }
}

const flagsOf = (voters: { flags: string[] }[]) => [...new Set(voters.flatMap(({ flags }) => flags))]

/** Nobody reads or writes ballots while the work runs. */
async function whileBallotsAreLocked(work: () => Promise<void>): Promise<void> {
  const client = await world.pool.connect()
  await client.query('BEGIN; LOCK TABLE ballots IN ACCESS EXCLUSIVE MODE')
  try {
    await work()
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
}

const waitingForBallots = async () => {
  const { rows } = await world.pool.query(
    "SELECT count(*)::integer AS count FROM pg_locks WHERE NOT granted AND relation = 'ballots'::regclass",
  )
  return rows[0].count as number
}

test('Slow readings of one owner leave the database to everybody else, and to other owners', async () => {
  const { ask } = await openFolder()
  const other = await openFolder()
  let answers: Promise<{ status: number }[]> = Promise.resolve([])
  await whileBallotsAreLocked(async () => {
    const paths = ['/voters', '/voters?flagged=true', '/rankings', '/rankings.csv']
    answers = Promise.all(Array.from({ length: 48 }, (_, index) => ask('GET', paths[index % 4] ?? '')))
    await waitFor(async () => (await waitingForBallots()) === 2, { what: 'two readings wait for the ballots' })
    const others = other.ask('GET', '/voters')
    await waitFor(async () => (await waitingForBallots()) === 3, { what: 'a reading of another owner waits too' })
    expect((await call(app, 'GET', `/api/share/${other.shareCode}`)).status).toBe(200)
    expect((await other.ask('GET', '/rankings')).status).toBe(200)
    expect(await waitingForBallots()).toBe(3)
    answers = Promise.all([answers, others]).then(([all, one]) => [...all, one])
  })
  expect(new Set((await answers).map(({ status }) => status))).toEqual(new Set([200]))
})

test('A reading that takes too long is answered 503', async () => {
  const { ask, fill } = await openFolder()
  await fill({ count: 3 })
  await whileBallotsAreLocked(async () => {
    expect(await ask('GET', '/voters')).toMatchObject({ status: 503 })
  })
  expect((await ask('GET', '/voters')).body).toHaveLength(3)
})

test('Many ballots from one address are flagged however slowly they come, and others are not', async () => {
  const { ask, fill } = await openFolder()
  const apartMs = (TEST_BURST.seconds * 1000) / (TEST_BURST.ballots - 1) + 1000
  await fill({ count: TEST_CROWD.ballots - 1, addresses: 1, apartMs })
  expect(flagsOf((await ask('GET', '/voters')).body)).toEqual([])
  await fill({ count: TEST_CROWD.ballots, addresses: 1, apartMs })
  await fill({ count: 40 })
  const flagged = await ask('GET', '/voters?flagged=true')
  expect(flagged.headers['x-total-count']).toBe(`${TEST_CROWD.ballots}`)
  expect(flagsOf(flagged.body)).toEqual(['crowd'])
})

test('In a folder of very many ballots flags come with the next reading, and lists stay quick', async () => {
  const { ask, fill } = await openFolder()
  await fill({ count: 60_000, addresses: 1 })
  await ask('GET', '/voters')
  await waitFor(async () => (await ask('GET', '/voters?flagged=true&limit=1')).headers['x-total-count'] === '60000', {
    what: 'all ballots are flagged',
    timeoutMs: 60_000,
  })
  const page = await ask('GET', '/voters?limit=50')
  expect(flagsOf(page.body)).toEqual(['burst', 'crowd'])
  await expectExactTallies(world)
})

test('All flagged ballots are excluded at once but the owner’s, exactly, with one entry in the log, and restored', async () => {
  const { id, owner, photo, ask, fill } = await openFolder()
  await fill({ count: 2_500, addresses: 1 })
  await fill({ count: 10 })
  await newVoter(app, () => owner.headers).rank(id, photo, 'second')
  await world.pool.query('UPDATE ballots SET token_mismatch = true WHERE folder_id = $1 AND owner', [id])
  const votes = async () => (await ask('GET', '/rankings')).body.tallies[0]?.voters ?? 0
  const all = await votes()

  expect((await ask('PATCH', '/voters', { excluded: true })).status).toBe(400)
  expect((await ask('PATCH', '/voters', { excluded: true, flag: 'shared-token' })).body).toEqual({ changed: 0 })
  expect((await ask('PATCH', '/voters', { excluded: true, flag: 'burst' })).body).toEqual({ changed: 2_500 })
  expect((await ask('PATCH', '/voters', { excluded: true, flagged: true })).body).toEqual({ changed: 0 })
  expect(await votes()).toBe(all - 2_500)
  await expectExactTallies(world)
  expect((await ask('PATCH', '/voters', { excluded: false })).body).toEqual({ changed: 2_500 })
  expect(await votes()).toBe(all)
  await expectExactTallies(world)
  expect((await ask('GET', '/voting-log')).body).toMatchObject([
    { action: 'restored', voter: null, ballots: 2_500 },
    { action: 'excluded', voter: null, ballots: 2_500 },
  ])
})

test('The log comes in pages: nothing that was done pushes anything out', async () => {
  const { ask } = await openFolder()
  for (let turn = 0; turn < 4; turn += 1) await ask('PATCH', '/voting', { open: turn % 2 === 1 })
  const all = (await ask('GET', '/voting-log')).body
  const seen: unknown[] = []
  for (let path = '/voting-log?limit=3'; path; ) {
    const page = await ask('GET', path)
    expect(page.headers['x-total-count']).toBe('4')
    seen.push(...page.body)
    path = /^<\/api\/folders\/\d+(.*)>; rel="next"$/.exec(String(page.headers.link ?? ''))?.[1] ?? ''
  }
  expect(seen).toEqual(all)
  expect((await ask('GET', '/voting-log?cursor=x')).status).toBe(400)
})
