import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Authenticator,
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  type NatsConnection,
} from '@nats-io/transport-node'
import { hostUrls } from '../process/config.ts'
import type { Lifetime } from '../process/lifetime.ts'
import type { Logger } from '../process/logger.ts'
import { measureConnection } from '../telemetry/metrics.ts'
import { type EventTopics, ensureStreams } from './streams.ts'

/** The values of `natsSettings`. */
export interface NatsConfig {
  natsUrl: string
  natsCredentialsFile?: string | undefined
}

/** The values of `natsSettings` and `streamSettings`. */
export interface StreamsConfig extends NatsConfig {
  natsReplicas: number
}

export interface NatsOptions {
  /** A file with a user's JWT and nkey, as `nsc` writes it; read again for each connection. */
  credentialsFile?: string | undefined
  /** Logs why a connection cannot be made, and each loss. */
  logger?: Logger
}

const WAIT_MS = 250

type Life = Pick<Lifetime, 'defer' | 'logger'>

/** Connects a process, and drains the connection when its lifetime ends. */
export function openNats(life: Life, config: NatsConfig, name: string): Promise<NatsConnection>
/** The same for a process that publishes or consumes events: ensures the streams of `topics` as well. */
export function openNats(life: Life, config: StreamsConfig, name: string, topics: EventTopics): Promise<NatsConnection>
export async function openNats(
  life: Life,
  config: NatsConfig & Partial<StreamsConfig>,
  name: string,
  topics?: EventTopics,
): Promise<NatsConnection> {
  const { logger } = life
  const nats = await connectNats(config.natsUrl, name, { credentialsFile: config.natsCredentialsFile, logger })
  life.defer('nats', () => nats.drain())
  if (topics)
    await ensureStreams(nats, topics, { logger, ...(config.natsReplicas && { replicas: config.natsReplicas }) })
  return nats
}

/**
 * Connects, waiting for a server that is not up yet or that does not know the user yet, and reconnects for ever.
 * @param url may carry `user:password@`, or a token in place of the user
 */
export async function connectNats(url: string, name: string, options: NatsOptions = {}): Promise<NatsConnection> {
  const settings = {
    ...serverOf(url),
    ...credentials(options.credentialsFile),
    name,
    maxReconnectAttempts: -1,
    // A password changed first at the server must not end the processes that have the old one.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: WAIT_MS,
    // A server that has stopped is left after two pings without response.
    pingInterval: 1_500,
    timeout: 2_000,
  }
  const warn = warnOnChange(options.logger)
  const state = { up: false }
  measureConnection('nats', name, () => state.up)
  for (;;) {
    try {
      // Not with the client's own wait for the first connection, which would not log what it waits for.
      const nats = await connect(settings)
      void watch(nats, state, options.logger)
      return nats
    } catch (error) {
      warn(error)
      await delay(WAIT_MS)
    }
  }
}

/** The client does not read credentials from its URLs. */
function serverOf(url: string): ConnectionOptions {
  const urls = hostUrls(url)
  const { username, password, protocol } = urls[0]
  const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)]
  return {
    servers: urls.map(({ host }) => host),
    ...(protocol === 'tls:' && { tls: {} }),
    ...(pass ? { user, pass } : user && { token: user }),
  }
}

/** @throws when the file is missing or no credentials file */
function credentials(file: string | undefined): ConnectionOptions {
  if (!file) return {}
  let current = credsAuthenticator(readFileSync(file))
  current('check')
  const authenticator: Authenticator = (nonce) => {
    try {
      const fresh = credsAuthenticator(readFileSync(file))
      const signed = fresh(nonce)
      current = fresh
      return signed
    } catch {
      // The file is being written. The client would stop permanently if this threw.
      return current(nonce)
    }
  }
  return { authenticator }
}

/** Logs an error unless it equals the one before. */
function warnOnChange(logger: Logger | undefined): (error: unknown) => void {
  let last: string | undefined
  return (error) => {
    if (String(error) !== last) logger?.warn({ err: error }, 'NATS cannot be reached')
    last = String(error)
  }
}

async function watch(nats: NatsConnection, state: { up: boolean }, logger?: Logger): Promise<void> {
  let warn = warnOnChange(logger)
  state.up = true
  for await (const status of nats.status()) {
    if (status.type === 'error') warn(status.error)
    // Repeated with each attempt.
    if (status.type === 'disconnect' && state.up) {
      state.up = false
      logger?.warn('the connection to NATS is lost')
    }
    if (status.type === 'reconnect') {
      state.up = true
      logger?.info('the connection to NATS is back')
      warn = warnOnChange(logger)
    }
  }
  state.up = false
}
