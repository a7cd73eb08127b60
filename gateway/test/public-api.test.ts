import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGateway, type TestGateway } from './support.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway({ upstream: 'http://127.0.0.1:1' })
})
afterAll(() => gateway.close())

const PATH = '/api/openapi.json'

test('anybody reads the document of all public routes, also while every service is unavailable', async () => {
  const response = await gateway.call(PATH)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(await response.json()).toMatchObject({
    openapi: '3.1.0',
    paths: { '/api/photos': { get: {} }, '/api/openapi.json': { get: { security: [] } } },
  })
})

test('a client that has the document gets 304 when it asks again', async () => {
  const { headers } = await gateway.call(PATH)
  expect(headers.get('cache-control')).toBe('no-cache')
  const again = await gateway.call(PATH, { headers: { 'if-none-match': headers.get('etag') ?? '' } })
  expect(again.status).toBe(304)
  expect(await again.text()).toBe('')
})

test('the document is compressed for those who accept that, under an entity tag of its own', async () => {
  const read = (encoding: string) => gateway.call(PATH, { headers: { 'accept-encoding': encoding } })
  const [plain, compressed] = [await read('identity'), await read('gzip')]
  expect(plain.headers.get('content-encoding')).toBeNull()
  expect(compressed.headers.get('content-encoding')).toBe('gzip')
  expect(compressed.headers.get('vary')).toBe('accept-encoding')
  expect(compressed.headers.get('etag')).not.toBe(plain.headers.get('etag'))
  expect(await compressed.text()).toBe(await plain.text())
  expect(Number(compressed.headers.get('content-length'))).toBeLessThan(30_000)
})
