import type { App } from '@skyfolio/kit'
import { CALLERS, type Caller, type Cells, cells, LATE, outcomeFor, succeeds, testRights } from '@skyfolio/testkit'
import { afterAll, beforeAll } from 'vitest'
import { saveUser } from '../src/projection/users.ts'
import {
  asUser,
  call,
  makeFolder,
  newUser,
  newVoter,
  openTestSystem,
  putPhoto,
  type TestSystem,
  visitor,
} from './support.ts'

/*
 * Who may do what with a folder and its votes: every route of the service, for every kind of caller and state of the
 * folder. An administrator sees and may delete every folder, and otherwise never acts as its owner.
 */

const states = [
  'public',
  'public under a renewed link',
  'public with a closed voting',
  'private',
  'public, of a suspended owner',
  'deleted',
] as const
type State = (typeof states)[number]

interface Fixture {
  id: number
  shareCode: string
  /** The main link. */
  link: number
  invitation: number
  secret: string
  photo: number
  /** A voter who ranked the photo, and the voter's label. */
  fingerprint: string
  voter: string
  owner: { userId: number; headers: Record<string, string> }
}

type Method = Parameters<typeof call>[1]
type CallResult = Awaited<ReturnType<typeof call>>
type Send = (method: Method, path: string, body?: object) => Promise<CallResult>

interface Row {
  /** Method and URL pattern. */
  route: string
  what?: string
  request(fixture: Fixture, send: Send): Promise<CallResult>
  /** For lists: whether the response contains the folder. */
  names?(body: unknown, fixture: Fixture): boolean
  /** A successful request changes the folder or its votes; a rejected one never does. */
  changes?: true
  /** What administrators need a recent password for. */
  password?: 'to succeed'
  expected: Record<State, Cells>
}

let system: TestSystem
let app: App
beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
})
afterAll(() => system.close())

/** The same in every state while the folder exists. */
function always(living: Cells, deleted: Cells): Record<State, Cells> {
  const alike = Object.fromEntries(states.map((state) => [state, living])) as Record<State, Cells>
  return { ...alike, deleted }
}

const owners = always(cells(401, 404, 200, 404), cells(401, 404, 404, 404))
const nobodys = cells(404, 404, 404, 404)
const everybodys = cells(200, 200, 200, 200)
/** Links work alike for everybody, the owner too. */
const links: Record<State, Cells> = {
  public: everybodys,
  'public under a renewed link': everybodys,
  'public with a closed voting': everybodys,
  private: nobodys,
  'public, of a suspended owner': nobodys,
  deleted: nobodys,
}
const whereOpen = (outcomes: Cells) =>
  Object.fromEntries(
    states.map((state) => [state, links[state] === everybodys ? outcomes : nobodys]),
  ) as Row['expected']
/**
 * By ids, without the link, see link-rights.test.ts. For the owner of a suspended folder as in the service: the gateway ends
 * the sessions of a suspended user.
 */
const onlyOwner = cells(404, 404, 200, 404)
const ownersAlone = {
  'public under a renewed link': onlyOwner,
  private: onlyOwner,
  'public, of a suspended owner': onlyOwner,
}

