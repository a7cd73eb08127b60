import { Redis, type RedisOptions } from 'ioredis'
import { addressOf, ConfigError, hostUrls } from '../process/config.ts'
import type { Logger } from '../process/logger.ts'
import { measureConnection } from '../telemetry/metrics.ts'

const COMMAND_MS = 2_000
/** One that says nothing would be waited for without end. */
const SENTINEL_MS = 1_000
/** Longer than a worker waits for a job in one command. */
const SILENCE_MS = 12_000

/**
 * How ioredis and BullMQ connect to a `redisSettings.redisUrl`. A server that has stopped, or that is cut off, closes no
 * connection: one that owes a response for `silenceMs` is closed, and made again to the server that is the master then.
 * @throws ConfigError when Sentinels lack the name of the master, and when several hosts are no Sentinels
 */
export function redisOptions(url: string, silenceMs = SILENCE_MS) {
  const hosts = hostUrls(url)
  const { protocol, username, password, pathname, searchParams } = hosts[0]
  const path = decodeURIComponent(pathname).split('/').slice(1)
  const [name, db] = protocol.includes('sentinel') ? path : [undefined, ...path]
  if (protocol.includes('sentinel') ? !name : hosts.length > 1)
    throw new ConfigError('REDIS_URL must name the master after the hosts of Sentinels (/name), and one host otherwise')
  const servers = hosts.map((host) => addressOf(host, name === undefined ? 6379 : 26379))
  const sentinelPassword = searchParams.get('sentinel_password')
  return {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(protocol.startsWith('rediss') && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
    db: Number(db || 0),
    ...(name === undefined ? servers[0] : { sentinels: servers, name, sentinelCommandTimeout: SENTINEL_MS }),
    ...(sentinelPassword && { sentinelPassword }),
    connectTimeout: 2_000,
    socketTimeout: silenceMs,
    retryStrategy: (attempt: number) => Math.min(attempt * 100, 2_000),
    // A master that became a replica keeps its connections; before that it lacks replicas. ioredis' `failoverDetector` would
    // close them sooner, but ends a client for good when it is just connecting.
    reconnectOnError: (error: Error) => /^(READONLY|NOREPLICAS)/.test(error.message),
  } satisfies RedisOptions
}

/**
 * A Redis connection that fails fast: commands are rejected at once while the server is unavailable
 * (the first ones wait for the first attempt to connect), and it reconnects indefinitely.
 * @param logger logs why a connection fails, such as a wrong password
 */
export function openRedis(url: string, name: string, logger?: Logger): Redis {
  const redis = new Redis({
    // A process that was busy for so long finds its responses, before its connection is closed.
    ...redisOptions(url, COMMAND_MS + 1_000),
    connectionName: name,
    maxRetriesPerRequest: 1,
    commandTimeout: COMMAND_MS,
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
