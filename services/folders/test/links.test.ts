import { type App, createLogger } from '@skyfolio/kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asUser, call, makeFolder, makeLink, newUser, openTestSystem, putPhoto, type TestSystem } from './support.ts'

/* What owners do with the links of their folders. What the links open is in link-states.test.ts. */

const NOW = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
const MAX_LINKS = 50

let system: TestSystem
let app: App
let replica: App
beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
  replica = await system.start()
})
afterAll(() => system.close())

async function ownFolder(fields = { isPublic: true }) {
  const owner = newUser()
  const folder = await makeFolder(app, owner, fields)
  const path = `/api/folders/${folder.id}/links`
  const send = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', rest = '', body?: object, through = app) =>
    call(through, method, `${path}${rest}`, { headers: owner.headers, ...(body && { body }) })
  const main = (await send('GET')).body[0]
  return { owner, folder, path, send, main, makeLink: (fields = {}) => makeLink(app, owner, folder.id, fields) }
}

async function rowOf(id: number) {
  return system.database.link.findUniqueOrThrow({ where: { id } })
}

test('a folder has a main link from the beginning, and a further one the same defaults', async () => {
  const { folder, send } = await ownFolder()
  const made = await send('POST', '', { name: ' Dive\nclub ', kind: 'browse' })
  const defaults = {
    ...{ expiresAt: null, hasPassword: false, showPlaces: true, showCamera: true, showMap: false },
    ...{ downloads: 'original', votingUntil: null, embedOrigins: [], openedToday: 0, opened: 0, createdAt: NOW },
  }
  const code = expect.stringMatching(/^[\w-]{22}$/)
  expect([made.status, made.body]).toEqual([
    201,
    { ...defaults, id: expect.any(Number), code, name: 'Dive club', kind: 'browse', main: false },
  ])
  const main = { ...defaults, id: expect.any(Number), name: 'Main link', kind: 'vote', main: true }
  expect((await send('GET')).body).toEqual([{ ...main, code: folder.shareCode }, made.body])
})

test('every field is stored as given, and answered in UTC', async () => {
  const { send } = await ownFolder()
  const fields = { name: 'Ü'.repeat(120), kind: 'view', showPlaces: false, showCamera: false, showMap: true }
  const times = { expiresAt: '2036-05-01T12:00:00+02:00', votingUntil: '2036-04-30T00:00:00Z' }
  const made = await send('POST', '', { ...fields, ...times, downloads: 'web', password: 'lake-1234' })
  const stored = { ...fields, downloads: 'web', hasPassword: true }
  const shown = { expiresAt: '2036-05-01T10:00:00.000Z', votingUntil: '2036-04-30T00:00:00.000Z' }
  expect(made.body).toMatchObject({ ...stored, ...shown })
  expect((await send('GET')).body[1]).toEqual(made.body)
})

test('the main link comes first and then the oldest, also when the main one was changed last', async () => {
  const { send, main, makeLink } = await ownFolder()
  const ids = [main.id, (await makeLink()).id, (await makeLink()).id, (await makeLink()).id]
  await send('PATCH', `/${ids[2]}`, { showMap: true })
  await send('PATCH', `/${main.id}`, { showMap: true })
  expect((await send('GET')).body.map(({ id }: { id: number }) => id)).toEqual(ids)
})

