import { createHmac } from 'node:crypto'
import { type Logger, repeat } from '@skyfolio/kit'
import type { Redis } from 'ioredis'

interface Bucket {
  tokens: number
  /** Time of the value in `tokens`, in milliseconds. */
  at: number
  /** Tokens taken here and not yet shared with the other replicas. */
  unshared: number
}

export interface TokenBuckets {
  perMinute: number
  /** Takes a token of `key`. Returns 0, or the seconds until the next token. */
  take(key: string, now?: number): number
  /**
   * Takes a token of `key` that is due within `maxWaitMs`. Returns the milliseconds until then, 0 for a token that is there;
   * more than `maxWaitMs`: none was taken.
   */
  reserve(key: string, maxWaitMs: number, now?: number): number
  /** Gives back a token that was reserved and is not needed. */
  giveBack(key: string): void
  /**
   * Returns the tokens taken here that other replicas do not know of, for at most `maxKeys` keys, longest waiting first,
   * and counts them as shared. Omits keys from which few tokens were taken.
   */
  collectUnshared(maxKeys: number): Map<string, number>
  /** Lowers the bucket of `key` to what all replicas together have left; negative when they granted too many. */
  lower(key: string, tokens: number, now?: number): void
}

/** A key is shared whenever this part of its bucket was taken: a voter with a few votes costs the replicas nothing. */
const SHARE_THRESHOLD = 0.1

/**
 * Token buckets in memory: each bucket holds `perMinute` tokens and refills at that rate. At most `maxKeys` keys are
 * kept; beyond that, keys are dropped that were not used while half as many others were.
 */
export function createTokenBuckets(perMinute: number, maxKeys = 100_000): TokenBuckets {
  // Two generations instead of an exact LRU order, which every take would have to update.
  let recent = new Map<string, Bucket>()
  let older = new Map<string, Bucket>()
  const keysToShare = new Set<string>()
  const perMs = perMinute / 60_000

  function refill(bucket: Bucket, now: number): void {
    bucket.tokens = Math.min(perMinute, bucket.tokens + (now - bucket.at) * perMs)
    bucket.at = now
  }

  function remember(key: string, bucket: Bucket): void {
    if (recent.size >= maxKeys / 2) {
      for (const waiting of keysToShare) if (!recent.has(waiting)) keysToShare.delete(waiting)
      older = recent
      recent = new Map()
    }
    recent.set(key, bucket)
  }

  function find(key: string, now: number): Bucket {
    const known = recent.get(key)
    if (known) return known
    const bucket = older.get(key) ?? { tokens: perMinute, at: now, unshared: 0 }
    older.delete(key)
    // A copy, exact for any text: a slice would keep the whole header in memory.
    remember(Buffer.from(key, 'utf16le').toString('utf16le'), bucket)
    return bucket
  }

  /** Returns the milliseconds until the token is due; none is taken if that is more than `maxWaitMs`. */
  function reserve(key: string, maxWaitMs: number, now = performance.now()): number {
    const bucket = find(key, now)
    refill(bucket, now)
    const waitMs = bucket.tokens >= 1 ? 0 : (1 - bucket.tokens) / perMs
    if (waitMs > maxWaitMs) return waitMs
    bucket.tokens -= 1
    bucket.unshared += 1
    if (bucket.unshared >= perMinute * SHARE_THRESHOLD) keysToShare.add(key)
    return waitMs
  }

  return {
    perMinute,
    take: (key, now) => Math.ceil(reserve(key, 0, now) / 1000),
    reserve,
    giveBack(key) {
      const bucket = recent.get(key) ?? older.get(key)
      if (!bucket) return
      bucket.tokens += 1
      bucket.unshared -= 1
    },
    collectUnshared(maxKeys) {
      const taken = new Map<string, number>()
      for (const key of keysToShare) {
        if (taken.size === maxKeys) break
        const bucket = (recent.get(key) ?? older.get(key)) as Bucket
        taken.set(key, bucket.unshared)
        bucket.unshared = 0
        keysToShare.delete(key)
      }
      return taken
    },
    lower(key, tokens, now = performance.now()) {
      const bucket = recent.get(key) ?? older.get(key)
      if (!bucket) return
      refill(bucket, now)
      // The shared value does not include what was taken here since.
      bucket.tokens = Math.min(bucket.tokens, tokens - bucket.unshared)
    },
  }
}

export interface ShareLimitsDeps {
  /** By the kind of their keys. */
  buckets: Record<string, TokenBuckets>
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
      const kinds = Object.entries(deps.buckets)
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
