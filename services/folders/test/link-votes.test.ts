import { randomBytes } from 'node:crypto'
import type { App } from '@skyfolio/kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  call,
  cookieOf,
  type FolderLink,
  LINK_WAYS,
  makeFolder,
  makeLink,
  NO_LINK,
  newUser,
  openedCookie,
  openTestSystem,
  putPhoto,
  type ShownLink,
  type TestSystem,
  visitor,
  withCookie,
} from './support.ts'

// Who votes through which link. Links that open nothing are in link-states.test.ts.

let system: TestSystem
let app: App
beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
})
afterAll(() => system.close())

async function votingFolder() {
  const owner = newUser()
  const folder = await makeFolder(app, owner, { isPublic: true })
  const photo = await putPhoto(system, { userId: owner.userId, folderId: folder.id })
  const send = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', rest: string, body?: object) =>
    (await call(app, method, `/api/folders/${folder.id}${rest}`, { headers: owner.headers, ...(body && { body }) }))
      .body
  const [main] = await send('GET', '/links')
  const shown = async ({ id, code }: { id: number; code: string }): Promise<FolderLink> => {
    const { revision } = await system.database.link.findUniqueOrThrow({ where: { id } })
    return { folderId: folder.id, shareCode: code, linkRevision: revision }
  }
  const unlock = async (code: string, password: string, cookie?: string) =>
    cookieOf(
      await call(app, 'POST', `/api/share/${code}/unlock`, {
        headers: { ...visitor(), ...(cookie && { cookie }) },
        body: { password },
      }),
      'unlocked',
    )
  /** A new voter's vote: 200, or the code of the error. */
  const vote = async ({ given, headers }: ShownLink = NO_LINK, who = visitor()) => {
    const body = { fingerprint: randomBytes(16).toString('hex'), rank: 'first', folderId: folder.id, ...given }
    const answer = await call(app, 'POST', `/api/photos/${photo}/rank`, { headers: { ...who, ...headers }, body })
    return answer.status === 200 ? 200 : answer.body.code
  }
  const ownRanks = async ({ given, headers }: ShownLink = NO_LINK) => {
    const query = new URLSearchParams({ fingerprint: 'a-fingerprint', ...given })
    const answer = await call(app, 'GET', `/api/folders/${folder.id}/rankings?${query}`, {
      headers: { ...visitor(), ...headers },
    })
    return answer.status === 200 ? 200 : answer.body.code
  }
  const add = (fields: object) => makeLink(app, owner, folder.id, fields)
  return { owner, folder, photo, main, send, shown, unlock, vote, ownRanks, add }
}

const PAST = '2020-01-01T00:00:00Z'
const FUTURE = '2036-01-01T00:00:00Z'

type Folder = Awaited<ReturnType<typeof votingFolder>>
const change =
  (...bodies: object[]) =>
  async ({ send, main }: Folder) => {
    for (const body of bodies) await send('PATCH', `/links/${main.id}`, body)
  }
const addAndRemove = async ({ send, add }: Folder) => {
  await send('DELETE', `/links/${(await add({ kind: 'view' })).id}`)
}

test.each<[what: string, prepare: (folder: Folder) => Promise<unknown>, expected: 200 | 'not_found']>([
  ['that was never changed', async () => {}, 200],
  ['whose main link has another name', change({ name: 'Club' }), 200],
  ['whose main link hides places', change({ showPlaces: false, downloads: 'none', showMap: true }), 200],
  ['that has a second link', ({ add }) => add({ kind: 'view' }), 'not_found'],
  ['that has a second link, which has expired', ({ add }) => add({ expiresAt: PAST }), 'not_found'],
  ['whose second link was deleted again', addAndRemove, 200],
  ['whose main link was renewed', ({ send }) => send('POST', '/share-code'), 'not_found'],
  [
    'whose main link was renewed, and whose second link was deleted again',
    async (folder) => {
      await folder.send('POST', '/share-code')
      await addAndRemove(folder)
    },
    'not_found',
  ],
  ['whose main link has a password', change({ password: 'lake-1234' }), 'not_found'],
  ['whose main link has no password any more', change({ password: 'lake-1234' }, { password: null }), 200],
  ['whose main link expires one day', change({ expiresAt: FUTURE }), 'not_found'],
  ['whose main link has expired', change({ expiresAt: PAST }), 'not_found'],
  ['whose main link does not expire any more', change({ expiresAt: FUTURE }, { expiresAt: null }), 200],
  ['whose main link votes until one day', change({ votingUntil: FUTURE }), 200],
])('with the ids alone, in a folder %s', async (_what, prepare, expected) => {
  const folder = await votingFolder()
  await prepare(folder)
  expect([await folder.vote(), await folder.ownRanks()]).toEqual([expected, expected])
  expect(await folder.vote(NO_LINK, folder.owner.headers)).toBe(200)
})

