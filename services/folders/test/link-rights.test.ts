import { randomBytes } from 'node:crypto'
import type { App } from '@skyfolio/kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deletePhoto } from '../src/events.ts'
import {
  asUser,
  call,
  type FolderLink,
  LINK_WAYS,
  makeFolder,
  NO_LINK,
  newUser,
  newVoter,
  openTestSystem,
  putPhoto,
  type ShownLink,
  type TestSystem,
  visitor,
} from './support.ts'

/*
 * What a link opens: every route that visitors reach, for strangers without a link, with the current and with a former
 * one, in every state of a photo. Strangers are visitors, other users and administrators alike. The link of the folder
 * was renewed, unless the title says otherwise. Who may do what in which state of the folder is in access-rights.test.ts.
 */

const states = [
  'visible',
  'private',
  'moved to a folder under its first link',
  'moved to a folder under a renewed link',
  'deleted',
] as const
type State = (typeof states)[number]
/** A status; for lists, whether they have the photo; for rankings, its rank. */
type Outcome = number | 'shown' | 'not shown' | 'first' | 'none'

const links = ['no link', 'the current link', 'the former link'] as const
type Link = (typeof links)[number]

interface Fixture {
  id: number
  photo: number
  /** Who ranked the photo first. */
  fingerprint: string
  links: Record<Link, FolderLink>
  ownerHeaders: Record<string, string>
}

type CallResult = Awaited<ReturnType<typeof call>>
interface Proof extends ShownLink {
  /** For routes that have it in their path. */
  code: string
}

interface Row {
  route: string
  /** Whether the route has the share code in its path; others take it in several ways. */
  byCode?: true
  request(fixture: Fixture, proof: Proof): Promise<CallResult>
  outcome?(body: CallResult['body'], fixture: Fixture): Outcome
  /** With the current link; with another one or none it is 404 in every state. */
  expected: Record<State, Outcome>
}

let system: TestSystem
let app: App
beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
})
afterAll(() => system.close())

const always = (outcome: Outcome) => Object.fromEntries(states.map((state) => [state, outcome])) as Row['expected']
const whileVisible = (outcome: Outcome, otherwise: Outcome) => ({ ...always(otherwise), visible: outcome })
const lists = (photos: { id: number }[], { photo }: Fixture) =>
  photos.some(({ id }) => id === photo) ? 'shown' : 'not shown'

const byCode = (route: string, path: (fixture: Fixture) => string, row: Pick<Row, 'expected' | 'outcome'>): Row => ({
  route,
  byCode: true,
  request: (fixture, { code, headers }) => call(app, 'GET', path(fixture).replace(':code', code), { headers }),
  ...row,
})

const table: Row[] = [
  byCode('GET /api/share/:code', () => '/api/share/:code', {
    outcome: ({ photos }, fixture) => lists(photos, fixture),
    expected: whileVisible('shown', 'not shown'),
  }),
  byCode('GET /api/share/:code/photos/:id', ({ photo }) => `/api/share/:code/photos/${photo}`, {
    expected: whileVisible(200, 404),
  }),
  byCode('GET /api/folders/share/:code', () => '/api/folders/share/:code', { expected: always(200) }),
  byCode('GET /api/folders/share/:code/photos', () => '/api/folders/share/:code/photos', {
    outcome: lists,
    expected: whileVisible('shown', 'not shown'),
  }),
  byCode('GET /share-cards/:code', () => '/share-cards/:code', {
    outcome: ({ pictures }) => (pictures.length > 0 ? 'shown' : 'not shown'),
    expected: whileVisible('shown', 'not shown'),
  }),
  {
    route: 'POST /api/photos/:id/rank',
    request: ({ id, photo }, { given, headers }) => {
      const body = { fingerprint: randomBytes(16).toString('hex'), rank: 'second', folderId: id, ...given }
      return call(app, 'POST', `/api/photos/${photo}/rank`, { headers, body })
    },
    expected: { ...whileVisible(200, 404), 'moved to a folder under its first link': 409 },
  },
  {
    route: 'GET /api/folders/:id/rankings?fingerprint=',
    request: ({ id, fingerprint }, { given, headers }) =>
      call(app, 'GET', `/api/folders/${id}/rankings?${new URLSearchParams({ fingerprint, ...given })}`, { headers }),
    outcome: ({ userRankings }, { photo }) => (userRankings.first === photo ? 'first' : 'none'),
    expected: whileVisible('first', 'none'),
  },
]

