import { createHmac } from 'node:crypto'
import { type Logger, repeat } from '@skyfolio/kit'
import type { Redis } from 'ioredis'
import type { Limits } from './limits.ts'
import type { TokenBuckets } from './token-buckets.ts'

export interface ShareLimitsDeps {
  limits: Limits
  redis: Redis
  /** Key of the HMACs that replace addresses and voters in Redis. The same in all replicas. */
  key: string
  logger: Logger
  intervalMs?: number
}

/** Per kind; further keys wait for the next round. */
const MAX_KEYS_PER_ROUND = 1000
/** Bounds each script's run time: Redis executes one command at a time. */
const KEYS_PER_CALL = 250
const MINUTE_MS = 60_000

// A bucket is one number: the time when it is full again. Its balance may fall to minus its size, so that tokens which
// several replicas granted at the same moment are paid back. Arguments: milliseconds per token, then the tokens taken
// from each key. Returns the milliseconds until each bucket is full. Full buckets expire.
const TAKE_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local results = {}
for i, key in ipairs(KEYS) do
  local missing = math.max((tonumber(redis.call('GET', key)) or 0) - now, 0) + ARGV[i + 1] * ARGV[1]
  missing = math.min(missing, ${2 * MINUTE_MS})
  redis.call('SET', key, string.format('%.3f', now + missing), 'PX', math.max(math.ceil(missing), 1))
  results[i] = string.format('%.3f', missing)
end
return results`

/**
 * Applies the limits across all replicas of the gateway: once a second each replica reports to Redis the tokens it granted
 * and reads what remains. No request waits for it. While Redis is unavailable each replica limits on its own.
 */
export function shareLimits(deps: ShareLimitsDeps): { stop(): Promise<void> } {
  let unavailable = false

  async function share(): Promise<void> {
    try {
      const kinds = Object.entries(deps.limits.buckets)
      await Promise.all(kinds.map(([kind, buckets]) => shareKind(deps, kind, buckets)))
      unavailable = false
    } catch (error) {
      if (!unavailable) deps.logger.warn({ err: error }, 'rate limits not shared with other replicas, will retry')
      unavailable = true
    }
  }

  return { stop: repeat('sharing of rate limits', (deps.intervalMs ?? 1_000) / 1000, share, deps.logger) }
}

async function shareKind({ redis, key }: ShareLimitsDeps, kind: string, buckets: TokenBuckets): Promise<void> {
  const taken = [...buckets.collectUnshared(MAX_KEYS_PER_ROUND)]
  const msPerToken = MINUTE_MS / buckets.perMinute
  const calls: Promise<void>[] = []
  for (let at = 0; at < taken.length; at += KEYS_PER_CALL) calls.push(shareChunk(taken.slice(at, at + KEYS_PER_CALL)))
  await Promise.all(calls)

  async function shareChunk(chunk: [string, number][]): Promise<void> {
    const names = chunk.map(([name]) => `limit:${kind}:${hashKey(key, name)}`)
    const counts = chunk.map(([, count]) => count)
    const missing = (await redis.eval(TAKE_SCRIPT, names.length, ...names, msPerToken, ...counts)) as string[]
    for (const [index, [name]] of chunk.entries()) {
      buckets.lower(name, buckets.perMinute - Number(missing[index]) / msPerToken)
    }
  }
}

/** Keeps addresses and fingerprints out of Redis. */
function hashKey(key: string, name: string): string {
  return createHmac('sha256', key).update(`limit:${name}`).digest('base64url')
}
