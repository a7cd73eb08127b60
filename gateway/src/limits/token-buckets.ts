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