test.each<[what: string, fields: object, field: string]>([
  ['no name', { name: undefined }, 'name'],
  ['a blank name', { name: ' \t\n' }, 'name'],
  ['a name of 121 characters', { name: '🏝'.repeat(121) }, 'name'],
  ['a name that is null', { name: null }, 'name'],
  ['a name with U+0000', { name: 'a\u0000b' }, 'name'],
  ['no kind', { kind: undefined }, 'kind'],
  ['an unknown kind', { kind: 'edit' }, 'kind'],
  ['a short password', { password: '12345' }, 'password'],
  ['an empty password', { password: '' }, 'password'],
  ['a password of 201 characters', { password: 'x'.repeat(201) }, 'password'],
  ['an expiry that is no time', { expiresAt: 'tomorrow' }, 'expiresAt'],
  ['an expiry that does not exist', { expiresAt: '2036-02-31T00:00:00Z' }, 'expiresAt'],
  ['an expiry in a leap second', { expiresAt: '2036-12-31T23:59:60Z' }, 'expiresAt'],
  ['an expiry before our era', { expiresAt: '0000-01-01T00:00:00Z' }, 'expiresAt'],
  ['an expiry after the year 9999', { expiresAt: '9999-12-31T23:59:59-12:00' }, 'expiresAt'],
  ['an end of voting without a time', { votingUntil: '2036-02-01' }, 'votingUntil'],
  ['unknown downloads', { downloads: 'raw' }, 'downloads'],
  ['downloads that are null', { downloads: null }, 'downloads'],
  ['a switch that is text', { showPlaces: 'maybe' }, 'showPlaces'],
  ['eleven websites', { embedOrigins: Array.from({ length: 11 }, (_, n) => `https://a${n}.example`) }, 'embedOrigins'],
  ['websites that are null', { embedOrigins: null }, 'embedOrigins'],
])('%s is 400 and names the field, also in a change', async (_what, fields, field) => {
  const { send, main } = await ownFolder()
  const [value] = Object.values(fields)
  const attempts = [send('POST', '', { name: 'Club', kind: 'view', ...fields })]
  if (value !== undefined) attempts.push(send('PATCH', `/${main.id}`, fields))
  for (const { status, body } of await Promise.all(attempts)) {
    expect([status, body.code, Object.keys(body.fields ?? {})]).toEqual([400, 'invalid_fields', [field]])
  }
  expect((await send('GET')).body).toEqual([main])
})

test('websites that may embed a link are stored as origins, each once', async () => {
  const { send } = await ownFolder()
  const given = [
    'https://Club.example:443',
    'https://club.example/',
    'https://bücher.example:8443',
    'https://127.0.0.1',
  ]
  const embedOrigins = ['https://club.example', 'https://xn--bcher-kva.example:8443', 'https://127.0.0.1']
  const made = await send('POST', '', { name: 'Club', kind: 'vote', embedOrigins: given })
  expect([made.status, made.body.embedOrigins]).toEqual([201, embedOrigins])
  expect((await send('PATCH', `/${made.body.id}`, { embedOrigins: [] })).body.embedOrigins).toEqual([])
})

test.each([
  '',
  'club.example',
  'http://club.example',
  'https://club.example/page',
  'https://club.example/?',
  'https://club.example#',
  'https://ann@club.example',
  'https://*.club.example',
  'https://*',
  '*',
  "'self'",
  'null',
  'data:text/html,x',
  "https://club.example;script-src'*'",
  "https://club.example; script-src 'unsafe-inline'",
  'https://club.example https://other.example',
  'https://club.example,https://other.example',
  'https://club.example:*',
  'https://[::1]',
  'https://club_example',
  'https://..',
  `https://${'a.'.repeat(150)}example`,
])('no website of a link is %j', async (origin) => {
  const { send, main } = await ownFolder()
  const embedOrigins = ['https://club.example', origin]
  const { status, body } = await send('PATCH', `/${main.id}`, { embedOrigins })
  expect([status, body.fields]).toEqual([400, { embedOrigins: expect.stringMatching(/^Enter each website as https:/) }])
  expect((await rowOf(main.id)).embedOrigins).toEqual([])
})

test('other websites leave visitors what they have of the link, and are on its card at once', async () => {
  const { send, main, folder } = await ownFolder()
  const { revision } = await rowOf(main.id)
  const page = async (through: App) => (await call(through, 'GET', `/api/share/${main.code}`)).headers.etag
  const origins = async (through: App) => (await call(through, 'GET', `/share-cards/${main.code}`)).body.embedOrigins
  const before = await page(replica)
  expect(await origins(replica)).toEqual([])
  await send('PATCH', `/${main.id}`, { embedOrigins: ['https://club.example'], name: 'Club' })
  expect([await origins(app), await origins(replica)]).toEqual([['https://club.example'], ['https://club.example']])
  expect([(await rowOf(main.id)).revision, await page(replica)]).toEqual([revision, before])
  const row = await system.database.folder.findUniqueOrThrow({ where: { id: folder.id } })
  expect([row.lastLinkRevision, row.idsSuffice]).toEqual([1, true])
})

