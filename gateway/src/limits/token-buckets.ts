interface Bucket {
  tokens: number
  /** Milliseconds; when `tokens` was true. */
  at: number
  /** Taken here since the other replicas were last told. */
  untold: number
}

export interface TokenBuckets {
  perMinute: number
  /** Takes a token of `key`. Returns 0, or the seconds until there is one again. */
  take(key: string, now?: number): number
  /**
   * What was taken here and other replicas should hear of: tokens by key, of at most `most` keys, those first that have
   * waited longest. It counts as told from now on. Keys from which next to nothing was taken are left out.
   */
  untold(most: number): Map<string, number>
  /** All replicas together have left `tokens` of this key, or owe them when below 0: no more are left here. */
  lower(key: string, tokens: number, now?: number): void
}

/** A key is told of whenever this part of its bucket was taken: whoever votes a few times costs the replicas nothing. */
const worthTelling = 0.1

/**
 * Token buckets in memory: each key may do `perMinute` things at once and gets as many back every minute.
 * At most `maxKeys` are remembered; beyond that those are forgotten that were not used while half as many others were.
 */
export function createTokenBuckets(perMinute: number, maxKeys = 100_000): TokenBuckets {
  // Two generations instead of an order of use, which would be written anew at each take.
  let recent = new Map<string, Bucket>()
  let older = new Map<string, Bucket>()
  const telling = new Set<string>()
  const perMs = perMinute / 60_000

  function refill(bucket: Bucket, now: number): void {
    bucket.tokens = Math.min(perMinute, bucket.tokens + (now - bucket.at) * perMs)
    bucket.at = now
  }

  function remember(key: string, bucket: Bucket): void {
    if (recent.size >= maxKeys / 2) {
      for (const told of telling) if (!recent.has(told)) telling.delete(told)
      older = recent
      recent = new Map()
    }
    recent.set(key, bucket)
  }

  function find(key: string, now: number): Bucket {
    const known = recent.get(key)
    if (known) return known
    const bucket = older.get(key) ?? { tokens: perMinute, at: now, untold: 0 }
    older.delete(key)
    // A copy, exact for any text: a mere part of one would keep all of a header in memory with it.
    remember(Buffer.from(key, 'utf16le').toString('utf16le'), bucket)
    return bucket
  }

  return {
    perMinute,
    take(key, now = performance.now()) {
      const bucket = find(key, now)
      refill(bucket, now)
      if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / perMs / 1000)
      bucket.tokens -= 1
      bucket.untold += 1
      if (bucket.untold >= perMinute * worthTelling) telling.add(key)
      return 0
    },
    untold(most) {
      const told = new Map<string, number>()
      for (const key of telling) {
        if (told.size === most) break
        const bucket = (recent.get(key) ?? older.get(key)) as Bucket
        told.set(key, bucket.untold)
        bucket.untold = 0
        telling.delete(key)
      }
      return told
    },
    lower(key, tokens, now = performance.now()) {
      const bucket = recent.get(key) ?? older.get(key)
      if (!bucket) return
      refill(bucket, now)
      // What was taken here meanwhile is not in the others' sum yet.
      bucket.tokens = Math.min(bucket.tokens, tokens - bucket.untold)
    },
  }
}
