import type { App } from '@skyfolio/kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  call,
  cookieOf,
  countPasswordChecks,
  LINK_WAYS,
  makeFolder,
  makeLink,
  newUser,
  openedCookie,
  openTestSystem,
  putPhoto,
  type TestSystem,
  visitor,
} from './support.ts'

// Entering the password of a link. What a locked link opens is in link-states.test.ts.

const PASSWORD = 'Hafen-Grün-1'
const MAX_WRONG = 10

let system: TestSystem
let app: App
let replica: App
beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
  replica = await system.start()
})
afterAll(() => system.close())

async function lockedLink(fields = {}) {
  const owner = newUser()
  const folder = await makeFolder(app, owner, { isPublic: true })
  const photo = await putPhoto(system, { userId: owner.userId, folderId: folder.id })
  const add = (more = {}) => makeLink(app, owner, folder.id, { password: PASSWORD, ...fields, ...more })
  const { id, code } = await add()
  const change = (body: object) =>
    call(app, 'PATCH', `/api/folders/${folder.id}/links/${id}`, { headers: owner.headers, body })
  const rowOf = (linkId = id) => system.database.link.findUniqueOrThrow({ where: { id: linkId } })
  return { owner, folder, photo, id, code, add, change, rowOf }
}

let lastSite = 0
/** A visitor from a network that no other test uses. */
function newSite(): string {
  lastSite += 1
  return `10.9.${Math.floor(lastSite / 250)}.${(lastSite % 250) + 1}`
}
const from = (address: string) => visitor({ address })

interface Attempt {
  password?: string
  headers?: Record<string, string>
  through?: App
}
const unlock = (code: string, { password = PASSWORD, headers = from(newSite()), through = app }: Attempt = {}) =>
  call(through, 'POST', `/api/share/${code}/unlock`, { headers, body: { password } })
const open = (code: string, cookie?: string, through = app) =>
  call(through, 'GET', `/api/share/${code}`, { headers: { ...visitor(), ...(cookie && { cookie }) } })

test('the right password sets a cookie that opens the link on every replica, and a wrong one none', async () => {
  const { code } = await lockedLink()
  const wrong = await unlock(code, { password: `${PASSWORD}!` })
  expect([wrong.status, wrong.body.code, wrong.headers['set-cookie']]).toEqual([403, 'wrong_password', undefined])
  const right = await unlock(code)
  expect([right.status, right.body]).toEqual([204, ''])
  const month = 30 * 24 * 3600
  expect(right.headers['set-cookie']).toMatch(
    new RegExp(`^unlocked=[0-9a-z.~]+~[\\w-]+; Path=/; Max-Age=${month}; HttpOnly; SameSite=Lax$`),
  )
  for (const through of [app, replica])
    expect((await open(code, cookieOf(right, 'unlocked'), through)).status).toBe(200)
  expect((await open(code)).status).toBe(403)
})

test('many who enter the right password in one network at the same time all get in', async () => {
  const { code } = await lockedLink()
  const headers = from(newSite())
  const answers = await Promise.all(Array.from({ length: 3 * MAX_WRONG }, () => unlock(code, { headers })))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]))
})

test('over HTTPS the cookie is for HTTPS only', async () => {
  const secure = await system.start({ secureCookies: true })
  const { code } = await lockedLink()
  expect((await unlock(code, { through: secure })).headers['set-cookie']).toMatch(/; Path=\/; .*; Secure$/)
})

test('a password is the same in both forms in which keyboards send it, and differs in case and spaces', async () => {
  const { code } = await lockedLink()
  const statuses = [PASSWORD.normalize('NFD'), PASSWORD.toLowerCase(), ` ${PASSWORD}`, ''].map(
    async (password) => (await unlock(code, { password })).status,
  )
  expect(await Promise.all(statuses)).toEqual([204, 403, 403, 403])
})

