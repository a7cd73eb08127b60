export interface Shares {
  /**
   * Takes `amount` (default: 1) on account of each of the keys. Returns the function that gives it back, which may be called more
   * than once; null when it is not there, or when a key would have more than its share.
   */
  tryAcquire(keys: readonly string[], amount?: number): (() => void) | null
  /** Whether the keys are below their shares, although nothing may be left. */
  mayHave(keys: readonly string[], amount?: number): boolean
  /** What is taken at present. */
  taken(): number
}

/** The share of what there is that one site, or one user, may have. */
export const LARGEST_SHARE = 1 / 4

/**
 * Divides what there is among those who want it: all together take at most `total`, and each key at most `perKey`, by default a
 * quarter. Keys are for example the site and the user of a request.
 */
export function createShares(total: number, perKey = Math.floor(total * LARGEST_SHARE)): Shares {
  const takenOf = new Map<string, number>()
  let taken = 0

  const mayHave = (keys: readonly string[], amount = 1) =>
    keys.every((key) => (takenOf.get(key) ?? 0) + amount <= perKey)

  function giveBack(key: string, amount: number): void {
    const rest = (takenOf.get(key) ?? 0) - amount
    if (rest > 0) takenOf.set(key, rest)
    else takenOf.delete(key)
  }

  return {
    tryAcquire(keys, amount = 1) {
      if (taken + amount > total) return null
      if (!mayHave(keys, amount)) return null
      taken += amount
      for (const key of keys) takenOf.set(key, (takenOf.get(key) ?? 0) + amount)
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        taken -= amount
        for (const key of keys) giveBack(key, amount)
      }
    },
    mayHave,
    taken: () => taken,
  }
}
