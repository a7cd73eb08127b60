import { events } from '@skyfolio/proto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Browser, startAuth, type TestAuth } from './support.ts'

let auth: TestAuth
let browser: Browser
beforeAll(async () => {
  auth = await startAuth()
  browser = await auth.register('pilot', { firstName: 'Amelia', lastName: 'E' })
})
afterAll(() => auth.close())

const put = (body: object) => browser.call('PUT', '/api/user', body)

describe('the profile', () => {
  test('changes the given fields and returns the user', async () => {
    const response = await put({ firstName: '  Bessie ', emailNotifications: false })
    expect(response.statusCode).toBe(200)
    expect(response.json()).toMatchObject({
      username: 'pilot',
      firstName: 'Bessie',
      lastName: 'E',
      emailNotifications: false,
      publicByDefault: true,
    })
    expect((await browser.call('GET', '/api/user')).json()).toEqual(response.json())
  })

  test.each([null, '', '   '])('empties a name or the address by %j', async (empty) => {
    await put({ firstName: 'A', lastName: 'B', displayName: 'A B', email: 'a@example.org' })
    const response = await put({ firstName: empty, lastName: empty, displayName: empty, email: empty })
    const names = { firstName: null, lastName: null, displayName: null }
    expect(response.json()).toMatchObject({ ...names, email: null, emailConfirmed: false })
  })

  test('shows visitors no name but the one that was entered for them, in one line', async () => {
    await put({ firstName: 'Amelia', lastName: 'E' })
    expect((await browser.call('GET', '/api/user')).json().displayName).toBeNull()
    const response = await put({ displayName: ' Amelia\n\u202eEarhart ' })
    expect(response.json()).toMatchObject({ displayName: 'Amelia Earhart', firstName: 'Amelia' })
    expect((await put({ displayName: '🛩️'.repeat(40) })).statusCode).toBe(200)
  })

  test('takes ten new display names an hour, and the same one as often as it is sent', async () => {
    const other = await auth.register('renamed')
    const rename = async (displayName: string) => (await other.call('PUT', '/api/user', { displayName })).statusCode
    for (let count = 0; count < 10; count += 1) expect(await rename(`Name ${count}`)).toBe(200)
    expect([await rename('Name 9'), await rename('One more')]).toEqual([200, 429])
    expect((await other.call('PUT', '/api/user', { firstName: 'Amelia' })).statusCode).toBe(200)
  })

  test('stays as it is with an empty body', async () => {
    const before = (await browser.call('GET', '/api/user')).json()
    expect((await put({})).json()).toEqual(before)
  })

  test.each([
    [{ firstName: 'x'.repeat(101) }, { firstName: 'First name must be at most 100 characters' }],
    [{ lastName: 'a\0b' }, { lastName: 'Last name contains characters that cannot be used' }],
    [{ displayName: 'x'.repeat(81) }, { displayName: 'Display name must be at most 80 characters' }],
    [{ email: 'nobody' }, { email: 'Invalid email address' }],
    [{ publicByDefault: null }, { publicByDefault: 'This value is not valid.' }],
    [{ emailNotifications: 'yes' }, { emailNotifications: 'This value is not valid.' }],
    [{ isAdmin: true }, { isAdmin: 'There is no such field.' }],
    [{ emailConfirmed: true }, { emailConfirmed: 'There is no such field.' }],
  ])('rejects %j', async (body, fields) => {
    const response = await put({ firstName: 'Changed', ...body })
    expect([response.statusCode, response.json().fields]).toEqual([400, fields])
    expect((await browser.call('GET', '/api/user')).json()).toMatchObject({ isAdmin: false })
    expect((await browser.call('GET', '/api/user')).json().firstName).not.toBe('Changed')
  })

  test('concurrent changes of different fields are all kept', async () => {
    await Promise.all([
      put({ firstName: 'First' }),
      put({ lastName: 'Last' }),
      put({ publicByDefault: false }),
      put({ email: 'racer@example.org' }),
      browser.call('PUT', '/api/user/settings', { view: 'list' }),
    ])
    expect((await browser.call('GET', '/api/user')).json()).toMatchObject({
      firstName: 'First',
      lastName: 'Last',
      publicByDefault: false,
      email: 'racer@example.org',
    })
    expect((await browser.call('GET', '/api/user/settings')).json()).toMatchObject({ view: 'list' })
  })
})