test.each<[what: string, codeOf: (link: Awaited<ReturnType<typeof lockedLink>>) => Promise<string>]>([
  ['unknown', async () => 'unknown'],
  ['malformed', async () => '%22%00'],
  [
    'expired',
    async ({ change, code }) => {
      await change({ expiresAt: '2020-01-01T00:00:00Z' })
      return code
    },
  ],
  [
    'withdrawn',
    async ({ owner, folder, id, code }) => {
      await call(app, 'DELETE', `/api/folders/${folder.id}/links/${id}`, { headers: owner.headers })
      return code
    },
  ],
  [
    'of a private folder',
    async ({ owner, folder, code }) => {
      await call(app, 'PATCH', `/api/folders/${folder.id}/toggle-public`, { headers: owner.headers })
      return code
    },
  ],
])('a link that is %s takes no password', async (_what, codeOf) => {
  const before = await countPasswordChecks()
  const { status, headers } = await unlock(await codeOf(await lockedLink()))
  expect([status, headers['set-cookie'], (await countPasswordChecks()) - before]).toEqual([404, undefined, 0])
})

test('a link without a password is open with any, and sets no cookie', async () => {
  const { code } = await lockedLink({ password: null })
  const { status, headers } = await unlock(code)
  expect([status, headers['set-cookie']]).toEqual([204, undefined])
})

test('a right and a wrong password cost one check each', async () => {
  const { code } = await lockedLink()
  for (const password of [PASSWORD.normalize('NFKC'), 'wrong-password', '']) {
    const before = await countPasswordChecks()
    await unlock(code, { password })
    expect((await countPasswordChecks()) - before).toBe(1)
  }
})

test('ten wrong passwords a minute for each link and network, and the limit hides which is right', async () => {
  const { code, id, add } = await lockedLink()
  const other = await add()
  const address = newSite()
  const wrong = () => unlock(code, { password: 'wrong-password', headers: from(address) })
  for (let attempt = 0; attempt < MAX_WRONG; attempt += 1) expect((await wrong()).status).toBe(403)
  for (const password of ['wrong-password', PASSWORD]) {
    const { status, body, headers } = await unlock(code, { password, headers: from(address), through: replica })
    expect([status, body.code, headers['set-cookie']]).toEqual([429, 'too_many_requests', undefined])
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60)
  }
  expect((await unlock(code)).status, 'another network').toBe(204)
  expect((await unlock(other.code, { headers: from(address) })).status, 'another link').toBe(204)

  // Attempts while it is limited do not extend it.
  await system.pool.query("UPDATE unlock_attempts SET since = now() - interval '60 seconds' WHERE link_id = $1", [id])
  expect((await wrong()).status).toBe(403)
  expect((await unlock(code, { headers: from(address) })).status).toBe(204)
})

test('the addresses of an IPv6 site share the limit', async () => {
  const { code } = await lockedLink()
  const statuses: number[] = []
  for (let attempt = 1; attempt <= MAX_WRONG + 1; attempt += 1) {
    const headers = from(`2001:db8:77:${attempt}::1`)
    statuses.push((await unlock(code, { password: 'wrong-password', headers })).status)
  }
  expect(statuses).toEqual([...Array(MAX_WRONG).fill(403), 429])
  expect((await unlock(code, { headers: from('2001:db8:78::1') })).status).toBe(204)
})

test('of 30 wrong passwords that arrive together at two replicas at most ten are checked', async () => {
  const { code } = await lockedLink()
  const headers = from(newSite())
  const before = await countPasswordChecks()
  const attempts = Array.from({ length: 30 }, (_, n) =>
    unlock(code, { password: `wrong-${n}`, headers, through: n % 2 ? app : replica }),
  )
  const statuses = (await Promise.all(attempts)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 403)).toHaveLength(MAX_WRONG)
  expect(statuses.filter((status) => status === 429)).toHaveLength(30 - MAX_WRONG)
  expect((await countPasswordChecks()) - before).toBe(MAX_WRONG)
})

test('right passwords count nothing, so that all at one network may enter them', async () => {
  const { code } = await lockedLink()
  const headers = from(newSite())
  for (let attempt = 0; attempt < MAX_WRONG + 3; attempt += 1)
    expect((await unlock(code, { headers })).status).toBe(204)
  for (let attempt = 0; attempt < MAX_WRONG; attempt += 1)
    expect((await unlock(code, { password: 'wrong-password', headers })).status).toBe(403)
  expect((await unlock(code, { headers })).status).toBe(429)
})

