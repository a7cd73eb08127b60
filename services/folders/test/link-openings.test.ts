import { type App, createLogger } from '@skyfolio/kit'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createLinkOpenings } from '../src/links/link-openings.ts'
import {
  asUser,
  call,
  cookieOf,
  makeFolder,
  makeLink,
  newUser,
  openTestSystem,
  putPhoto,
  type TestSystem,
  visitor,
} from './support.ts'

// How often links were opened, as their owners see it.

let system: TestSystem
let app: App
let replica: App
beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
  replica = await system.start()
})
afterAll(() => system.close())

async function sharedFolder(fields = {}) {
  const owner = newUser()
  const folder = await makeFolder(app, owner, { isPublic: true })
  const photo = await putPhoto(system, { userId: owner.userId, folderId: folder.id })
  const link = await makeLink(app, owner, folder.id, fields)
  const read = async () => {
    const { body } = await call(app, 'GET', `/api/folders/${folder.id}/links`, { headers: owner.headers })
    const { openedToday, opened } = body.find(({ id }: { id: number }) => id === link.id)
    return { openedToday, opened }
  }
  return { owner, folder, photo, link, read }
}

type Shared = Awaited<ReturnType<typeof sharedFolder>>

/** Waits until the link has been opened so often. What was counted before is stored at the same time, and by then. */
async function expectOpened({ read, owner, folder }: Shared, opened: number): Promise<void> {
  const last = await makeLink(app, owner, folder.id)
  for (const through of [app, replica]) await get(through, `/api/share/${last.code}`)
  await waitFor(
    async () => {
      const { rows } = await system.pool.query('SELECT count FROM link_openings WHERE link_id = $1', [last.id])
      return rows[0]?.count === 2
    },
    { what: 'the openings of another link' },
  )
  expect(await read()).toEqual({ openedToday: opened, opened })
}

const get = (through: App, url: string, headers: Record<string, string> = {}) =>
  call(through, 'GET', url, { headers: { ...visitor(), ...headers } })

const PAGES = ['/api/share/:code', '/api/share/:code?fingerprint=a-fingerprint', '/api/folders/share/:code']

test.each(PAGES)('%s counts once for each session of a browser, on whatever replica', async (page) => {
  const shared = await sharedFolder()
  const url = page.replace(':code', shared.link.code)
  for (let browser = 0; browser < 3; browser += 1) {
    const cookie = cookieOf(await get(app, url), 'links') as string
    for (const through of [app, replica, app]) await get(through, url, { cookie })
  }
  await expectOpened(shared, 3)
})

test('other pages, pictures and votes of the link are no openings', async () => {
  const shared = await sharedFolder()
  const { code } = shared.link
  const paths = [`/api/share/${code}/photos/${shared.photo}`, `/api/share/${code}/cameras`, `/share-cards/${code}`]
  for (const path of [...paths, `/api/folders/share/${code}/photos`]) expect((await get(app, path)).status).toBe(200)
  const body = { fingerprint: 'a-fingerprint', rank: 'first', folderId: shared.folder.id, shareCode: code }
  expect((await call(app, 'POST', `/api/photos/${shared.photo}/rank`, { body })).status).toBe(200)
  await expectOpened(shared, 0)
})

test('its owner opens nothing, other users and administrators do', async () => {
  const shared = await sharedFolder()
  const url = `/api/share/${shared.link.code}`
  await get(app, url, shared.owner.headers)
  await get(app, `/api/folders/share/${shared.link.code}`, shared.owner.headers)
  await get(app, url, newUser().headers)
  await get(app, url, asUser(newUser().userId, { isAdmin: true }))
  await expectOpened(shared, 2)
})

test('a page in a frame, which keeps no cookie of links, is opened by a browser that does not revalidate it', async () => {
  const shared = await sharedFolder()
  const url = `/api/share/${shared.link.code}`
  const embed = { 'x-embed': 'true' }
  const first = await get(app, url, embed)
  await get(replica, url, { ...embed, 'if-none-match': `${first.headers.etag}` })
  await get(app, `${url}?fingerprint=a-fingerprint`, { ...embed, 'if-none-match': '"another"' })
  await expectOpened(shared, 1)
})