const table: Row[] = [
  {
    route: 'GET /api/folders',
    request: (_fixture, send) => send('GET', '/api/folders'),
    names: (body, { id }) => (body as { id: number }[]).some((folder) => folder.id === id),
    expected: always(cells(401, 'not named', 'named', 'not named'), cells(401, 'not named', 'not named', 'not named')),
  },
  {
    route: 'POST /api/folders',
    request: (_fixture, send) => send('POST', '/api/folders', { name: 'Another' }),
    expected: always(cells(401, 201, 201, 201), cells(401, 201, 201, 201)),
  },
  {
    route: 'GET /api/folders/:id',
    request: ({ id }, send) => send('GET', `/api/folders/${id}`),
    expected: always(cells(401, 404, 200, 200), cells(401, 404, 404, 404)),
  },
  {
    route: 'PUT /api/folders/:id',
    request: ({ id }, send) => send('PUT', `/api/folders/${id}`, { name: 'Taken over' }),
    changes: true,
    expected: owners,
  },
  {
    route: 'PATCH /api/folders/:id/toggle-public',
    request: ({ id }, send) => send('PATCH', `/api/folders/${id}/toggle-public`),
    changes: true,
    expected: owners,
  },
  {
    route: 'DELETE /api/folders/:id',
    request: ({ id }, send) => send('DELETE', `/api/folders/${id}`),
    changes: true,
    password: 'to succeed',
    expected: always(cells(401, 404, 204, 204), cells(401, 404, 404, 404)),
  },
  {
    route: 'POST /api/folders/:id/share-code',
    request: ({ id }, send) => send('POST', `/api/folders/${id}/share-code`),
    changes: true,
    expected: owners,
  },
  {
    route: 'GET /api/folders/:id/links',
    request: ({ id }, send) => send('GET', `/api/folders/${id}/links`),
    expected: owners,
  },
  {
    route: 'POST /api/folders/:id/links',
    request: ({ id }, send) => send('POST', `/api/folders/${id}/links`, { name: 'Club', kind: 'view' }),
    changes: true,
    expected: always(cells(401, 404, 201, 404), cells(401, 404, 404, 404)),
  },
  {
    route: 'PATCH /api/folders/:id/links/:linkId',
    request: ({ id, link }, send) => send('PATCH', `/api/folders/${id}/links/${link}`, { showPlaces: false }),
    changes: true,
    expected: owners,
  },
  {
    route: 'DELETE /api/folders/:id/links/:linkId',
    what: 'the main link, which stays',
    request: ({ id, link }, send) => send('DELETE', `/api/folders/${id}/links/${link}`),
    expected: always(cells(401, 404, 409, 404), cells(401, 404, 404, 404)),
  },
  {
    route: 'GET /api/folders/:id/contest',
    request: ({ id }, send) => send('GET', `/api/folders/${id}/contest`),
    expected: owners,
  },
  {
    route: 'PUT /api/folders/:id/contest',
    request: ({ id }, send) => send('PUT', `/api/folders/${id}/contest`, { show: 'always', resultsPublic: true }),
    changes: true,
    expected: owners,
  },
  {
    route: 'GET /api/folders/:id/invitations',
    request: ({ id }, send) => send('GET', `/api/folders/${id}/invitations`),
    expected: owners,
  },
  {
    route: 'POST /api/folders/:id/invitations',
    request: ({ id }, send) => send('POST', `/api/folders/${id}/invitations`, { names: ['Ben'] }),
    changes: true,
    expected: always(cells(401, 404, 201, 404), cells(401, 404, 404, 404)),
  },
  {
    route: 'DELETE /api/folders/:id/invitations/:invitationId',
    request: ({ id, invitation }, send) => send('DELETE', `/api/folders/${id}/invitations/${invitation}`),
    changes: true,
    expected: always(cells(401, 404, 204, 404), cells(401, 404, 404, 404)),
  },
  {
    route: 'GET /api/folders/:id/ballots.json',
    request: ({ id }, send) => send('GET', `/api/folders/${id}/ballots.json`),
    expected: {
      ...always(cells(401, 404, 409, 404), cells(401, 404, 404, 404)),
      'public with a closed voting': cells(401, 404, 200, 404),
    },
  },
  {
    route: 'GET /api/folders/:id/rankings',
    what: 'the standings',
    request: ({ id }, send) => send('GET', `/api/folders/${id}/rankings`),
    expected: owners,
  },
  {
    route: 'GET /api/folders/:id/rankings',
    what: "a voter's own",
    request: ({ id, fingerprint }, send) => send('GET', `/api/folders/${id}/rankings?fingerprint=${fingerprint}`),
    expected: { ...links, ...ownersAlone },
  },
  {
    route: 'GET /api/folders/:id/rankings.csv',
    request: ({ id }, send) => send('GET', `/api/folders/${id}/rankings.csv`),
    expected: owners,
  },
  {
    route: 'GET /api/folders/:id/voters',
    request: ({ id }, send) => send('GET', `/api/folders/${id}/voters`),
    expected: owners,
  },
  {
    route: 'PATCH /api/folders/:id/voters',
    request: ({ id }, send) => send('PATCH', `/api/folders/${id}/voters`, { excluded: true, flagged: true }),
    changes: true,
    expected: owners,
  },
  {
    route: 'PATCH /api/folders/:id/voters/:voter',
    request: ({ id, voter }, send) => send('PATCH', `/api/folders/${id}/voters/${voter}`, { excluded: true }),
    changes: true,
    expected: owners,
  },
  {
    route: 'DELETE /api/folders/:id/votes',
    request: ({ id }, send) => send('DELETE', `/api/folders/${id}/votes`),
    changes: true,
    expected: always(cells(401, 404, 204, 404), cells(401, 404, 404, 404)),
  },
  {
    route: 'PATCH /api/folders/:id/voting',
    what: 'the other way round',
    request: async ({ id }, send) => {
      const { rows } = await system.pool.query('SELECT voting_open FROM folders WHERE id = $1', [id])
      return send('PATCH', `/api/folders/${id}/voting`, { open: rows[0]?.voting_open === false })
    },
    changes: true,
    expected: owners,
  },
  {
    route: 'GET /api/folders/:id/voting-log',
    request: ({ id }, send) => send('GET', `/api/folders/${id}/voting-log`),
    expected: owners,
  },
  {
    route: 'POST /api/photos/:id/rank',
    request: ({ id, photo }, send) =>
      send('POST', `/api/photos/${photo}/rank`, { fingerprint: 'another-fingerprint', rank: 'first', folderId: id }),
    changes: true,
    expected: {
      ...links,
      ...ownersAlone,
      'public with a closed voting': cells(409, 409, 409, 409),
    },
  },
  {
    route: 'POST /api/photos/:id/rank',
    what: "removing a photo from a voter's ballot with the fingerprint, which alone identifies the voter",
    request: ({ id, photo, fingerprint }, send) =>
      send('POST', `/api/photos/${photo}/rank`, { fingerprint, rank: '', folderId: id }),
    changes: true,
    expected: {
      ...links,
      ...ownersAlone,
      'public with a closed voting': cells(409, 409, 409, 409),
    },
  },
  {
    // Only the gateway can sign a request batch.
    route: 'POST /internal/batches/v1/POST/api/photos/:id/rank',
    request: (_fixture, send) => send('POST', '/internal/batches/v1/POST/api/photos/:id/rank', []),
    expected: always(cells(401, 401, 401, 401), cells(401, 401, 401, 401)),
  },
  {
    route: 'POST /internal/batches/v1/GET/api/share/:shareCode',
    request: (_fixture, send) => send('POST', '/internal/batches/v1/GET/api/share/:shareCode', []),
    expected: always(cells(401, 401, 401, 401), cells(401, 401, 401, 401)),
  },
  {
    route: 'GET /api/share/:shareCode',
    request: ({ shareCode }, send) => send('GET', `/api/share/${shareCode}`),
    expected: links,
  },
  {
    route: 'GET /api/share/:shareCode/photos/:id',
    request: ({ shareCode, photo }, send) => send('GET', `/api/share/${shareCode}/photos/${photo}`),
    expected: links,
  },
  {
    route: 'GET /api/share/:shareCode/cameras',
    request: ({ shareCode }, send) => send('GET', `/api/share/${shareCode}/cameras`),
    expected: links,
  },
  {
    route: 'GET /api/folders/share/:shareCode',
    request: ({ shareCode }, send) => send('GET', `/api/folders/share/${shareCode}`),
    expected: links,
  },
  {
    route: 'GET /api/folders/share/:shareCode/photos',
    request: ({ shareCode }, send) => send('GET', `/api/folders/share/${shareCode}/photos`),
    expected: links,
  },
  ...(['standings', 'results', 'results.csv'] as const).map(
    (name): Row => ({
      route: `GET /api/share/:shareCode/${name}`,
      what: 'which the owner does not show',
      request: ({ shareCode }, send) => send('GET', `/api/share/${shareCode}/${name}`),
      expected: whereOpen(cells(403, 403, 403, 403)),
    }),
  ),
  {
    route: 'POST /api/share/:shareCode/invitation',
    request: ({ shareCode, secret }, send) => send('POST', `/api/share/${shareCode}/invitation`, { secret }),
    expected: whereOpen(cells(204, 204, 204, 204)),
  },
  {
    route: 'POST /api/share/:shareCode/unlock',
    what: 'of a link without a password',
    request: ({ shareCode }, send) => send('POST', `/api/share/${shareCode}/unlock`, { password: 'anything' }),
    expected: whereOpen(cells(204, 204, 204, 204)),
  },
  {
    route: 'GET /share-cards/:shareCode',
    request: ({ shareCode }, send) => send('GET', `/share-cards/${shareCode}`),
    expected: links,
  },
]

