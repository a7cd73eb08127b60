import type { SlowReaderOptions } from '@skyfolio/kit'

/**
 * What clients may hold of the gateway at the same time, and for how long. Of each number one site (an IPv4 address, or a /48 of IPv6), and one user, has at most a
 * quarter. Decision record 0031 has the arithmetic: 300 people behind one address stay
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