test('a request sets nothing of a link but its fields', async () => {
  const { send, main, makeLink } = await ownFolder()
  const theirs = await ownFolder()
  const { code, id } = await makeLink({ password: 'lake-1234' })
  const before = await rowOf(id)
  const more = {
    ...{ id: 2 ** 30, folderId: theirs.folder.id, code: 'a-code-to-guess', main: true, revision: 99, renewed: true },
    ...{ passwordHash: 'hash', passwordRevision: 99, createdAt: '2020-01-01T00:00:00Z', unknown: 1 },
  }
  const changed = await send('PATCH', `/${id}`, { ...more, showMap: true })
  expect([changed.status, changed.body]).toMatchObject([200, { id, code, showMap: true, main: false }])
  expect(await rowOf(id)).toEqual({ ...before, showMap: true, revision: 3 })
  const { status, body } = await send('POST', '', { name: 'Club', kind: 'vote', ...more })
  expect([status, body.main, body.hasPassword, body.code === more.code]).toEqual([201, false, false, false])
  expect(await rowOf(body.id)).toMatchObject({ revision: 4, renewed: false, passwordRevision: null })
  expect([(await send('GET')).body.length, (await theirs.send('GET')).body.length]).toEqual([3, 1])
  expect((await send('GET')).body[0]).toEqual(main)
})

test('a folder has up to 50 links, also when the last ones are created at the same time by two replicas', async () => {
  const { folder, send, makeLink } = await ownFolder()
  const link = await makeLink()
  await system.pool.query(
    `INSERT INTO links (folder_id, code, name, kind, revision)
     SELECT $1::integer, 'code-' || $1::integer || '-' || n, 'Link', 'view', n FROM generate_series(3, $2::integer) AS n`,
    [folder.id, MAX_LINKS - 3],
  )
  await system.pool.query('UPDATE folders SET last_link_revision = $2 WHERE id = $1', [folder.id, MAX_LINKS])
  const body = { name: 'One more', kind: 'view' }
  const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => send('POST', '', body, n % 2 ? app : replica)))
  const made = answers.filter(({ status }) => status === 201)
  const refused = answers.filter(({ status }) => status !== 201)
  expect(made).toHaveLength(5 - 2)
  for (const { status, body } of refused) expect([status, body.code]).toEqual([409, 'too_many_links'])
  expect((await send('GET')).body).toHaveLength(MAX_LINKS)
  await send('DELETE', `/${link.id}`)
  expect((await send('POST', '', body)).status).toBe(201)
})

test('the main link stays, keeps its kind, and is withdrawn by a new code', async () => {
  const { send, main, folder, owner } = await ownFolder()
  const removed = await send('DELETE', `/${main.id}`)
  expect([removed.status, removed.body.code]).toEqual([409, 'main_link'])
  const turned = await send('PATCH', `/${main.id}`, { kind: 'view', name: 'Turned' })
  expect([turned.status, Object.keys(turned.body.fields)]).toEqual([400, ['kind']])
  expect((await send('PATCH', `/${main.id}`, { kind: 'vote', name: 'Club' })).body).toEqual({ ...main, name: 'Club' })
  const renewed = await call(app, 'POST', `/api/folders/${folder.id}/share-code`, { headers: owner.headers })
  const [renewedLink] = (await send('GET')).body
  expect(renewedLink).toEqual({ ...main, name: 'Club', code: renewed.body.shareCode })
  expect(renewed.body.shareCode).not.toBe(main.code)
})

test("the folder's share code and map are those of its main link", async () => {
  const { send, main, folder, owner } = await ownFolder()
  const read = async () => (await call(app, 'GET', `/api/folders/${folder.id}`, { headers: owner.headers })).body
  expect(await read()).toMatchObject({ shareCode: main.code, showMap: false })
  await send('PATCH', `/${main.id}`, { showMap: true })
  expect(await read()).toMatchObject({ shareCode: main.code, showMap: true })
  const body = { showMap: false }
  await call(app, 'PUT', `/api/folders/${folder.id}`, { headers: owner.headers, body })
  expect((await send('GET')).body).toEqual([main])
  expect(await rowOf(main.id)).toMatchObject({ revision: 3 })
})

