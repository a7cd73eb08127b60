import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEcho, startGateway, type TestGateway, type Upstream } from './support.ts'

const PATH = '/api/map/base/0123456789abcdef/0/0/0'
const IMMUTABLE = 'public, max-age=31536000, immutable'

let media: Upstream
let gateway: TestGateway
beforeAll(async () => {
  media = await startEcho((app) => {
    app.get(PATH, (_request, reply) =>
      reply.headers({ 'content-encoding': 'gzip', 'cache-control': IMMUTABLE }).send(gzipSync('a tile')),
    )
  })
  gateway = await startGateway({ upstream: media.url, rateLimits: { requestsPerMinute: 1 } })
})
afterAll(async () => {
  await gateway.close()
  await media.app.close()
})

test('strangers get tiles of the base map as media sends them, within the limit of pictures', async () => {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const response = await gateway.call(PATH)
    expect([response.status, await response.text()]).toEqual([200, 'a tile'])
    expect(response.headers.get('cache-control')).toBe(IMMUTABLE)
    expect(response.headers.get('set-cookie')).toBeNull()
  }
})
