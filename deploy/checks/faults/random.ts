/** Returns numbers from 0 to below 1, the same sequence for the same seed. */
export type Random = () => number

/** A generator (mulberry32) for reproducible runs; not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function between(random: Random, min: number, max: number): number {
  return min + random() * (max - min)
}

export function shuffled<T>(random: Random, values: readonly T[]): T[] {
  const keyed = values.map((value) => ({ value, key: random() }))
  return keyed.sort((a, b) => a.key - b.key).map(({ value }) => value)
}

export function pick<T>(random: Random, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T
}