test('the cookie of another link, of a former password, or of another making opens nothing', async () => {
  const { code, id, folder, change, add, rowOf } = await lockedLink()
  const other = await add()
  const cookie = cookieOf(await unlock(code), 'unlocked') as string
  const othersCookie = cookieOf(await unlock(other.code), 'unlocked')
  expect([(await open(code, othersCookie)).status, (await open(other.code, cookie)).status]).toEqual([403, 403])

  const { passwordRevision, revision } = await rowOf()
  const [, value] = cookie.split('=') as [string, string]
  const text = `${id.toString(36)}.${(passwordRevision as number).toString(36)}`
  expect(value.startsWith(`${text}~`)).toBe(true)
  const signature = value.slice(text.length + 1)
  const opened = openedCookie([{ folderId: id, shareCode: code, linkRevision: passwordRevision as number }])
  const forged = [
    ...[text, `${text}~`, `${text}~${signature.slice(0, -1)}`, `${text}~${signature}x`, `${text}~${text}~${signature}`],
    ...[`${id.toString(36)}.${revision + 9}~${signature}`, opened.slice('links='.length)],
  ]
  for (const value of forged) expect((await open(code, `unlocked=${value}`)).status, value).toBe(403)
  const asLinks = { cookie: cookie.replace('unlocked=', 'links=') }
  const ranks = await call(app, 'GET', `/api/folders/${folder.id}/rankings?fingerprint=a-fingerprint`, {
    headers: { ...visitor(), ...asLinks },
  })
  expect(ranks.status).toBe(404)
  const foreign = await system.start({ linkKeys: ['a-key-that-this-installation-does-not-have-000'] })
  const theirs = cookieOf(await unlock(code, { through: foreign }), 'unlocked')
  expect((await open(code, theirs)).status).toBe(403)

  expect((await open(code, cookie)).status).toBe(200)
  await change({ showPlaces: false, name: 'Club' })
  expect((await open(code, cookie)).status, 'another change').toBe(200)
  await change({ password: PASSWORD })
  expect((await open(code, cookie)).status, 'the same password again').toBe(403)
  await change({ password: null })
  expect((await open(code)).status).toBe(200)
  await change({ password: PASSWORD })
  expect((await open(code, cookie)).status, 'a password after none').toBe(403)
})

test('one cookie opens several links, and keeps the others when one gets another password', async () => {
  const first = await lockedLink()
  const second = await first.add()
  const elsewhere = await lockedLink()
  let cookie = ''
  for (const { code } of [first, second, elsewhere])
    cookie = cookieOf(await unlock(code, { headers: { ...from(newSite()), cookie } }), 'unlocked') as string
  const statuses = async () =>
    Promise.all([first, second, elsewhere].map(async ({ code }) => (await open(code, cookie)).status))
  expect(await statuses()).toEqual([200, 200, 200])
  await first.change({ password: 'another-1' })
  expect(await statuses()).toEqual([403, 200, 200])
})

test('the cookie of an unlocked link proves nothing where the link itself is not shown', async () => {
  const { folder, photo, code, rowOf } = await lockedLink()
  const cookie = cookieOf(await unlock(code), 'unlocked') as string
  const vote = (more: string) =>
    call(app, 'POST', `/api/photos/${photo}/rank`, {
      headers: { ...visitor(), cookie: more },
      body: { fingerprint: 'a-fingerprint', rank: 'first', folderId: folder.id },
    })
  expect((await vote(cookie)).status).toBe(404)
  const { revision } = await rowOf()
  const shown = LINK_WAYS.cookie({ folderId: folder.id, shareCode: code, linkRevision: revision }).headers.cookie
  expect([(await vote(`${shown}`)).status, (await vote(`${shown}; ${cookie}`)).status]).toEqual([403, 200])
})

test('attempts have no address, and are forgotten after an hour', async () => {
  const { code, id } = await lockedLink()
  const address = newSite()
  await unlock(code, { password: 'wrong-password', headers: from(address) })
  const read = async () => (await system.pool.query('SELECT * FROM unlock_attempts WHERE link_id = $1', [id])).rows
  const [row] = await read()
  expect(Object.keys(row).sort()).toEqual(['count', 'link_id', 'since', 'site'])
  expect(JSON.stringify(row)).not.toContain(address)
  await system.pool.query("UPDATE unlock_attempts SET since = now() - interval '61 minutes' WHERE link_id = $1", [id])
  await unlock((await lockedLink()).code)
  expect(await read()).toEqual([])
})