test.each(['main', 'vote'] as const)(
  'through a %s link until its moment, by the clock of the database',
  async (kind) => {
    const { main, shown, vote, add, send, owner } = await votingFolder()
    const link = kind === 'main' ? main : await add({ votingUntil: FUTURE })
    const other = await shown(kind === 'main' ? await add({}) : main)
    const until = (interval: string) =>
      system.pool.query('UPDATE links SET voting_until = now() + $2::interval WHERE id = $1', [link.id, interval])
    const votingOpen = async () => (await call(app, 'GET', `/api/share/${link.code}`)).body.folder.votingOpen
    for (const [interval, expected] of [
      ['1 minute', 200],
      ['0', 'voting_closed'],
      ['-1 day', 'voting_closed'],
      ['1 minute', 200],
    ] as const) {
      await until(interval)
      for (const [way, show] of Object.entries(LINK_WAYS))
        expect(await vote(show(await shown(link))), way).toBe(expected)
      expect(await votingOpen()).toBe(expected === 200)
      for (const show of Object.values(LINK_WAYS)) expect(await vote(show(other))).toBe(200)
      expect(await vote(NO_LINK, owner.headers)).toBe(200)
    }
    await send('PATCH', '/voting', { open: false })
    expect([await vote(LINK_WAYS.header(await shown(link))), await votingOpen()]).toEqual(['voting_closed', false])
  },
)

test('with the ids alone until the moment of the main link', async () => {
  const { main, vote } = await votingFolder()
  await system.pool.query('UPDATE links SET voting_until = now() WHERE id = $1', [main.id])
  expect(await vote()).toBe('voting_closed')
})

test('with several links of a folder in one cookie the one that votes counts', async () => {
  const { vote, shown, add, unlock } = await votingFolder()
  const [view, browse, voting, locked] = [
    await add({ kind: 'view' }),
    await add({ kind: 'browse' }),
    await add({ kind: 'vote' }),
    await add({ kind: 'vote', password: 'lake-1234' }),
  ]
  const cookieWith = async (...links: { id: number; code: string }[]): Promise<ShownLink> => ({
    given: {},
    headers: { cookie: openedCookie(await Promise.all(links.map(shown))) },
  })
  expect(await vote(await cookieWith(view))).toBe('view_only')
  expect(await vote(await cookieWith(view, browse))).toBe('view_only')
  expect(await vote(await cookieWith(locked))).toBe('password_required')
  expect(await vote(await cookieWith(view, voting, browse))).toBe(200)
  expect(await vote(await cookieWith(locked, voting))).toBe(200)
  expect(await vote(await cookieWith(voting, locked))).toBe(200)
  expect(await vote(await cookieWith(view, locked))).toBe('view_only')
  const unlocked = await unlock(locked.code, 'lake-1234')
  expect(await vote(withCookie(await cookieWith(view, locked), unlocked))).toBe(200)
})

test('with two voting links in one cookie the one whose moment has not passed counts', async () => {
  const { vote, shown, add } = await votingFolder()
  const ended = [await add({ votingUntil: PAST }), await add({ votingUntil: PAST })]
  const going = [await add({ votingUntil: FUTURE }), await add({})]
  for (const open of going) {
    for (const closed of ended) {
      for (const links of [
        [open, closed],
        [closed, open],
      ]) {
        const cookie = openedCookie(await Promise.all(links.map(shown)))
        expect(await vote({ given: {}, headers: { cookie } })).toBe(200)
      }
    }
  }
})

test.each<'given' | 'headers'>(['given', 'headers'])('a code in %s decides before the cookie', async (place) => {
  const { vote, shown, add, unlock } = await votingFolder()
  const links = {
    vote: await add({ kind: 'vote' }),
    view: await add({ kind: 'view' }),
    locked: await add({ kind: 'vote', password: 'lake-1234' }),
    closed: await add({ kind: 'vote', votingUntil: PAST }),
  }
  const cookies = Object.fromEntries(
    await Promise.all(Object.entries(links).map(async ([name, link]) => [name, openedCookie([await shown(link)])])),
  )
  const both = (code: keyof typeof links, cookie: keyof typeof links): ShownLink => {
    const shareCode = links[code].code
    const shownByCode =
      place === 'given' ? { given: { shareCode }, headers: {} } : LINK_WAYS.header({ shareCode } as FolderLink)
    return withCookie(shownByCode, cookies[cookie])
  }
  expect(await vote(both('vote', 'view'))).toBe(200)
  expect(await vote(both('vote', 'locked'))).toBe(200)
  expect(await vote(both('vote', 'closed'))).toBe(200)
  expect(await vote(both('view', 'vote'))).toBe('view_only')
  expect(await vote(both('locked', 'vote'))).toBe('password_required')
  expect(await vote(both('closed', 'vote'))).toBe('voting_closed')
  const unlocked = await unlock(links.locked.code, 'lake-1234')
  expect(await vote(withCookie(both('locked', 'view'), unlocked))).toBe(200)
})

test('the code of another folder, or of no link, leaves the decision to the cookie', async () => {
  const { vote, shown, add } = await votingFolder()
  const elsewhere = await votingFolder()
  const cookie = openedCookie([await shown(await add({}))])
  for (const shareCode of [elsewhere.main.code, 'unknown']) {
    expect(await vote(withCookie({ given: { shareCode }, headers: {} }, cookie))).toBe(200)
    expect(await vote({ given: { shareCode }, headers: {} })).toBe('not_found')
  }
})

test('the owner votes whatever the links are, and whatever of them is shown', async () => {
  const { vote, shown, add, main, send, owner } = await votingFolder()
  await send('PATCH', `/links/${main.id}`, { password: 'lake-1234', votingUntil: FUTURE })
  for (const fields of [{ kind: 'view' }, { password: 'lake-1234' }, { expiresAt: PAST }]) {
    const link = await shown(await add(fields))
    for (const show of Object.values(LINK_WAYS)) expect(await vote(show(link), owner.headers)).toBe(200)
  }
  await send('PATCH', '/toggle-public')
  expect(await vote(NO_LINK, owner.headers)).toBe(200)
})
