/** A real server of a test's own, which a test of failures may stop, start again and kill. */
export interface TestServer {
  url: string
  /** Stops it gracefully. */
  stop(): Promise<void>
  /** Starts it again: same port, same data. */
  start(): Promise<void>
  /** Kills it, as a power cut would. */
  kill(): Promise<void>
}

export interface TestServerOptions {
  /** True for benchmarks and for tests that kill the server: what it acknowledged is then on the disk. Default: false. */
  durable?: boolean
  /** Further lines of the configuration of NATS or Redis. */
  config?: string[]
}
