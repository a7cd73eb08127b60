import { Redis } from 'ioredis'
import type { Logger } from '../process/logger.ts'
import { measureConnection } from '../telemetry/metrics.ts'

/**
 * A Redis connection that fails fast: commands are rejected at once while the server is unavailable
 * (the first ones wait for the first attempt to connect), and it reconnects indefinitely.
 * @param logger logs why a connection fails, such as a wrong password
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
  let lastMessage: string | undefined
  redis.on('ready', () => {
    lastMessage = undefined
  })
  // Repeated with each attempt.
  redis.on('error', (error) => {
    if (error.message !== lastMessage) logger?.warn({ err: error, redis: name }, 'Redis cannot be reached')
    lastMessage = error.message
  })
  return redis
}
