import { Agent, get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

export interface Page {
  path: string
  cookie?: string
}

/** Requests that were started, and the count of each response: a status, or an error code. */
export interface PageFigures {
  requests: number
  responses: Map<string, number>
  /** Responses that are neither a success nor a rejection with Retry-After. */
  errors: string[]
}

const RESPONSE_TIMEOUT_MS = 30_000

/** Reads these pages in turn at this rate, alternating between persistent and new connections. */
export function readPages(url: string, pages: Page[], perSecond: number): { stop(): Promise<PageFigures> } {
  const figures: PageFigures = { requests: 0, responses: new Map(), errors: [] }
  const kept = new Agent({ keepAlive: true })
  const pending = new Set<Promise<void>>()
  const abort = new AbortController()

  async function read({ path, cookie }: Page, agent: Agent | false): Promise<void> {
    figures.requests += 1
    const response = await fetchPage(url + path, cookie, agent)
    figures.responses.set(response.result, (figures.responses.get(response.result) ?? 0) + 1)
    if (!response.isExpected) figures.errors.push(`${path} returned ${response.result}`)
  }

  async function run(): Promise<void> {
    for (let turn = 0; !abort.signal.aborted; turn += 1) {
      // Each page is read over both kinds of connections.
      const fresh = Math.floor(turn / pages.length) % 2 === 1
      const reading = read(pages[turn % pages.length] as Page, fresh ? false : kept)
      pending.add(reading)
      void reading.finally(() => pending.delete(reading))
      await delay(1000 / perSecond, undefined, { signal: abort.signal }).catch(() => {})
    }
    await Promise.all(pending)
    kept.destroy()
  }

  const running = run()
  return {
    async stop() {
      abort.abort()
      await running
      return figures
    },
  }
}

interface PageResponse {
  result: string
  /** A success, or a failure after which clients can retry. */
  isExpected: boolean
}

function fetchPage(url: string, cookie: string | undefined, agent: Agent | false): Promise<PageResponse> {
  return new Promise((resolve) => {
    const failed = (error: Error & { code?: string }) =>
      resolve({ result: error.code ?? error.message, isExpected: true })
    const request = get(url, { agent, headers: cookie ? { cookie } : {}, timeout: RESPONSE_TIMEOUT_MS }, (response) => {
      response.on('error', failed).on('end', () => {
        const status = response.statusCode ?? 0
        const later = (status === 503 || status === 429) && response.headers['retry-after'] !== undefined
        resolve({ result: String(status), isExpected: status === 200 || later })
      })
      response.resume()
    })
    request.on('timeout', () => request.destroy(new Error(`no response within ${RESPONSE_TIMEOUT_MS / 1000} s`)))
    request.on('error', failed)
  })
}
