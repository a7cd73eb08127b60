/** The flags of a test. */
export interface TestOptions {
  /** How long the load lasts; every test has its own default. */
  seconds?: number
  /** Votes a second. */
  rate: number
  /** Decides what chance decides. */
  seed: number
}
