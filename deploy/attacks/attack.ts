import type { Target } from './target.ts'

/** Notes the fault, with which the attack has succeeded, unless something holds. */
export type Expect = (holds: boolean, fault: string) => void

/** An attack on a running system, over HTTP alone. */
export interface Attack {
  /** What holds under the attack, as a sentence. */
  name: string
  /** Not part of the short form, which CI runs. */
  long?: true
  /** `note` prints what was measured. */
  run(target: Target, expect: Expect, note: (text: string) => void): Promise<void>
}
