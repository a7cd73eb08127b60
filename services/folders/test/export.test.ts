import { type App, sendRequest } from '@skyfolio/kit'
import { exportSources } from '@skyfolio/proto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, makeFolder, makeLink, newUser, newVoter, openTestSystem, putPhoto, type TestSystem } from './support.ts'
import { fillBallots } from './votes-support.ts'

let system: TestSystem
let app: App

beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
})
afterAll(() => system.close())

const HALF_A_MEGABYTE = 512 * 1024

const ask = (userId: number, cursor = '') =>
  sendRequest(system.nats, exportSources.folders, { userId, cursor }, { timeoutMs: 10_000 })

/** All files of an export, whose pages are checked for their size. */
async function readAll(userId: number) {
  // biome-ignore lint/suspicious/noExplicitAny: files of several shapes
  const files = new Map<string, any[]>()
  let cursor = ''
  do {
    const page = await ask(userId, cursor)
    expect(page.files.reduce((sum, { content }) => sum + content.length, 0)).toBeLessThan(HALF_A_MEGABYTE)
    for (const { path, content } of page.files) {
      expect(path).toMatch(/^folders\/(folders|rankings|invitations|counts)-\d{4}\.json$/)
      expect(files.has(path)).toBe(false)
      files.set(path, JSON.parse(Buffer.from(content).toString()))
    }
    cursor = page.next
  } while (cursor)
  return files
}

test('the export has the folders and how often photos were ranked, without anything of the voters', async () => {
  const [owner, other] = [newUser(), newUser()]
  const lake = await makeFolder(app, owner, { name: 'Lake', description: 'Sommer ☀', isPublic: true })
  const empty = await makeFolder(app, owner, { name: 'Empty' })
  const theirs = await makeFolder(app, other, { name: 'Theirs', isPublic: true })
  const [a, b] = [
    await putPhoto(system, { userId: owner.userId, folderId: lake.id, title: 'Pier' }),
    await putPhoto(system, { userId: owner.userId, folderId: lake.id, title: 'Dock' }),
  ]
  const foreign = await putPhoto(system, { userId: other.userId, folderId: theirs.id })
  const voters = [newVoter(app), newVoter(app)]
  for (const { rank } of voters) await rank(lake.id, a, 'first')
  await voters[0]?.rank(lake.id, b, 'third')
  await voters[0]?.rank(theirs.id, foreign, 'first')
  const viewLink = await makeLink(app, owner, lake.id, {
    ...{ name: 'Club', kind: 'view', password: 'lake-1234', downloads: 'web', expiresAt: '2036-05-01T12:00:00Z' },
  })

  const files = await readAll(owner.userId)
  expect([...files.keys()]).toEqual(['folders/folders-0001.json', 'folders/rankings-0001.json'])
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)
  const contest = {
    ...{ opensAt: null, closesAt: null, closedAt: null, show: 'never', order: 'added', voters: 'anyone' },
    ...{ openBallot: false, resultsPublic: false, resultsText: null },
  }
  const common = { votingOpen: true, coverPhotoId: null, contest, createdAt: time, updatedAt: time }
  const link = {
    hasPassword: false,
    showPlaces: true,
    showCamera: true,
    showMap: false,
    votingUntil: null,
    embedOrigins: [],
  }
  const main = (code: string) => {
    return { ...link, name: 'Main link', path: `/share/${code}`, expiresAt: null, downloads: 'original' }
  }
  const club = { ...link, name: 'Club', path: `/viewer/${viewLink.code}`, hasPassword: true, downloads: 'web' }
  expect(files.get('folders/folders-0001.json')).toEqual([
    {
      ...{ id: lake.id, name: 'Lake', description: 'Sommer ☀', isPublic: true, ...common },
      links: [main(lake.shareCode), { ...club, expiresAt: expect.stringMatching(/^2036-05-01T12:00:00/) }],
    },
    { id: empty.id, name: 'Empty', description: null, isPublic: false, links: [main(empty.shareCode)], ...common },
  ])
  expect(files.get('folders/rankings-0001.json')).toEqual([
    {
      folderId: lake.id,
      folder: 'Lake',
      photoId: a,
      title: 'Pier',
      first: 2,
      second: 0,
      third: 0,
      points: 6,
      voters: 2,
    },
    {
      folderId: lake.id,
      folder: 'Lake',
      photoId: b,
      title: 'Dock',
      first: 0,
      second: 0,
      third: 1,
      points: 1,
      voters: 1,
    },
  ])
})

