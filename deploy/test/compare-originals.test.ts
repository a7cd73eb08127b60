import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Acknowledged, compareOriginals } from '../checks/load/compare-originals.ts'

// A system that lost one photo, damaged another and serves a third to its owner only.
const kept = Buffer.from('the bytes that were sent')
const system = createServer((request, response) => {
  if (request.method === 'POST') return response.setHeader('set-cookie', 'session=owner').writeHead(201).end('{}')
  if (request.headers.cookie !== 'session=owner') return response.writeHead(404).end()
  if (request.url === '/kept') return response.end(kept)
  if (request.url === '/damaged') return response.end(Buffer.concat([kept, Buffer.from('!')]))
  return response.writeHead(404).end()
})
const sha256 = createHash('sha256').update(kept).digest('hex')
const photo = (id: number, url: string): Acknowledged => ({ id, url, sha256, user: 0 })
let accounts = { baseUrl: '', account: 'load', password: 'a password' }

beforeAll(async () => {
  await new Promise<void>((resolve) => system.listen(0, '127.0.0.1', resolve))
  accounts = { ...accounts, baseUrl: `http://127.0.0.1:${(system.address() as AddressInfo).port}` }
})
afterAll(() => system.close())

test('reports lost and changed photos by id, and no intact one', async () => {
  const acknowledged = [photo(1, '/kept'), photo(2, '/damaged'), photo(3, '/lost')]
  const { compared, missing } = await compareOriginals(accounts, acknowledged, 10)
  expect(compared).toBe(3)
  expect(missing.toSorted()).toEqual([
    `photo 2: ${accounts.baseUrl}/damaged has other bytes than were sent`,
    `photo 3: ${accounts.baseUrl}/lost returned 404`,
  ])
})

test('compares a bounded sample of many photos', async () => {
  const acknowledged = Array.from({ length: 50 }, (_, id) => photo(id, '/kept'))
  expect(await compareOriginals(accounts, acknowledged, 7)).toEqual({ compared: 7, missing: [] })
})
