import { afterAll, beforeAll, expect, test } from 'vitest'
import { readMapLayers } from '../src/map-layers.ts'
import { startGateway, type TestGateway } from './support.ts'

const STREETS = { name: 'Streets', url: 'https://tiles.example/{z}/{x}/{y}.png?key=1', attribution: '© Example' }
const SATELLITE = {
  name: 'Satellite',
  url: 'https://pictures.example:8443/{y}/{x}/{z}',
  attribution: 'Pictures',
  maxZoom: 17,
}
const TERRAIN = { ...STREETS, name: 'Terrain', url: 'https://tiles.example/terrain/{z}/{x}/{y}.png' }
const read = (...entries: unknown[]) => readMapLayers(JSON.stringify(entries))

test('are none without the setting, and what the setting says', () => {
  expect([readMapLayers(undefined), read()]).toEqual([[], []])
  expect(read(STREETS, SATELLITE)).toEqual([{ ...STREETS, maxZoom: 19 }, SATELLITE])
})

test.each(['{', '{}', '"https://tiles.example/{z}/{x}/{y}.png"', '[null]', '[[]]'])('%s is no list', (json) => {
  expect(() => readMapLayers(json)).toThrow(/MAP_LAYERS must be (JSON|a list of objects)$/)
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
  [`https://tiles.example/{z}/{x}/{y}.png?${'k'.repeat(500)}`, 'at most 500 characters'],
  ['', 'is required'],
])('%s stops the start, and the message names the entry', (url, message) => {
  const start = () => read(SATELLITE, { ...STREETS, url })
  expect(start).toThrow('MAP_LAYERS entry 2 ("Streets"): url ')
  expect(start).toThrow(message)
})

test.each([
  [{ name: 'Satellite' }, 'name is used twice'],
  [{ name: ' ' }, 'name is required'],
  [{ name: 'x'.repeat(41) }, 'name must be at most 40 characters'],
  [{ attribution: undefined }, 'attribution is required'],
  [{ attribution: 'x'.repeat(201) }, 'attribution must be at most 200 characters'],
  [{ maxZoom: 23 }, 'maxZoom must be a whole number from 1 to 22'],
  [{ maxZoom: '17' }, 'maxZoom must be'],
  [{ zoom: 17 }, 'zoom is unknown'],
])('%j stops the start', (wrong, message) => {
  expect(() => read(SATELLITE, { ...STREETS, ...wrong })).toThrow(message)
})

test('more than ten stop the start', () => {
  const layers = Array.from({ length: 11 }, (_, index) => ({ ...STREETS, name: `Layer ${index}` }))
  expect(() => read(...layers)).toThrow('at most 10')
})

let gateway: TestGateway
let plain: TestGateway
beforeAll(async () => {
  gateway = await startGateway({ upstream: 'http://127.0.0.1:1', mapLayers: read(STREETS, TERRAIN, SATELLITE) })
  plain = await startGateway({ upstream: 'http://127.0.0.1:1' })
})
afterAll(async () => {
  await gateway.close()
  await plain.close()
})

test('pages may load pictures from their origins, each of which is named once, and from nowhere else', async () => {
  const policy = async (of: TestGateway) => (await of.call('/')).headers.get('content-security-policy') ?? ''
  const origins = ' https://tiles.example https://pictures.example:8443'
  expect(await policy(gateway)).toContain(`; img-src 'self' data: blob:${origins}; `)
  expect((await policy(gateway)).replace(origins, '')).toBe(await policy(plain))
})

test('/api/config names them', async () => {
  const layers = async (of: TestGateway) => (await (await of.call('/api/config')).json()).map.layers
  expect([await layers(gateway), await layers(plain)]).toEqual([read(STREETS, TERRAIN, SATELLITE), []])
})
