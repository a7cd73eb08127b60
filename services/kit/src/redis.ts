import { Redis } from 'ioredis'

/**
 * A Redis connection that fails fast: commands are rejected at once while the server is away
 * (the first ones wait for the first attempt to connect), and it reconnects for ever.
 */
export function openRedis(url: string, name: string): Redis {
  const redis = new Redis(url, {
    connectionName: name,
    maxRetriesPerRequest: 1,
    connectTimeout: 2_000,
    commandTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
  })
  redis.once('ready', () => {
    redis.options.enableOfflineQueue = false
  })
  // Every command reports its own failure and readiness checks report the state; ioredis only wants a listener.
  redis.on('error', () => {})
  return redis
}