test('no answer and no log has a password or its hash', async () => {
  const log: string[] = []
  const logger = createLogger('folders', 'trace', { write: (line) => void log.push(line) })
  const through = await system.start({ logger })
  const { send } = await ownFolder()
  const password = 'glacier-4711'
  const made = await send('POST', '', { name: 'Club', kind: 'vote', password }, through)
  const changed = await send('PATCH', `/${made.body.id}`, { password: `${password}-2` }, through)
  const short = await send('PATCH', `/${made.body.id}`, { password: password.slice(0, 5) }, through)
  const unlock = (password: unknown) =>
    call(through, 'POST', `/api/share/${made.body.code}/unlock`, { body: { password } })
  const [wrong, bad] = [await unlock(`${password}-3`), await unlock([password, password])]
  const right = await unlock(`${password}-2`)
  const answers = [made, changed, short, wrong, bad, right]
  expect(answers.map(({ status }) => status)).toEqual([201, 200, 400, 403, 400, 204])
  expect(log.length).toBeGreaterThan(0)
  for (const text of [JSON.stringify([answers, await send('GET', '', undefined, through)]), log.join('')]) {
    expect(text).not.toContain(password.slice(0, 5))
    expect(text).not.toMatch(/argon2|password_?hash/i)
  }
})

test('a change keeps what it does not name, and a password until it is null', async () => {
  const { send, makeLink } = await ownFolder()
  const given = { kind: 'view', expiresAt: '2036-05-01T12:00:00Z', password: 'lake-1234', showPlaces: false }
  const { id, ...made } = await makeLink({ ...given, downloads: 'none', votingUntil: '2036-04-01T12:00:00Z' })
  const change = async (fields: object) => (await send('PATCH', `/${id}`, fields)).body
  expect(await change({})).toEqual({ id, ...made })
  expect(await change({ showCamera: false })).toEqual({ id, ...made, showCamera: false })
  const { passwordHash } = await rowOf(id)
  expect(passwordHash).toMatch(/^\$argon2id\$/)
  expect(await change({ expiresAt: null, votingUntil: null, kind: 'browse' })).toEqual({
    ...{ id, ...made, showCamera: false, kind: 'browse' },
    ...{ expiresAt: null, votingUntil: null },
  })
  expect((await rowOf(id)).passwordHash).toBe(passwordHash)
  expect(await change({ password: null })).toMatchObject({ hasPassword: false })
  expect(await rowOf(id)).toMatchObject({ passwordHash: null, passwordRevision: null })
})

test.each<[what: string, fields: object, draws: number]>([
  ['the name', { name: 'Another' }, 0],
  ['the websites that embed it', { embedOrigins: ['https://club.example'] }, 0],
  ['nothing', {}, 0],
  ['the same values', { showPlaces: true, downloads: 'original', expiresAt: null, password: null, kind: 'view' }, 0],
  ['the kind', { kind: 'browse' }, 1],
  ['the expiry', { expiresAt: '2036-05-01T12:00:00Z' }, 1],
  ['the password', { password: 'lake-1234' }, 1],
  ['the places', { showPlaces: false }, 1],
  ['the camera data', { showCamera: false }, 1],
  ['the map', { showMap: true }, 1],
  ['the downloads', { downloads: 'web' }, 1],
  ['the end of voting', { votingUntil: '2036-05-01T12:00:00Z' }, 1],
  ['several at once', { name: 'Another', showMap: true, downloads: 'none', password: 'lake-1234' }, 1],
])('the revision after a change of %s', async (_what, fields, draws) => {
  const { send, main, makeLink, folder } = await ownFolder()
  const { id } = await makeLink({ kind: 'view' })
  for (let round = 1; round <= 2; round += 1) {
    expect((await send('PATCH', `/${id}`, fields)).status).toBe(200)
    // A password is new each time that it is set.
    const drawn = 'password' in fields && fields.password ? draws * round : draws
    expect((await rowOf(id)).revision).toBe(2 + drawn)
    expect((await rowOf(main.id)).revision).toBe(1)
    const { lastLinkRevision } = await system.database.folder.findUniqueOrThrow({ where: { id: folder.id } })
    expect(lastLinkRevision).toBe(2 + drawn)
  }
})