/** A folder in this state with a photo and a vote for it. */
async function makeFixture(state: State): Promise<Fixture> {
  const owner = newUser()
  const { id, shareCode: firstCode } = await makeFolder(app, owner, { isPublic: true })
  const photo = await putPhoto(system, { userId: owner.userId, folderId: id })
  // Without the token of a page: the ballot has a flag.
  const { fingerprint, rank } = newVoter(app, undefined, null)
  await rank(id, photo, 'second')
  const change = (method: Method, rest: string, body?: object) =>
    call(app, method, `/api/folders/${id}${rest}`, { headers: owner.headers, ...(body && { body }) })
  const { body: voters } = await change('GET', '/voters')
  const [{ id: link }] = (await change('GET', '/links')).body
  const [invitation] = (await change('POST', '/invitations', { names: ['Anna'] })).body
  const secret = invitation.url.split('=')[1]
  const renewed = state === 'public under a renewed link' && (await change('POST', '/share-code')).body
  if (state === 'private') await change('PATCH', '/toggle-public', { isPublic: false })
  if (state === 'public with a closed voting') await change('PATCH', '/voting', { open: false })
  if (state === 'public, of a suspended owner') {
    const user = { id: owner.userId, suspended: true, displayName: null, revision: 2 }
    await system.database.$transaction((tx) => saveUser(tx, user))
  }
  if (state === 'deleted') await change('DELETE', '')
  const shareCode = renewed ? renewed.shareCode : firstCode
  return { id, shareCode, link, invitation: invitation.id, secret, photo, fingerprint, voter: voters[0].voter, owner }
}