test('a page that the browser revalidates is not opened again, also when the link has changed', async () => {
  const shared = await sharedFolder()
  const { owner, folder, link } = shared
  const url = `/api/share/${link.code}`
  const first = await get(app, url)
  const revalidate = { cookie: cookieOf(first, 'links') as string, 'if-none-match': `${first.headers.etag}` }
  expect((await get(app, url, revalidate)).status).toBe(304)
  const body = { showPlaces: false }
  await call(app, 'PATCH', `/api/folders/${folder.id}/links/${link.id}`, { headers: owner.headers, body })
  expect((await get(app, url, revalidate)).status).toBe(200)
  await expectOpened(shared, 1)
})

test('a locked page is no opening, the first page after its password is', async () => {
  const shared = await sharedFolder({ password: 'lake-1234' })
  const url = `/api/share/${shared.link.code}`
  for (const attempt of [1, 2]) expect((await get(app, url)).status, `${attempt}`).toBe(403)
  const answer = await call(app, 'POST', `${url}/unlock`, { body: { password: 'lake-1234' } })
  const cookie = cookieOf(answer, 'unlocked') as string
  const opened = cookieOf(await get(app, url, { cookie }), 'links')
  await get(app, url, { cookie: `${cookie}; ${opened}` })
  await expectOpened(shared, 1)
})

test('a browser that has opened another link of the folder opens this one too', async () => {
  const shared = await sharedFolder()
  const cookie = cookieOf(await get(app, `/api/share/${shared.folder.shareCode}`), 'links') as string
  await get(app, `/api/share/${shared.link.code}`, { cookie })
  await expectOpened(shared, 1)
})

test('openings are counted by day (UTC), with nothing of who opened', async () => {
  const shared = await sharedFolder()
  const { id, code } = shared.link
  await system.pool.query(
    "INSERT INTO link_openings SELECT $1, (now() AT TIME ZONE 'UTC')::date - days, 5 FROM generate_series(1, 2) AS days",
    [id],
  )
  const [{ name }] = (await system.pool.query('SELECT quote_ident(current_database()) AS name')).rows
  // Where it is another day at this moment.
  const zone = new Date().getUTCHours() < 12 ? 'Etc/GMT+12' : 'Pacific/Kiritimati'
  await system.pool.query(`ALTER DATABASE ${name} SET timezone = '${zone}'`)
  onTestFinished(async () => void (await system.pool.query(`ALTER DATABASE ${name} RESET timezone`)))
  const ahead = await system.start()
  await get(ahead, `/api/share/${code}`)
  await waitFor(async () => (await shared.read()).opened === 11, { what: 'the opening' })
  expect(await shared.read()).toEqual({ openedToday: 1, opened: 11 })
  const { rows } = await system.pool.query(
    'SELECT to_jsonb(link_openings) AS row FROM link_openings WHERE link_id = $1 ORDER BY day DESC LIMIT 1',
    [id],
  )
  expect(rows).toEqual([{ row: { link_id: id, day: new Date().toISOString().slice(0, 10), count: 1 } }])
})

test('what was counted is stored at the stop, whatever was withdrawn meanwhile', async () => {
  const shared = await sharedFolder()
  const withdrawn = 2 ** 31 - 1
  const openings = createLinkOpenings(system.pool, createLogger('test', 'silent'))
  for (const id of [shared.link.id, withdrawn, shared.link.id]) openings.count(id)
  await openings.stop()
  expect(await shared.read()).toEqual({ openedToday: 2, opened: 2 })
  expect(await system.database.linkOpening.count({ where: { linkId: withdrawn } })).toBe(0)
})

test('openings that the database does not take are stored later, once', async () => {
  const shared = await sharedFolder()
  const log: string[] = []
  const logger = createLogger('test', 'warn', { write: (line) => void log.push(line) })
  const openings = createLinkOpenings(system.pool, logger)
  await system.pool.query('ALTER TABLE link_openings RENAME TO link_openings_away')
  openings.count(shared.link.id)
  await waitFor(() => log.length > 0, { what: 'a failure' })
  openings.count(shared.link.id)
  await system.pool.query('ALTER TABLE link_openings_away RENAME TO link_openings')
  await waitFor(async () => (await shared.read()).opened > 0, { what: 'the openings' })
  await openings.stop()
  expect(await shared.read()).toEqual({ openedToday: 2, opened: 2 })
})
