interface Bucket {
  tokens: number
  /** Milliseconds; when `tokens` was true. */
  at: number
}

export interface TokenBuckets {
  /** Takes a token of `key`. Returns 0, or the seconds until there is one again. */
  take(key: string, now?: number): number
}

/**
 * Token buckets in memory: each key may do `perMinute` things at once and gets as many back every minute.
 * At most `maxKeys` are remembered; beyond that the ones that have waited longest are forgotten first.
 */
export function createTokenBuckets(perMinute: number, maxKeys = 100_000): TokenBuckets {
  const buckets = new Map<string, Bucket>()
  const perMs = perMinute / 60_000

  function refilled(key: string, now: number): number {
    const bucket = buckets.get(key)
    if (!bucket) return perMinute
    return Math.min(perMinute, bucket.tokens + (now - bucket.at) * perMs)
  }

  return {
    take(key, now = performance.now()) {
      const tokens = refilled(key, now)
      // Set anew at the end: a Map keeps its order, so the first key is the one longest unused.
      buckets.delete(key)
      buckets.set(key, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now })
      if (buckets.size > maxKeys) buckets.delete(buckets.keys().next().value as string)
      return tokens >= 1 ? 0 : Math.ceil((1 - tokens) / perMs / 1000)
    },
  }
}
