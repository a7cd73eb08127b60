import { Redis } from 'ioredis'
import type { Logger } from '../process/logger.ts'
import { measureConnection } from '../telemetry/connection-state.ts'

/**
 * A Redis connection that fails fast: commands are rejected at once while the server is away
 * (the first ones wait for the first attempt to connect), and it reconnects for ever.
 * @param logger is told of what keeps the connection from being made, such as a wrong password
 */
export function openRedis(url: string, name: string, logger?: Logger): Redis {
  const redis = new Redis(url, {
    connectionName: name,
    maxRetriesPerRequest: 1,
    connectTimeout: 2_000,
    commandTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
  })
  measureConnection('redis', name, () => redis.status === 'ready')
  redis.once('ready', () => {
    redis.options.enableOfflineQueue = false
  })
  let told: string | undefined
  redis.on('ready', () => {
    told = undefined
  })
  // It comes once more with each attempt.
  redis.on('error', (error) => {
    if (error.message !== told) logger?.warn({ err: error, redis: name }, 'Redis cannot be reached')
    told = error.message
  })
  return redis
}
