import { createHmac } from 'node:crypto'
import type { Logger } from '@skyfolio/kit'
import type { Redis } from 'ioredis'
import type { Limits } from './limits.ts'
import type { TokenBuckets } from './token-buckets.ts'

export interface SharedLimitsOptions {
  limits: Limits
  redis: Redis
  /** Keys the hashes under which Redis knows addresses and voters. The same in all replicas. */
  key: string
  logger: Logger
  everyMs?: number
}

/** Of each kind, in one round; the rest waits for the next. */
const mostKeys = 1000
/** So that Redis, which does one thing at a time, is never held for long. */
const keysPerCall = 250
const minuteMs = 60_000

// A bucket is one number: when it will be full again. It may owe as much as it holds, so that what several replicas gave
// away at the same moment is paid back. Arguments: milliseconds until a token is back, then the tokens taken of each key.
// Answers the milliseconds until each is full. A full one is forgotten.
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local answers = {}
for i, key in ipairs(KEYS) do
  local missing = math.max((tonumber(redis.call('GET', key)) or 0) - now, 0) + ARGV[i + 1] * ARGV[1]
  missing = math.min(missing, ${2 * minuteMs})
  redis.call('SET', key, string.format('%.3f', now + missing), 'PX', math.max(math.ceil(missing), 1))
  answers[i] = string.format('%.3f', missing)
end
return answers`

/**
 * Makes the limits hold over all replicas of the gateway: once a second each tells Redis what it gave away and hears what
 * all have left. Nobody waits for it. While Redis is away each replica goes by what it knows.
 */
export function shareLimits(o: SharedLimitsOptions): { stop(): Promise<void> } {
  let away = false

  async function share(): Promise<void> {
    try {
      const kinds = Object.entries(o.limits.buckets)
      await Promise.all(kinds.map(([kind, buckets]) => shareKind(o, kind, buckets)))
      away = false
    } catch (error) {
      if (!away) o.logger.warn({ err: error }, 'rate limits are not shared with other replicas for now')
      away = true
    }
  }

  let running: Promise<void> | null = null
  const timer = setInterval(() => {
    running ??= share().finally(() => {
      running = null
    })
  }, o.everyMs ?? 1_000)
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}

async function shareKind({ redis, key }: SharedLimitsOptions, kind: string, buckets: TokenBuckets): Promise<void> {
  const taken = [...buckets.untold(mostKeys)]
  const msPerToken = minuteMs / buckets.perMinute
  const calls: Promise<void>[] = []
  for (let at = 0; at < taken.length; at += keysPerCall) calls.push(shareSome(taken.slice(at, at + keysPerCall)))
  await Promise.all(calls)

  async function shareSome(some: [string, number][]): Promise<void> {
    const names = some.map(([name]) => `limit:${kind}:${hashed(key, name)}`)
    const counts = some.map(([, count]) => count)
    const missing = (await redis.eval(TAKE, names.length, ...names, msPerToken, ...counts)) as string[]
    for (const [index, [name]] of some.entries()) {
      buckets.lower(name, buckets.perMinute - Number(missing[index]) / msPerToken)
    }
  }
}

/** Neither addresses nor fingerprints are written anywhere, not even for a minute. */
function hashed(key: string, name: string): string {
  return createHmac('sha256', key).update(`limit:${name}`).digest('base64url')
}
