import { ACTIVITY_KEY } from '@skyfolio/kit'
import { startRedis, startTcpProxy, type TestServer, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEcho, startGateway, type Upstream } from './support.ts'

let redis: TestServer
let echo: Upstream
beforeAll(async () => {
  redis = await startRedis()
  echo = await startEcho()
})
afterAll(async () => {
  await echo.app.close()
  await redis.stop()
})

type Gateway = Awaited<ReturnType<typeof startGateway>>

const scoreOf = (gateway: Gateway, userId: number) => gateway.redis.zscore(ACTIVITY_KEY, String(userId))
const recorded = (gateway: Gateway, userId: number) =>
  waitFor(() => scoreOf(gateway, userId), { what: `the activity of user ${userId}` })
const photos = (gateway: Gateway, cookie: string) => gateway.call('/api/photos', { headers: { cookie } })

test('a request of a session records its user once a minute; visitors are not recorded', async () => {
  const gateway = await startGateway({ upstream: echo.url, redisUrl: redis.url })
  const started = Math.floor(Date.now() / 1000)
  const { cookie } = await gateway.signIn({ userId: 21 })
  await gateway.call('/api/share/abc')
  await photos(gateway, cookie)
  expect(Number(await recorded(gateway, 21))).toBeGreaterThanOrEqual(started)
  expect(await gateway.redis.zcard(ACTIVITY_KEY)).toBe(1)

  await gateway.redis.del(ACTIVITY_KEY)
  await photos(gateway, cookie)
  const other = await gateway.signIn({ userId: 22 })
  await photos(gateway, other.cookie)
  await recorded(gateway, 22)
  expect(await scoreOf(gateway, 21)).toBeNull()
  await gateway.close()
})

test('a later time that another gateway wrote stays', async () => {
  const gateway = await startGateway({ upstream: echo.url, redisUrl: redis.url })
  await gateway.redis.zadd(ACTIVITY_KEY, 4e9, 23)
  for (const userId of [23, 24]) await photos(gateway, (await gateway.signIn({ userId })).cookie)
  await recorded(gateway, 24)
  expect(await scoreOf(gateway, 23)).toBe('4000000000')
  await gateway.close()
})

test('a request succeeds although Redis does not record it, and is recorded later', async () => {
  const gateway = await startGateway({ upstream: echo.url, redisUrl: redis.url })
  await gateway.redis.set(ACTIVITY_KEY, 'not a sorted set')
  const { cookie } = await gateway.signIn({ userId: 25 })
  expect((await photos(gateway, cookie)).status).toBe(200)
  expect((await photos(gateway, cookie)).status).toBe(200)
  await gateway.redis.del(ACTIVITY_KEY)
  await recorded(gateway, 25)
  await gateway.close()
})

test('requests do not wait for a Redis that does not respond', async () => {
  const proxy = await startTcpProxy(redis.url)
  const gateway = await startGateway({ upstream: echo.url, redisUrl: redis.url, activityRedisUrl: proxy.url })
  const first = await gateway.signIn({ userId: 26 })
  await photos(gateway, first.cookie)
  await recorded(gateway, 26)
  proxy.freeze()
  const users = [27, 28, 29]
  for (const userId of users) {
    const { cookie } = await gateway.signIn({ userId })
    expect((await photos(gateway, cookie)).status).toBe(200)
    expect(await scoreOf(gateway, userId)).toBeNull()
  }
  proxy.thaw()
  for (const userId of users) await recorded(gateway, userId)
  await gateway.close()
  await proxy.close()
})

test('what waits is written when the gateway stops', async () => {
  const gateway = await startGateway({ upstream: echo.url, redisUrl: redis.url })
  const reader = gateway.redis.duplicate()
  await photos(gateway, (await gateway.signIn({ userId: 30 })).cookie)
  await gateway.close()
  expect(await reader.zscore(ACTIVITY_KEY, '30')).not.toBeNull()
  reader.disconnect()
})