test('the export has contests, the names of who is invited, and the log of counts, without the secrets of invitations', async () => {
  const [owner, other] = [newUser(), newUser()]
  const { id } = await makeFolder(app, owner, { name: 'Lake' })
  const theirs = await makeFolder(app, other)
  const contest = {
    ...{ opensAt: '2026-05-01T10:00:00.000Z', closesAt: '2026-05-08T10:00:00.000Z', show: 'closed', order: 'own' },
    ...{ voters: 'invited', openBallot: true, resultsPublic: true, resultsText: 'Thank you all!' },
  }
  const put = await call(app, 'PUT', `/api/folders/${id}/contest`, { headers: owner.headers, body: contest })
  expect(put.status).toBe(200)
  for (const [folderId, { headers }, names] of [
    [id, owner, ['Zoë', 'Ann']],
    [theirs.id, other, ['Eve']],
  ] as const)
    await call(app, 'POST', `/api/folders/${folderId}/invitations`, { headers, body: { names } })
  const file = (await call(app, 'GET', `/api/folders/${id}/ballots.json`, { headers: owner.headers })).body
  const files = await readAll(owner.userId)
  expect(files.get('folders/folders-0001.json')).toMatchObject([
    { id, contest: { ...contest, closedAt: file.closedAt } },
  ])
  const of = { folderId: id, folder: 'Lake' }
  expect(files.get('folders/invitations-0001.json')).toEqual([
    { ...of, name: 'Zoë' },
    { ...of, name: 'Ann' },
  ])
  expect(file.log).toHaveLength(1)
  expect(files.get('folders/counts-0001.json')).toEqual([{ ...of, ...file.log[0] }])
})

test('large exports come in pages of bounded size, without gaps or repetitions', async () => {
  const owner = newUser()
  const description = '\u0001'.repeat(2000)
  await system.pool.query(
    "INSERT INTO folders (user_id, name, description) SELECT $1, 'Folder ' || n, $2 FROM generate_series(1, 450) AS n",
    [owner.userId, description],
  )
  const { id } = await makeFolder(app, owner, { isPublic: true })
  await system.pool.query(
    `INSERT INTO photos (id, revision, user_id, folder_id, title)
     SELECT 2000000 + n, 1, $1, $2, repeat('ü', 200) FROM generate_series(1, 3500) AS n`,
    [owner.userId, id],
  )
  await system.pool.query('INSERT INTO tallies SELECT $1, 2000000 + n, 1, 0, 0 FROM generate_series(1, 3500, 2) AS n', [
    id,
  ])
  await fillBallots(system, { folderId: id, photoId: 2_000_002, count: 3 })
  await system.pool.query(
    `INSERT INTO invitations (folder_id, name, secret)
     SELECT id, repeat('ü', 190) || n, id || '-' || n FROM folders, generate_series(1, 5200) AS n
     WHERE user_id = $1 AND (id = $2 OR name = 'Folder 7' AND n <= 10)`,
    [owner.userId, id],
  )
  const files = await readAll(owner.userId)
  const entries = (part: string) => [...files].filter(([path]) => path.includes(part)).flatMap(([, list]) => list)
  expect(entries('/folders-')).toHaveLength(451)
  expect(new Set(entries('/folders-').map((folder) => folder.id)).size).toBe(451)
  const ranked = entries('/rankings-').map(({ photoId }) => photoId)
  expect(ranked).toEqual([...new Set(ranked)].sort((left, right) => left - right))
  expect(ranked).toHaveLength(1751)
  expect([...files.keys()].filter((path) => path.includes('/rankings-')).length).toBeGreaterThan(1)
  const invited = entries('/invitations-').map(({ folderId, name }) => `${folderId} ${name}`)
  expect(invited).toHaveLength(5210)
  expect(new Set(invited).size).toBe(5210)
})

test('a user without folders gets an empty list, and an unknown cursor is an error', async () => {
  expect([...(await readAll(newUser().userId))]).toEqual([['folders/folders-0001.json', []]])
  for (const cursor of ['folders', 'ballots.1.1.1', 'folders.99999999999.0.1', "folders.1.1.1'--"]) {
    await expect(ask(1, cursor)).rejects.toMatchObject({ status: 503 })
  }
})

test('a suspended user has the same export', async () => {
  const owner = newUser()
  const { id } = await makeFolder(app, owner, { isPublic: true })
  const photo = await putPhoto(system, { userId: owner.userId, folderId: id })
  await newVoter(app).rank(id, photo, 'first')
  const before = await readAll(owner.userId)
  await system.pool.query('UPDATE folders SET owner_suspended = true WHERE id = $1', [id])
  expect(await readAll(owner.userId)).toEqual(before)
  expect((await call(app, 'GET', `/api/folders/${id}`, { headers: owner.headers })).status).toBe(200)
})
