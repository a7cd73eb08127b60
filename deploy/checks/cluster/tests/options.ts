/** The flags of a test. */
export interface TestOptions {
  /** How long the load lasts; every test has its own default. */
  seconds?: number
  /** Votes per second. */
  rate: number
  /** Seed of all random decisions. */
  seed: number
}
