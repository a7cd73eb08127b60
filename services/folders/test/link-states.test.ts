import { randomBytes } from 'node:crypto'
import type { App } from '@skyfolio/kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { saveUser } from '../src/projection/users.ts'
import {
  asUser,
  call,
  cookieOf,
  type FolderLink,
  LINK_WAYS,
  makeFolder,
  makeLink,
  NO_LINK,
  newUser,
  openTestSystem,
  putPhoto,
  type ShownLink,
  type TestSystem,
  visitor,
  withCookie,
} from './support.ts'

/*
 * What each kind of link opens in each of its states, at once: every route that visitors reach, on both replicas, while
 * another link of the folder goes on. What visitors see of which photo is in link-rights.test.ts.
 */

const links = ['main', 'vote', 'view', 'browse'] as const
const states = [
  'open',
  'expired',
  'withdrawn',
  'locked',
  'unlocked',
  'unlocked with a former password',
  'of a private folder',
  'of a suspended owner',
] as const
type State = (typeof states)[number]

const NAME = 'Hidden harbor'

let system: TestSystem
let replicas: App[]
beforeAll(async () => {
  system = await openTestSystem()
  replicas = [await system.start(), await system.start()]
})
afterAll(() => system.close())

interface Fixture {
  id: number
  photo: number
  /** What the browser has that opened the link before. */
  link: FolderLink
  unlocked: string | undefined
  /** Revisions that the link had before. */
  former: number[]
  other: { code: string }
}

async function makeFixture(kind: (typeof links)[number], state: State): Promise<Fixture> {
  const [app] = replicas as [App]
  const owner = newUser()
  const folder = await makeFolder(app, owner, { name: NAME, isPublic: true })
  const photo = await putPhoto(system, {
    userId: owner.userId,
    folderId: folder.id,
    latitude: '46.7',
    longitude: '-92',
  })
  const other = await makeLink(app, owner, folder.id)
  const send = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', rest: string, body?: object) =>
    (await call(app, method, `/api/folders/${folder.id}${rest}`, { headers: owner.headers, ...(body && { body }) }))
      .body
  const { id, code } =
    kind === 'main' ? (await send('GET', '/links'))[0] : await makeLink(app, owner, folder.id, { kind })
  const revision = async () => (await system.database.link.findUniqueOrThrow({ where: { id } })).revision
  const change = (body: object) => send('PATCH', `/links/${id}`, body)
  const unlock = async (password: string) =>
    cookieOf(await call(app, 'POST', `/api/share/${code}/unlock`, { body: { password } }), 'unlocked')

  const first = await revision()
  const former = [first]
  let unlocked: string | undefined
  for (const replica of replicas) expect((await call(replica, 'GET', `/api/share/${code}`)).status).toBe(200)
  if (state === 'expired') await change({ expiresAt: new Date(Date.now() - 1).toISOString() })
  if (state === 'withdrawn') await (kind === 'main' ? send('POST', '/share-code') : send('DELETE', `/links/${id}`))
  if (/locked/.test(state)) await change({ password: 'harbor-1' })
  if (/unlocked/.test(state)) unlocked = await unlock('harbor-1')
  if (/former/.test(state)) {
    former.push(await revision())
    await change({ password: 'harbor-2' })
  }
  if (/private/.test(state)) await send('PATCH', '/toggle-public')
  if (/suspended/.test(state)) {
    const user = { id: owner.userId, suspended: true, displayName: null, revision: 2 }
    await system.database.$transaction((tx) => saveUser(tx, user))
  }
  const linkRevision = state === 'withdrawn' ? first : await revision()
  return { id: folder.id, photo, link: { folderId: folder.id, shareCode: code, linkRevision }, unlocked, former, other }
}

/** What visitors with the link get of it: 200, or the status and code of an error. */
function outcomeIn(state: State): number | [number, string] {
  if (state === 'open' || state === 'unlocked') return 200
  return /locked/.test(state) ? [403, 'password_required'] : [404, 'not_found']
}

const byCode = [
  ['GET /api/share/:code', '/api/share/:code'],
  ['GET /api/share/:code with a fingerprint', '/api/share/:code?fingerprint=a-fingerprint'],
  ['GET /api/share/:code/photos/:id', '/api/share/:code/photos/:id'],
  ['GET /api/share/:code/cameras', '/api/share/:code/cameras'],
  ['GET /api/folders/share/:code', '/api/folders/share/:code'],
  ['GET /api/folders/share/:code/photos', '/api/folders/share/:code/photos'],
  ['GET /share-cards/:code', '/share-cards/:code'],
] as const
const pathOf = (path: string, code: string, photo: number) => path.replace(':code', code).replace(':id', `${photo}`)

