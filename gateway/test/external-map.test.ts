import { afterAll, beforeAll, expect, test } from 'vitest'
import { readExternalMap } from '../src/external-map.ts'
import { startGateway, type TestGateway } from './support.ts'

const url = 'https://tiles.example/{z}/{x}/{y}.png?key=1'
const attribution = '© Example'
const read = (mapTileUrl?: string, mapTileAttribution?: string) => readExternalMap({ mapTileUrl, mapTileAttribution })

test('is none without settings, and what the settings say', () => {
  expect(read()).toBeNull()
  expect(read(url, attribution)).toEqual({ url, attribution })
})

test.each([
  ['http://tiles.example/{z}/{x}/{y}.png', 'https://'],
  ['tiles.example/{z}/{x}/{y}.png', 'https://'],
  ['https://{s}.tiles.example/{z}/{x}/{y}.png', 'one server'],
  ["https://tiles.example;script-src 'x'/{z}/{x}/{y}.png", 'https://'],
  ['https://tiles.example;a/{z}/{x}/{y}.png', 'one server'],
  ['https://user:password@tiles.example/{z}/{x}/{y}.png', 'password'],
  ['https://tiles.example/{z}/{x}.png', '{z}, {x} and {y}'],
  ['https://tiles.example/{z}/{x}/{y}{r}.png', 'no other placeholder'],
  ['https://tiles.example/{z}/{x}/{x}.png', 'once each'],
])('%s stops the start', (wrong, message) => {
  expect(() => read(wrong, attribution)).toThrow(message)
})

test('an address needs an attribution, and an attribution an address', () => {
  expect(() => read(url)).toThrow('MAP_TILE_ATTRIBUTION is required')
  expect(() => read(undefined, attribution)).toThrow('MAP_TILE_URL is required')
})

let gateway: TestGateway
let plain: TestGateway
beforeAll(async () => {
  gateway = await startGateway({ upstream: 'http://127.0.0.1:1', externalMap: { url, attribution } })
  plain = await startGateway({ upstream: 'http://127.0.0.1:1' })
})
afterAll(async () => {
  await gateway.close()
  await plain.close()
})

test('pages may load pictures from its origin, and nothing else', async () => {
  const policy = async (of: TestGateway) => (await of.call('/')).headers.get('content-security-policy') ?? ''
  expect(await policy(gateway)).toContain("; img-src 'self' data: blob: https://tiles.example; ")
  expect((await policy(gateway)).replace(' https://tiles.example', '')).toBe(await policy(plain))
})

test('/api/config names it', async () => {
  const external = async (of: TestGateway) => (await (await of.call('/api/config')).json()).map.external
  expect([await external(gateway), await external(plain)]).toEqual([{ url, attribution }, null])
})
