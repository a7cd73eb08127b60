import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  AppError,
  createFairQueue,
  GATEWAY_HEADER,
  IDENTITY_HEADER,
  LARGEST_SHARE,
  signIdentity,
  siteOf,
  unavailable,
  visitorIdentity,
} from '@skyfolio/kit'
import type { Picture } from './picture-cache.ts'
import { pictureMetrics } from './picture-metrics.ts'

/** The picture, or why there is none. `abandoned`: all clients that waited have gone. */
type Loaded = Picture | 'missing' | 'too_large' | 'abandoned'

export interface LoaderDeps {
  mediaUrl: string
  identityKeys: string[]
  maxBytes: number
  /** Called once for each picture that was loaded. */
  keep(storedName: string, bytes: Buffer): Picture
  /** For tests: loads that wait, of which one site has a quarter. */
  maxWaiting?: number
}

interface Load {
  storedName: string
  done: Promise<Loaded>
  settle(result: Buffer | Exclude<Loaded, Picture> | Error): void
  clients: number
  request?: ClientRequest
  /** Gives its place among the loads back. */
  release?: () => void
}

/** With the largest size of a picture this bounds what loads take of the memory. */
const MAX_CONCURRENT = 16
/** Of these one site has its share: all people behind one address may together open a folder with so many pictures that nobody has opened. */
const MAX_WAITING = 4_000
const TOO_MANY_NEW = 'Too many new pictures were requested from your network at once. Please slow down.'
const DEADLINE_MS = 5_000
/** A connection is replaced after so many requests, so that new replicas of media get their share. */
const REQUESTS_PER_CONNECTION = 500

export function createLoader({ maxWaiting = MAX_WAITING, mediaUrl, identityKeys, maxBytes, keep }: LoaderDeps) {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_CONCURRENT })
  const loads = new Map<string, Load>()
  const queue = createFairQueue({
    total: MAX_CONCURRENT,
    maxWaiting,
    maxWaitingPerKey: maxWaiting * LARGEST_SHARE,
    limit: 'new-pictures-of-address',
    messages: { tooManyOfKey: TOO_MANY_NEW },
  })
  let sent = 0

  function begin(storedName: string, site: string): Load {
    const { promise, resolve, reject } = Promise.withResolvers<Loaded>()
    const ended = new AbortController()
    const load: Load = {
      storedName,
      done: promise,
      clients: 0,
      settle(result) {
        if (loads.get(storedName) !== load) return
        loads.delete(storedName)
        clearTimeout(timer)
        ended.abort()
        load.request?.destroy()
        load.release?.()
        if (result instanceof AppError) return reject(result)
        count(result)
        if (result instanceof Error) reject(Object.assign(unavailable(undefined, 1), { cause: result }))
        else resolve(Buffer.isBuffer(result) ? keep(storedName, result) : result)
      },
    }
    const timer = setTimeout(() => load.settle(new Error(`not loaded within ${DEADLINE_MS} ms`)), DEADLINE_MS)
    loads.set(storedName, load)
    const start = (release: () => void) => {
      if (ended.signal.aborted) return release()
      load.release = release
      send(load, true)
    }
    queue.acquire({ key: site, signal: ended.signal }).then(start, load.settle)
    return load
  }

  function send(load: Load, mayRetry: boolean): void {
    const headers = {
      [IDENTITY_HEADER]: signIdentity(visitorIdentity(''), identityKeys),
      [GATEWAY_HEADER]: 'picture',
      connection: ++sent % REQUESTS_PER_CONNECTION === 0 ? 'close' : 'keep-alive',
    }
    const request = httpRequest(new URL(`/picture-bytes/${load.storedName}`, mediaUrl), { agent, headers })
    load.request = request
    request.on('error', (error) => {
      // A service that restarts may close an idle connection just when it is reused.
      if (mayRetry && request.reusedSocket && loads.get(load.storedName) === load) send(load, false)
      else load.settle(error)
    })
    request.on('response', (response) => receive(load, response, maxBytes))
    request.end()
  }

  return {
    /**
     * Loads the bytes of a rendition from media, once for all that wait for it.
     * @param response whoever waits; without any that is still open, the load ends
     * @param address of the client
     * @throws AppError 429 when too many loads wait that the client's site began, 503
     */
    async load(storedName: string, response: ServerResponse, address: string): Promise<Loaded> {
      const load = loads.get(storedName) ?? begin(storedName, siteOf(address))
      load.clients += 1
      const leave = () => {
        load.clients -= 1
        if (load.clients === 0) load.settle('abandoned')
      }
      response.once('close', leave)
      try {
        return await load.done
      } finally {
        response.off('close', leave)
      }
    },
    close: () => agent.destroy(),
  }
}

/** Reads the body into a buffer of its size: chunks that wait to be joined would take twice the memory. */
function receive({ settle }: Load, response: IncomingMessage, maxBytes: number): void {
  const { statusCode: status, headers } = response
  const size = Number(headers['content-length'] ?? Number.NaN)
  if (status !== 200 || !(size <= maxBytes)) {
    response.resume()
    settle(reasonWithoutBytes(status, size))
    return
  }
  const bytes = Buffer.allocUnsafeSlow(size)
  let at = 0
  response.on('data', (chunk: Buffer) => {
    at += chunk.copy(bytes, at)
  })
  response.on('error', settle)
  response.on('end', () => settle(at === size ? bytes : new Error(`media sent ${at} of ${size} bytes`)))
}

function reasonWithoutBytes(status: number | undefined, size: number): 'missing' | 'too_large' | Error {
  if (status === 404) return 'missing'
  if (status === 200 && size > 0) return 'too_large'
  return new Error(`media responded with ${status} and ${size} bytes`)
}

function count(result: Parameters<Load['settle']>[0]): void {
  if (Buffer.isBuffer(result)) pictureMetrics.loads.loaded.inc()
  else if (result instanceof Error) pictureMetrics.loads.failed.inc()
  else pictureMetrics.loads[result].inc()
}
