import { openRedis } from '@skyfolio/kit'
import { startRedis, waitFor } from '@skyfolio/testkit'
import { expect, test } from 'vitest'

test('commands fail at once while Redis is unavailable, and work again after the outage', async () => {
  const server = await startRedis()
  const redis = openRedis(server.url, 'test')
  await redis.set('key', 'kept')
  await server.stop()
  await waitFor(() => redis.status !== 'ready', { what: 'the connection to break' })
  const begun = Date.now()
  await expect(redis.get('key')).rejects.toThrow()
  expect(Date.now() - begun).toBeLessThan(1_900)
  await server.start()
  expect(await waitFor(() => redis.get('key'), { what: 'the value' })).toBe('kept')
  redis.disconnect()
  await server.stop()
})

test('the first commands fail soon when Redis is unavailable from the start', async () => {
  const server = await startRedis()
  await server.stop()
  const redis = openRedis(server.url, 'test')
  const begun = Date.now()
  await expect(redis.get('key')).rejects.toThrow()
  expect(Date.now() - begun).toBeLessThan(1_900)
  redis.disconnect()
})
