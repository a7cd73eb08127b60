import type { NatsConnection } from '@nats-io/nats-core'
import { sendRequest } from '@skyfolio/kit'
import { baseMapStatus, mailStatus, printingStatus } from '@skyfolio/proto'

/** Whether prints can be ordered now, and whether that would be in the partner's sandbox. */
export interface Printing {
  available: boolean
  sandbox: boolean
}

/** Whether the installation can send mail. */
export interface Mail {
  available: boolean
}

/** The base map that media serves. */
export interface BaseMap {
  version: string
  maxZoom: number
  attribution: string
  detail: { maxZoom: number; west: number; south: number; east: number; north: number } | null
}

/** What depends on services: pages show it, and work without it. */
export interface FeatureStatus {
  printing(): Promise<Printing>
  mail(): Promise<Mail>
  /** Null until media has said which. */
  baseMap(): Promise<BaseMap | null>
}

const CACHE_MS = 2_000
/** Without the service there is a response at once; this is for a busy machine. */
const TIMEOUT_MS = 1_000

/** Reads the state of features from their services; without a response a feature is unavailable. */
export function createFeatureStatus(nats: () => NatsConnection | undefined): FeatureStatus {
  const options = { timeoutMs: TIMEOUT_MS }
  let knownMap: BaseMap | null = null

  function connection(): NatsConnection {
    const connected = nats()
    if (!connected) throw new Error('NATS is not connected')
    return connected
  }

  return {
    printing: cached(
      async () => {
        const { available, sandbox } = await sendRequest(connection(), printingStatus, {}, options)
        return { available, sandbox }
      },
      () => ({ available: false, sandbox: false }),
    ),
    mail: cached(
      async () => ({ available: (await sendRequest(connection(), mailStatus, {}, options)).available }),
      () => ({ available: false }),
    ),
    // Tiles need no NATS: while it is unavailable the map of before will do.
    baseMap: cached(
      async () => {
        const { version, maxZoom, attribution, detail } = await sendRequest(connection(), baseMapStatus, {}, options)
        knownMap = { version, maxZoom, attribution, detail: detail ?? null }
        return knownMap
      },
      () => knownMap,
    ),
  }
}

/** Responses and failures are cached, so that a page waits at most `TIMEOUT_MS`, and only one of many. */
function cached<State>(request: () => Promise<State>, unavailable: () => State): () => Promise<State> {
  let latest: Promise<State> | undefined
  let validUntil = 0
  return () => {
    const now = performance.now()
    if (latest && now < validUntil) return latest
    validUntil = now + CACHE_MS
    latest = request().catch(unavailable)
    return latest
  }
}
