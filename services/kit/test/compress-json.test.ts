import { gunzipSync } from 'node:zlib'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, buildServer, compressJson, createLogger } from '../src/index.ts'

const long = Array.from({ length: 500 }, (_, index) => ({ title: `Photo ${index}, Zürich` }))
const access = { config: { access: 'public' } } as const
const schema = { response: { 200: Type.Array(Type.Object({ title: Type.String() })) } }
let app: App

beforeAll(async () => {
  app = await buildServer({ name: 'test', logger: createLogger('test', 'silent') })
  app.get('/long', { ...access, schema, onSend: compressJson }, async () => long)
  app.get('/short', { ...access, schema, onSend: compressJson }, async () => long.slice(0, 1))
})
afterAll(() => app.close())

const get = (url: string, encoding: string) => app.inject({ url, headers: { 'accept-encoding': encoding } })

test('a long JSON response is compressed for a client that accepts it', async () => {
  const response = await get('/long', 'gzip, br')
  expect(response.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(Number(response.headers['content-length'])).toBe(response.rawPayload.length)
  expect(JSON.parse(gunzipSync(response.rawPayload).toString())).toEqual(long)
  expect(response.rawPayload.length * 4).toBeLessThan(JSON.stringify(long).length)
})

test('a client that does not accept it gets the text, and caches are told so', async () => {
  const response = await get('/long', 'identity')
  expect(response.headers['content-encoding']).toBeUndefined()
  expect(response.headers.vary).toBe('accept-encoding')
  expect(response.json()).toEqual(long)
})

test('a short response is sent as it is', async () => {
  const response = await get('/short', 'gzip')
  expect(response.headers['content-encoding']).toBeUndefined()
  expect(response.json()).toEqual(long.slice(0, 1))
})
