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
  const send = (method: 'GET' | 'PATCH', rest: string, body?: object) =>
    call(app, method, `/api/folders/${folder.id}${rest}`, { headers: owner.headers, ...(body && { body }) })
  const fill = (options: { count: number; addresses?: number; intervalMs?: number }) =>
    fillBallots(system, { folderId: folder.id, photoId: photo, ...options })
  return { ...folder, owner, photo, send, fill }
}

const flagsOf = (voters: { flags: string[] }[]) => [...new Set(voters.flatMap(({ flags }) => flags))]

/** Blocks all access to ballots while the work runs. */
async function whileBallotsAreLocked(work: () => Promise<void>): Promise<void> {
  const client = await system.pool.connect()
  await client.query('BEGIN; LOCK TABLE ballots IN ACCESS EXCLUSIVE MODE')
  try {
    await work()
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
}

const waitingForBallots = async () => {
  const { rows } = await system.pool.query(
    "SELECT count(*)::integer AS count FROM pg_locks WHERE NOT granted AND relation = 'ballots'::regclass",
  )
  return rows[0].count as number
}

test('slow queries of one owner leave database connections to visitors and to other owners', async () => {
  const { send } = await openFolder()
  const other = await openFolder()
  let responses: Promise<{ status: number }[]> = Promise.resolve([])
  await whileBallotsAreLocked(async () => {
    const paths = ['/voters', '/voters?flagged=true', '/rankings', '/rankings.csv']
    responses = Promise.all(Array.from({ length: 48 }, (_, index) => send('GET', paths[index % 4] ?? '')))
    await waitFor(async () => (await waitingForBallots()) === 2, { what: 'two queries waiting for the ballots' })
    const others = other.send('GET', '/voters')
    await waitFor(async () => (await waitingForBallots()) === 3, { what: 'a query of another owner waiting too' })
    expect((await call(app, 'GET', `/api/share/${other.shareCode}`)).status).toBe(200)
    expect((await other.send('GET', '/rankings')).status).toBe(200)
    expect(await waitingForBallots()).toBe(3)
    responses = Promise.all([responses, others]).then(([all, one]) => [...all, one])
  })
  expect(new Set((await responses).map(({ status }) => status))).toEqual(new Set([200]))
})

test('cancels an owner query that takes too long with 503', async () => {
  const { send, fill } = await openFolder()
  await fill({ count: 3 })
  await whileBallotsAreLocked(async () => {
    expect(await send('GET', '/voters')).toMatchObject({ status: 503 })
  })
  expect((await send('GET', '/voters')).body).toHaveLength(3)
})

test('flags many ballots from one address at whatever rate, and no others', async () => {
  const { send, fill } = await openFolder()
  const intervalMs = (TEST_BURST.seconds * 1000) / (TEST_BURST.ballots - 1) + 1000
  await fill({ count: TEST_CROWD.ballots - 1, addresses: 1, intervalMs })
  expect(flagsOf((await send('GET', '/voters')).body)).toEqual([])
  await fill({ count: TEST_CROWD.ballots, addresses: 1, intervalMs })
  await fill({ count: 40 })
  const flagged = await send('GET', '/voters?flagged=true')
  expect(flagged.headers['x-total-count']).toBe(`${TEST_CROWD.ballots}`)
  expect(flagsOf(flagged.body)).toEqual(['crowd'])
})

test('in a folder of very many ballots, flags appear on a later request and lists stay fast', async () => {
  const { send, fill } = await openFolder()
  await fill({ count: 60_000, addresses: 1 })
  await send('GET', '/voters')
  await waitFor(async () => (await send('GET', '/voters?flagged=true&limit=1')).headers['x-total-count'] === '60000', {
    what: 'all ballots are flagged',
    timeoutMs: 60_000,
  })
  const page = await send('GET', '/voters?limit=50')
  expect(flagsOf(page.body)).toEqual(['burst', 'crowd'])
  await expectExactTallies(system)
})

test('excludes all flagged ballots but the owner’s, with exact tallies and one log entry, and restores them', async () => {
  const { id, owner, photo, send, fill } = await openFolder()
  await fill({ count: 2_500, addresses: 1 })
  await fill({ count: 10 })
  await newVoter(app, () => owner.headers).rank(id, photo, 'second')
  await system.pool.query('UPDATE ballots SET token_mismatch = true WHERE folder_id = $1 AND owner', [id])
  const votes = async () => (await send('GET', '/rankings')).body.tallies[0]?.voters ?? 0
  const all = await votes()

  expect((await send('PATCH', '/voters', { excluded: true })).status).toBe(400)
  expect((await send('PATCH', '/voters', { excluded: true, flag: 'shared-token' })).body).toEqual({ changed: 0 })
  expect((await send('PATCH', '/voters', { excluded: true, flag: 'burst' })).body).toEqual({ changed: 2_500 })
  expect((await send('PATCH', '/voters', { excluded: true, flagged: true })).body).toEqual({ changed: 0 })
  expect(await votes()).toBe(all - 2_500)
  await expectExactTallies(system)
  expect((await send('PATCH', '/voters', { excluded: false })).body).toEqual({ changed: 2_500 })
  expect(await votes()).toBe(all)
  await expectExactTallies(system)
  expect((await send('GET', '/voting-log')).body).toMatchObject([
    { action: 'restored', voter: null, ballots: 2_500 },
    { action: 'excluded', voter: null, ballots: 2_500 },
  ])
})

test('the log has pages, and no entry pushes out another', async () => {
  const { send } = await openFolder()
  for (let turn = 0; turn < 4; turn += 1) await send('PATCH', '/voting', { open: turn % 2 === 1 })
  const all = (await send('GET', '/voting-log')).body
  const seen: unknown[] = []
  for (let path = '/voting-log?limit=3'; path; ) {
    const page = await send('GET', path)
    expect(page.headers['x-total-count']).toBe('4')
    seen.push(...page.body)
    path = /^<\/api\/folders\/\d+(.*)>; rel="next"$/.exec(String(page.headers.link ?? ''))?.[1] ?? ''
  }
  expect(seen).toEqual(all)
  expect((await send('GET', '/voting-log?cursor=x')).status).toBe(400)
})