const SATELLITE = { mapLayer: 'Satellite', mapHosts: ['tiles.example', 'pictures.example:8443', '[::1]:8443'] }

describe('settings', () => {
  test('start with metric units, newest first, as a grid, with the own map and no agreement to load another', async () => {
    const fresh = await auth.register('fresh')
    const response = await fresh.call('GET', '/api/user/settings')
    const settings = { units: 'metric', sort: 'newest', view: 'grid', mapLayer: null, mapHosts: [] }
    expect([response.statusCode, response.json()]).toEqual([200, settings])
  })

  test('change the given ones and return all, on every device', async () => {
    const user = await auth.register('settled')
    const other = await auth.signIn('settled')
    expect((await user.call('PUT', '/api/user/settings', { units: 'imperial' })).json()).toEqual({
      units: 'imperial',
      sort: 'newest',
      view: 'grid',
      mapLayer: null,
      mapHosts: [],
    })
    await user.call('PUT', '/api/user/settings', { sort: 'taken-oldest', view: 'list', ...SATELLITE })
    expect((await other.call('GET', '/api/user/settings')).json()).toEqual({
      units: 'imperial',
      sort: 'taken-oldest',
      view: 'list',
      ...SATELLITE,
    })
    expect((await user.call('PUT', '/api/user/settings', {})).json()).toMatchObject({ view: 'list', ...SATELLITE })
    const withdrawn = { mapLayer: null, mapHosts: [] }
    expect((await user.call('PUT', '/api/user/settings', withdrawn)).json()).toMatchObject(withdrawn)
  })

  test.each([
    { units: 'nautical' },
    { sort: null },
    { sort: 'title' },
    { view: 1 },
    { theme: 'dark' },
    { mapLayer: '' },
    { mapLayer: 'x'.repeat(41) },
    { mapHosts: null },
    { mapHosts: ['https://tiles.example/'] },
    { mapHosts: ['x'.repeat(261)] },
    { mapHosts: ['tiles.example', 'tiles.example'] },
    { mapHosts: Array.from({ length: 11 }, (_, index) => `${index}.example`) },
  ])('reject %j', async (body) => {
    const response = await browser.call('PUT', '/api/user/settings', body)
    expect([response.statusCode, response.json().code]).toEqual([400, 'invalid_fields'])
  })
})

test('a user who was deleted meanwhile gets 401', async () => {
  const gone = await auth.register('gone')
  await auth.db.user.delete({ where: { id: gone.userId } })
  const responses = await Promise.all([
    gone.call('PUT', '/api/user', { firstName: 'Ghost' }),
    gone.call('GET', '/api/user/settings'),
    gone.call('PUT', '/api/user/settings', { view: 'list' }),
    gone.call('POST', '/api/user/email/confirmation'),
  ])
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([401, 401, 401, 503])
})

test('a user without photos has zeros as statistics', async () => {
  const response = await browser.call('GET', '/api/user/statistics')
  expect([response.statusCode, response.json()]).toEqual([200, { totalPhotos: 0, uniqueLocations: 0, storageUsed: 0 }])
})

test('only the fields that other services need make an event', async () => {
  const user = await auth.register('quiet')
  await user.call('PUT', '/api/user', { firstName: 'Quiet', publicByDefault: true })
  await user.call('PUT', '/api/user/settings', { view: 'list' })
  expect(await auth.db.user.findUniqueOrThrow({ where: { id: user.userId } })).toMatchObject({ revision: 1 })
  await user.call('PUT', '/api/user', { publicByDefault: false })
  expect(await auth.db.user.findUniqueOrThrow({ where: { id: user.userId } })).toMatchObject({ revision: 2 })
  expect(await auth.db.outbox.count({ where: { subject: events.userChanged.subject } })).toBeGreaterThan(1)
})