const byIds: Record<string, (app: App, fixture: Fixture, proof: ShownLink) => ReturnType<typeof call>> = {
  'POST /api/photos/:id/rank': (app, { id, photo }, { given, headers }) => {
    const body = { fingerprint: randomBytes(16).toString('hex'), rank: 'first', folderId: id, ...given }
    return call(app, 'POST', `/api/photos/${photo}/rank`, { headers: { ...visitor(), ...headers }, body })
  },
  'GET /api/folders/:id/rankings?fingerprint=': (app, { id }, { given, headers }) => {
    const query = new URLSearchParams({ fingerprint: 'a-fingerprint', ...given })
    return call(app, 'GET', `/api/folders/${id}/rankings?${query}`, { headers: { ...visitor(), ...headers } })
  },
}

const seen = ({ status, body }: Awaited<ReturnType<typeof call>>) => (status < 400 ? status : [status, body.code])

describe.each(links)('a link of the kind %s', (kind) => {
  test.each(states)('that is %s, by its code', async (state) => {
    const { photo, link, unlocked, other } = await makeFixture(kind, state)
    const expected = outcomeIn(state)
    const otherOutcome = /private|suspended/.test(state) ? [404, 'not_found'] : 200
    const strangers = [visitor(), newUser().headers, asUser(newUser().userId, { isAdmin: true })]
    for (const [route, path] of byCode) {
      const url = pathOf(path, link.shareCode, photo)
      for (const app of replicas) {
        for (const who of strangers) {
          const headers = { ...who, ...(unlocked && { cookie: unlocked }) }
          const answer = await call(app, 'GET', url, { headers })
          expect(seen(answer), route).toEqual(expected)
          const again = await call(app, 'GET', url, { headers: { ...headers, 'if-none-match': '*' } })
          if (expected === 200) {
            expect([200, 304], route).toContain(again.status)
            continue
          }
          expect(again.body, route).toEqual(answer.body)
          expect(Object.keys(answer.body).sort(), route).toEqual(['code', 'message'])
          expect(JSON.stringify(answer), route).not.toMatch(
            new RegExp(`${NAME}|46\\.7|etag|set-cookie|voter-token`, 'i'),
          )
        }
        expect(seen(await call(app, 'GET', pathOf(path, other.code, photo))), `${route}, other`).toEqual(otherOutcome)
      }
    }
  })

  test.each(states)('that is %s, on routes that name the folder by its id', async (state) => {
    const fixture = await makeFixture(kind, state)
    const { link, unlocked, former, other } = fixture
    for (const [route, request] of Object.entries(byIds)) {
      const isVote = route.startsWith('POST')
      const opened = outcomeIn(state)
      const expected = opened === 200 && isVote && /view|browse/.test(kind) ? [403, 'view_only'] : opened
      for (const app of replicas) {
        for (const [way, show] of Object.entries(LINK_WAYS)) {
          const answer = await request(app, fixture, withCookie(show(link), unlocked))
          expect(seen(answer), `${route} by ${way}`).toEqual(expected)
        }
        for (const linkRevision of former.filter((revision) => revision !== link.linkRevision)) {
          const proof = withCookie(LINK_WAYS.cookie({ ...link, linkRevision }), unlocked)
          expect(seen(await request(app, fixture, proof)), `${route} by a former cookie`).toEqual([404, 'not_found'])
        }
        const alone = await request(app, fixture, withCookie(NO_LINK, unlocked))
        expect(seen(alone), `${route} by ids alone`).toEqual([404, 'not_found'])
        const others = await request(app, fixture, LINK_WAYS.header({ ...link, shareCode: other.code }))
        expect(seen(others), `${route}, other`).toEqual(/private|suspended/.test(state) ? [404, 'not_found'] : 200)
      }
    }
  })
})

test('a link expires by the clock of the database, without a change', async () => {
  const { link, id, photo } = await makeFixture('vote', 'open')
  const setExpiry = (interval: string) =>
    system.pool.query('UPDATE links SET expires_at = now() + $2::interval WHERE code = $1', [link.shareCode, interval])
  const fixture = { id, photo } as Fixture
  for (const [interval, expected] of [
    ['1 minute', 200],
    ['-1 millisecond', 404],
    ['1 minute', 200],
  ] as const) {
    await setExpiry(interval)
    for (const app of replicas) {
      for (const [route, path] of byCode)
        expect((await call(app, 'GET', pathOf(path, link.shareCode, photo))).status, route).toBe(expected)
      for (const [route, request] of Object.entries(byIds))
        for (const show of Object.values(LINK_WAYS))
          expect((await request(app, fixture, show(link))).status, route).toBe(expected)
    }
  }
})