async function makeFixture(state: State): Promise<Fixture> {
  const owner = newUser()
  const { userId, headers } = owner
  const { id, shareCode } = await makeFolder(app, owner, { isPublic: true })
  const elsewhere = await makeFolder(app, owner, { isPublic: true })
  const photo = await putPhoto(system, { userId, folderId: id })
  const voter = newVoter(app)
  await voter.rank(id, photo, 'first')
  const renew = async (folder: number) =>
    (await call(app, 'POST', `/api/folders/${folder}/share-code`, { headers })).body
  const renewed = await renew(id)
  if (state === 'private') {
    await putPhoto(system, { id: photo, userId, folderId: id, ownIsPublic: false, ownVisibilityRevision: 99 }, 2)
  } else if (state === 'deleted') {
    await system.database.$transaction((tx) => deletePhoto(tx, { photoId: photo, userId, revision: 2 }))
  } else if (state !== 'visible') {
    await putPhoto(system, { id: photo, userId, folderId: elsewhere.id }, 2)
    if (state === 'moved to a folder under a renewed link') await renew(elsewhere.id)
  }
  return {
    id,
    photo,
    fingerprint: voter.fingerprint,
    ownerHeaders: headers,
    links: {
      'no link': { folderId: id, shareCode: 'unknown', linkRevision: 0 },
      'the current link': { folderId: id, shareCode: renewed.shareCode, linkRevision: 2 },
      'the former link': { folderId: id, shareCode, linkRevision: 1 },
    },
  }
}

const strangers: Record<string, () => Record<string, string>> = {
  visitor,
  'other user': () => newUser().headers,
  administrator: () => asUser(newUser().userId, { isAdmin: true }),
}

/** The ways to show a link to a route. */
function proofsOf({ byCode }: Row, fixture: Fixture, link: Link): (Proof & { way: string })[] {
  const shown = fixture.links[link]
  const code = shown.shareCode
  if (byCode) return [{ way: 'path', code, ...NO_LINK }]
  const ways = Object.entries(LINK_WAYS).map(([way, show]) => ({ way, code, ...show(shown) }))
  const { headers } = LINK_WAYS.cookie(shown)
  const beside = { way: 'cookie beside another code', code, given: { shareCode: 'x' }, headers }
  return link === 'no link' ? [...ways, beside, { way: 'nothing', code, ...NO_LINK }] : [...ways, beside]
}

describe.each(table.map((row) => ({ row, title: row.route })))('$title', ({ row }) => {
  test.each(states)('a photo that is %s', async (state) => {
    const fixture = await makeFixture(state)
    for (const [stranger, headers] of Object.entries(strangers)) {
      for (const link of links) {
        for (const { way, ...proof } of proofsOf(row, fixture, link)) {
          const given = { ...proof, headers: { ...headers(), ...proof.headers } }
          const { status, body } = await row.request(fixture, given)
          const outcome = status === 200 && row.outcome ? row.outcome(body, fixture) : status
          const expected = link === 'the current link' ? row.expected[state] : 404
          expect(outcome, `${stranger} with ${link} by ${way}`).toBe(expected)
          if (expected === 404 && link !== 'the current link')
            expect(body.message).toMatch(/^(Folder|Photo) not found$/)
        }
      }
    }
  })
})

const byIds = table.filter((row) => !row.byCode)

test.each(byIds)('the owner needs no link: $route', async (row) => {
  const fixture = await makeFixture('visible')
  const { status } = await row.request(fixture, { code: '', ...NO_LINK, headers: fixture.ownerHeaders })
  expect(status).toBe(200)
})

test.each(byIds)('a renewed folder is as one that does not exist without the link: $route', async (row) => {
  const fixture = await makeFixture('visible')
  const proof = { code: '', ...NO_LINK, headers: visitor() }
  const [renewed, missing] = [await row.request(fixture, proof), await row.request({ ...fixture, id: 2 ** 30 }, proof)]
  expect([renewed.status, renewed.body]).toEqual([missing.status, missing.body])
})

test.each(byIds)('before the first renewal the ids are enough, whatever else is sent: $route', async (row) => {
  const owner = newUser()
  const { id } = await makeFolder(app, owner, { isPublic: true })
  const photo = await putPhoto(system, { userId: owner.userId, folderId: id })
  const link = { folderId: id, shareCode: 'x"{},\\ NULL', linkRevision: 7 }
  const fixture = { id, photo, fingerprint: 'a-fingerprint', ownerHeaders: {}, links: {} as Fixture['links'] }
  const given = [NO_LINK, ...Object.values(LINK_WAYS).map((show) => show(link))]
  for (const { headers, ...proof } of given) {
    const { status } = await row.request(fixture, { code: '', ...proof, headers: { ...visitor(), ...headers } })
    expect(status).toBe(200)
  }
})

test.each(byIds)('a share code that is no text of that form proves nothing: $route', async (row) => {
  const fixture = await makeFixture('visible')
  for (const shareCode of ['', 'null', 'NULL', '"', '\\', '{}', 'x","y', 'x'.repeat(65), '\u0000', '%']) {
    const { status } = await row.request(fixture, { code: '', given: { shareCode }, headers: visitor() })
    expect(status, shareCode).toBe(404)
  }
})
