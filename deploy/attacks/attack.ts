import type { Target } from './target.ts'

/** What an attack saw. With a fault it succeeded, and the check fails. */
export interface Outcome {
  seen: string
  faults: string[]
}

/** An attack on a running system, over HTTP alone. */
export interface Attack {
  /** What holds under the attack, as a sentence. */
  name: string
  /** Part of the short form, which CI runs: takes a few seconds at most. */
  short?: true
  /** Only for a system that trusts the attacker's addresses as a proxy's, or only for one that does not. */
  where?: 'proxied' | 'direct'
  run(target: Target): Promise<Outcome>
}

/** Collects faults; `seen` says what was attempted. */
export function judge(): {
  faults: string[]
  expect(holds: boolean, fault: string): void
  seen(text: string): Outcome
} {
  const faults: string[] = []
  return {
    faults,
    expect(holds, fault) {
      if (!holds) faults.push(fault)
    },
    seen: (seen) => ({ seen, faults }),
  }
}
