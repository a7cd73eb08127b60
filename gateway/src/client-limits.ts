import type { Readable } from 'node:stream'
import {
  type App,
  createFairQueue,
  LARGEST_SHARE,
  metrics,
  proxyTrust,
  type SlowReaderOptions,
  siteOf,
  unavailable,
} from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { proxyMetrics } from './proxy/proxy-metrics.ts'

/**
 * What clients may hold of the gateway at the same time, and for how long. Of each number one site (an IPv4 address, or a /48 of
 * IPv6), and one user, has at most a quarter. Decision record 0031 has the arithmetic: 300 people behind one address stay
 * unhindered, except that a third of them downloads at once.
 */
export interface ClientLimits {
  /** Open connections, without those of trusted proxies. */
  connections: number
  /** Milliseconds for the headers of a request. */
  headersMs: number
  /** Milliseconds for a body that is not an upload. */
  bodyMs: number
  /** Requests whose body has not arrived, without uploads. Each holds at most 64 KiB. */
  incompleteRequests: number
  /** Requests that each service processes at once, without those of the next two. */
  requestsOfService: number
  uploads: number
  /** Responses with files; each may hold a connection to the object store. */
  downloads: number
  /** Requests that wait for one of these, in each pool, and their milliseconds. */
  waitingRequests: number
  waitMs: number
  /** Of a download, which takes its slot for seconds. */
  downloadWaitMs: number
  /** Milliseconds until a service has begun to respond to a GET. */
  responseMs: number
  /** Bytes of responses that are read ahead of their clients. */
  readAheadBytes: number
  slowReaders: SlowReaderOptions
  /** How far an upload may fall behind its minimum rate; media is stricter. */
  uploadStallMs: number
}

export const CLIENT_LIMITS: ClientLimits = {
  connections: 16_000,
  headersMs: 10_000,
  bodyMs: 10_000,
  incompleteRequests: 1_600,
  requestsOfService: 1_200,
  uploads: 2_400,
  downloads: 400,
  waitingRequests: 1_200,
  waitMs: 2_000,
  downloadWaitMs: 30_000,
  responseMs: 15_000,
  readAheadBytes: 64 * 1024 * 1024,
  slowReaders: { windowMs: 120_000 },
  uploadStallMs: 120_000,
}

/** A queue of what clients hold: each site, and each user, has at most a quarter of what there is. */
export function inQuarters(total: number): { total: number; perKey: number } {
  return { total, perKey: total * LARGEST_SHARE }
}

/** On whose account a request takes its share of what there is: its site, and its user if there is one. */
export function shareKeys({ identity }: Pick<FastifyRequest, 'identity'>): [site: string, ...user: string[]] {
  const site = siteOf(identity.address)
  return identity.userId === null ? [site] : [site, `user ${identity.userId}`]
}

/** Closes what exceeds `maxConnections`. Proxies carry those of many clients and are not counted. */
export function limitConnections(app: App, maxConnections: number, trustedProxies: string[]): void {
  const connections = createFairQueue(inQuarters(maxConnections))
  const isProxy = proxyTrust(trustedProxies)
  app.server.on('connection', (socket) => {
    const { remoteAddress } = socket
    if (remoteAddress === undefined || isProxy(remoteAddress, 0)) return
    const release = connections.tryAcquire({ key: siteOf(remoteAddress) })
    if (release) {
      socket.once('close', release)
      return
    }
    proxyMetrics.rejectedConnections.inc()
    socket.destroy()
  })
}

/** Gives a slot back; may be called more than once. */
export type Release = () => void

export type UpstreamSlots = ReturnType<typeof createUpstreamSlots>

/** Requests that are processed at once, and further ones that wait, with the same shares. */
export interface SlotOptions {
  total: number
  maxWaiting: number
  waitMs: number
}

const BUSY = 'Too many requests are being processed. Please try again in a moment.'
const RETRY_AFTER_SECONDS = 2

/** Bounds the requests that a service, or a kind of transfer, processes at once. */
export function createUpstreamSlots(pool: string, { total, maxWaiting, waitMs }: SlotOptions) {
  const maxWaitingPerKey = maxWaiting * LARGEST_SHARE
  const slots = createFairQueue({ ...inQuarters(total), maxWaiting, maxWaitingPerKey, waitMs })
  proxyMetrics.rejectedSlots.inc({ pool }, 0)
  const stopMeasuring = metrics.onScrape(`slots of ${pool}`, () => [
    [proxyMetrics.slots, slots.running(), { pool, state: 'in_use' }],
    [proxyMetrics.slots, slots.waiting(), { pool, state: 'waiting' }],
  ])

  async function wait(key: string[], { raw }: FastifyReply): Promise<Release | null> {
    const client = new AbortController()
    const leave = () => client.abort()
    raw.once('close', leave)
    try {
      return await slots.acquire({ key, signal: client.signal })
    } catch {
      if (client.signal.aborted) return null
      proxyMetrics.rejectedSlots.inc({ pool })
      throw unavailable(BUSY, RETRY_AFTER_SECONDS, 'slots')
    } finally {
      raw.off('close', leave)
    }
  }

  return {
    /**
     * Takes a slot for the request, or waits for one; null when the client has disconnected meanwhile.
     * @throws AppError 503 when none becomes free in time or too many wait
     */
    acquire(request: FastifyRequest, reply: FastifyReply): Release | Promise<Release | null> {
      const key = shareKeys(request)
      return slots.tryAcquire({ key }) ?? wait(key, reply)
    },
    close: stopMeasuring,
  }
}

/** Gives the slot back when the response has been read, or when it has ended for the client. */
export function releaseAfter(source: Readable, reply: FastifyReply, release: Release): void {
  source.once('close', release)
  reply.raw.once('close', release)
}

export const CONNECT_TIMEOUT_MS = 2_000
/** How long a service may be silent. An upload may wait there in a queue; a GET has a shorter time for its headers. */
export const STALL_TIMEOUT_MS = { json: 60_000, vote: 60_000, upload: 300_000, part: 300_000 }
/** A connection is replaced after so many requests, so that new replicas of a service get their share. */
export const REQUESTS_PER_CONNECTION = 500
