import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Authenticator,
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  type NatsConnection,
} from '@nats-io/transport-node'
import type { Logger } from '../process/logger.ts'
import { measureConnection } from '../telemetry/connection-state.ts'

export interface NatsOptions {
  /** A file with a user's JWT and nkey, as `nsc` makes it; read again for each connection. */
  credentialsFile?: string | undefined
  /** Is told of what keeps the connection from being made, and of each loss. */
  logger?: Logger
}

const WAIT_MS = 250

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
    // A password that is changed at the server first must not end the processes which have the old one.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: WAIT_MS,
    pingInterval: 10_000,
  }
  const tell = once(options.logger)
  const state = { up: false }
  measureConnection('nats', name, () => state.up)
  for (;;) {
    try {
      // Without its own waiting for the first connection, which would say nothing of what it waits for.
      const nats = await connect(settings)
      void watch(nats, state, options.logger)
      return nats
    } catch (error) {
      tell(error)
      await delay(WAIT_MS)
    }
  }
}

/** The client reads no credentials from its URLs. */
function serverOf(url: string): ConnectionOptions {
  const { host, username, password, protocol } = new URL(url)
  const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)]
  return {
    servers: host,
    ...(protocol === 'tls:' && { tls: {} }),
    ...(pass ? { user, pass } : user && { token: user }),
  }
}

/** @throws when the file is missing or no credentials file */
function credentials(file: string | undefined): ConnectionOptions {
  if (!file) return {}
  let current = credsAuthenticator(readFileSync(file))
  current('try it')
  const authenticator: Authenticator = (nonce) => {
    try {
      const fresh = credsAuthenticator(readFileSync(file))
      const answer = fresh(nonce)
      current = fresh
      return answer
    } catch {
      // It is being written. The client would end for good if this threw.
      return current(nonce)
    }
  }
  return { authenticator }
}

/** Logs an error unless it is the one before once more. */
function once(logger: Logger | undefined): (error: unknown) => void {
  let last: string | undefined
  return (error) => {
    if (String(error) !== last) logger?.warn({ err: error }, 'NATS cannot be reached')
    last = String(error)
  }
}

async function watch(nats: NatsConnection, state: { up: boolean }, logger?: Logger): Promise<void> {
  let tell = once(logger)
  state.up = true
  for await (const status of nats.status()) {
    if (status.type === 'error') tell(status.error)
    // It comes once more with each attempt.
    if (status.type === 'disconnect' && state.up) {
      state.up = false
      logger?.warn('the connection to NATS is lost')
    }
    if (status.type === 'reconnect') {
      state.up = true
      logger?.info('the connection to NATS is back')
      tell = once(logger)
    }
  }
  state.up = false
}
