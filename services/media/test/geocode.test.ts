import { type App, buildServer, createLogger } from '@skyfolio/kit'
import { identityHeaders, TEST_IDENTITY_KEYS } from '@skyfolio/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { geocodeRoutes } from '../src/routes/geocode.ts'
import { startTestMedia, type TestMedia, user, visitor } from './support.ts'

const NOT_FOUND = 'Unable to find location. Please check your entry and try again.'

let media: TestMedia
beforeAll(async () => {
  media = await startTestMedia()
})
afterAll(() => media.close())

async function geocode(body: unknown, who = user(1)) {
  const init = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const response = await media.call('/api/geocode', who, init)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

describe('POST /api/geocode', () => {
  test('returns position and address of a ZIP code', async () => {
    expect(await geocode({ query: '55802' })).toEqual({
      status: 200,
      body: {
        latitude: '46.7685',
        longitude: '-92.0865',
        display_name: 'Duluth, Saint Louis County, Minnesota, 55802, United States',
        address: { city: 'Duluth', county: 'Saint Louis County', state: 'Minnesota' },
      },
    })
  })

  test('finds a city of a state, and a state', async () => {
    expect((await geocode({ query: 'kansas city, ks' })).body).toMatchObject({
      display_name: 'Kansas City, Wyandotte County, Kansas, United States',
    })
    expect((await geocode({ query: 'Texas', reverse: false })).body).toMatchObject({
      display_name: 'Texas, United States',
      address: { city: null, county: null, state: 'Texas' },
    })
  })

  test('returns the address of coordinates', async () => {
    expect(await geocode({ query: '46.8426, -91.9946', reverse: true })).toEqual({
      status: 200,
      body: {
        latitude: '46.8426',
        longitude: '-91.9946',
        display_name: 'Duluth, Saint Louis County, Minnesota, United States',
        address: { city: 'Duluth', county: 'Saint Louis County', state: 'Minnesota' },
      },
    })
    expect((await geocode({ query: '42.319,-83.04', reverse: true })).body.address).toEqual({
      city: 'Windsor',
      county: null,
      state: 'Ontario',
    })
  })

  test('finds its own results again', async () => {
    const { body } = await geocode({ query: 'Portland, ME' })
    expect((await geocode({ query: body.display_name })).body).toEqual(body)
    const back = await geocode({ query: `${body.latitude},${body.longitude}`, reverse: true })
    expect(back.body.address).toEqual(body.address)
  })

  test.each([
    ['an unknown place', { query: 'Xyzzy' }],
    ['an unknown ZIP code', { query: '00000' }],
    ['the open sea', { query: '30,-40', reverse: true }],
    ['invalid coordinates', { query: 'Duluth', reverse: true }],
    ['coordinates off the globe', { query: '91,10', reverse: true }],
    ['a name with a NUL', { query: 'Dul\0uth, \0' }],
  ])('responds 404 for %s', async (_what, body) => {
    expect(await geocode(body)).toEqual({
      status: 404,
      body: { code: 'not_found', message: NOT_FOUND, error: NOT_FOUND },
    })
  })

  test.each([
    ['without a query', {}, 'Please enter a ZIP code, city, or state to find stores.'],
    ['with an empty one', { query: '  ' }, 'Please enter a ZIP code, city, or state to find stores.'],
    ['with one that is too long', { query: 'x'.repeat(201) }, 'Please enter up to 200 characters.'],
  ])('rejects a request %s', async (_how, body, message) => {
    const rejected = await geocode(body)
    expect(rejected).toMatchObject({ status: 400, body: { message, error: message, fields: { query: message } } })
  })

  test('responds to visitors with the error in both fields', async () => {
    const rejected = await geocode({ query: '55802' }, visitor)
    expect(rejected.status).toBe(401)
    expect(rejected.body.error).toBe(rejected.body.message)
  })
})

test('a user has two searches at a time, twenty wait and further ones are rejected; others are not held up', async () => {
  const { app, send, finish } = await startHeldSearches()
  const rejected = Promise.withResolvers<void>()
  const own = Array.from({ length: 23 }, async () => {
    const status = await send(1)
    if (status === 429) rejected.resolve()
    return status
  })
  await rejected.promise
  const others = send(2)
  finish()
  expect(await others).toBe(200)
  expect((await Promise.all(own)).sort()).toEqual([...new Array(22).fill(200), 429])
  await app.close()
})

/** The route alone: no place that it finds is sent before `finish`. */
async function startHeldSearches() {
  const { promise, resolve: finish } = Promise.withResolvers<void>()
  const app: App = await buildServer({
    name: 'test',
    logger: createLogger('test', 'silent'),
    identityKeys: TEST_IDENTITY_KEYS,
    errorFieldPaths: ['/api/geocode'],
  })
  app.addHook('onSend', async (_request, { statusCode }) => {
    if (statusCode === 200) await promise
  })
  const place = { latitude: 0, longitude: 0, city: null, county: null, state: null, country: null, zip: null }
  geocodeRoutes(app, { places: { find: () => place, lookup: () => null } })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const send = async (userId: number) => {
    const headers = { ...identityHeaders(user(userId)), 'content-type': 'application/json' }
    return (await fetch(`${origin}/api/geocode`, { method: 'POST', body: '{"query":"x"}', headers })).status
  }
  return { app, send, finish }
}