test('no two states of the links of a folder have one revision, whatever is changed at the same time', async () => {
  const { send, main, makeLink, folder, owner } = await ownFolder()
  const links = [main.id, (await makeLink()).id, (await makeLink()).id]
  const drawn = new Set<string>()
  const note = async () => {
    const rows = await system.database.link.findMany({ where: { folderId: folder.id } })
    for (const { id, revision } of rows) drawn.add(`${revision} ${id}`)
  }
  for (let round = 0; round < 3; round += 1) {
    const changes = links.map((id, n) => send('PATCH', `/${id}`, { showMap: round % 2 === 0 }, n % 2 ? app : replica))
    const renewal = call(replica, 'POST', `/api/folders/${folder.id}/share-code`, { headers: owner.headers })
    const made = send('POST', '', { name: 'New', kind: 'view' })
    const statuses = (await Promise.all([...changes, renewal, made])).map(({ status }) => status)
    expect(statuses).toEqual([200, 200, 200, 200, 201])
    await send('DELETE', `/${(await made).body.id}`)
    await note()
  }
  const revisions = [...drawn].map((text) => Number.parseInt(text, 10))
  expect(new Set(revisions).size).toBe(revisions.length)
  const { lastLinkRevision } = await system.database.folder.findUniqueOrThrow({ where: { id: folder.id } })
  expect(lastLinkRevision).toBe(3 + 3 * 5)
})

test('a link that was withdrawn leaves its revision to none that is created later', async () => {
  const { send, makeLink } = await ownFolder()
  const { id } = await makeLink()
  await send('DELETE', `/${id}`)
  expect((await rowOf((await makeLink()).id)).revision).toBe(3)
})

test('the links of others are as those of a folder that does not exist, and so are links of another folder', async () => {
  const { folder, path, send, makeLink } = await ownFolder()
  const other = await ownFolder()
  const { id } = await makeLink()
  const missing = `/api/folders/${2 ** 30}/links`
  const strangers = [other.owner.headers, asUser(newUser().userId, { isAdmin: true })]
  for (const headers of strangers) {
    for (const [method, rest, body] of [
      ['GET', '', undefined],
      ['POST', '', { name: 'Club', kind: 'view' }],
      ['PATCH', `/${id}`, { showMap: true }],
      ['DELETE', `/${id}`, undefined],
    ] as const) {
      const ask = (base: string) => call(app, method, `${base}${rest}`, { headers, ...(body && { body }) })
      const [theirs, nobodys] = [await ask(path), await ask(missing)]
      expect([theirs.status, theirs.body], method).toEqual([404, nobodys.body])
    }
  }
  const [mixed, unknown] = [await other.send('PATCH', `/${id}`, { showMap: true }), await send('DELETE', '/2147483647')]
  expect([mixed.status, (await other.send('DELETE', `/${id}`)).status, unknown.status]).toEqual([404, 404, 404])
  expect((await send('GET')).body).toHaveLength(2)
  expect((await call(app, 'GET', path)).status).toBe(401)
  expect(folder.id).not.toBe(other.folder.id)
})

test('with a folder its links, their openings and the attempts at their passwords are deleted', async () => {
  const { folder, owner, makeLink } = await ownFolder()
  const { id } = await makeLink()
  await system.pool.query('INSERT INTO link_openings VALUES ($1, now(), 3)', [id])
  await system.pool.query('INSERT INTO unlock_attempts VALUES ($1, gen_random_uuid(), now(), 3)', [id])
  await call(app, 'DELETE', `/api/folders/${folder.id}`, { headers: owner.headers })
  const left = await Promise.all([
    system.database.link.count({ where: { folderId: folder.id } }),
    system.database.linkOpening.count({ where: { linkId: id } }),
    system.database.unlockAttempt.count({ where: { linkId: id } }),
  ])
  expect(left).toEqual([0, 0, 0])
})

test('a private folder has links, which open it as soon as it is public', async () => {
  const { send, folder, owner, makeLink } = await ownFolder({ isPublic: false })
  await putPhoto(system, { userId: owner.userId, folderId: folder.id })
  const { code } = await makeLink()
  expect((await send('GET')).body).toHaveLength(2)
  expect((await call(app, 'GET', `/api/share/${code}`)).status).toBe(404)
  await call(app, 'PATCH', `/api/folders/${folder.id}/toggle-public`, { headers: owner.headers })
  expect((await call(app, 'GET', `/api/share/${code}`)).status).toBe(200)
})