/** Everything the service stores about a folder and its votes. */
async function recordOf({ id }: Fixture): Promise<unknown> {
  const { rows } = await system.pool.query(
    `SELECT (SELECT to_jsonb(folders) FROM folders WHERE id = $1) AS folder,
            (SELECT jsonb_agg(links ORDER BY id) FROM links WHERE folder_id = $1) AS links,
            (SELECT jsonb_agg(invitations ORDER BY id) FROM invitations WHERE folder_id = $1) AS invitations,
            (SELECT jsonb_agg(ballots ORDER BY voter) FROM ballots WHERE folder_id = $1) AS ballots,
            (SELECT jsonb_agg(voting_log ORDER BY id) FROM voting_log WHERE folder_id = $1) AS log`,
    [id],
  )
  return rows
}

function sender(fixture: Fixture, caller: Caller): Send {
  const headers = {
    anonymous: visitor,
    other: () => newUser().headers,
    owner: () => fixture.owner.headers,
    admin: () => asUser(newUser().userId, { isAdmin: true }),
    [LATE]: () => asUser(newUser().userId, { isAdmin: true, confirmedAt: Date.now() - 16 * 60_000 }),
  }[caller]()
  return (method, path, body) => call(app, method, path, { headers, ...(body && { body }) })
}

const expected = (row: Row, state: State, caller: Caller) => outcomeFor(row.password, row.expected[state], caller)

testRights({
  table,
  callers: CALLERS,
  statesOf: () => states,
  expected,
  changes: (row, state, caller) => row.changes === true && succeeds(expected(row, state, caller)),
  makeFixture,
  recordOf,
  prepare: async (row, fixture, caller) => async () => {
    const { status, body } = await row.request(fixture, sender(fixture, caller))
    if (!row.names || status !== 200) return status
    return row.names(body, fixture) ? 'named' : 'not named'
  },
  app: () => app,
})
