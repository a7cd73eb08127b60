import { Agent, get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

export interface Page {
  path: string
  cookie?: string
}

/** Requests that were begun, and how often each answer (a status, or an error's code) came. */
export interface PageFigures {
  begun: number
  answers: Map<string, number>
  /** What was answered with neither success nor a request to come back later. */
  wrong: string[]
}

const patienceMs = 30_000

/** Reads these pages in turn, so many a second, in turn over connections that stay open and over new ones. */
export function readPages(url: string, pages: Page[], perSecond: number): { stop(): Promise<PageFigures> } {
  const figures: PageFigures = { begun: 0, answers: new Map(), wrong: [] }
  const kept = new Agent({ keepAlive: true })
  const under = new Set<Promise<void>>()
  const leaving = new AbortController()

  async function read({ path, cookie }: Page, agent: Agent | false): Promise<void> {
    figures.begun += 1
    const answer = await ask(url + path, cookie, agent)
    figures.answers.set(answer.told, (figures.answers.get(answer.told) ?? 0) + 1)
    if (!answer.good) figures.wrong.push(`${path} was answered ${answer.told}`)
  }

  async function run(): Promise<void> {
    for (let turn = 0; !leaving.signal.aborted; turn += 1) {
      // Each page is read over both kinds of connections.
      const fresh = Math.floor(turn / pages.length) % 2 === 1
      const reading = read(pages[turn % pages.length] as Page, fresh ? false : kept)
      under.add(reading)
      void reading.finally(() => under.delete(reading))
      await delay(1000 / perSecond, undefined, { signal: leaving.signal }).catch(() => {})
    }
    await Promise.all(under)
    kept.destroy()
  }

  const running = run()
  return {
    async stop() {
      leaving.abort()
      await running
      return figures
    },
  }
}

interface Answer {
  told: string
  /** Success, or such a failure as clients get over. */
  good: boolean
}

function ask(url: string, cookie: string | undefined, agent: Agent | false): Promise<Answer> {
  return new Promise((resolve) => {
    const failed = (error: Error & { code?: string }) => resolve({ told: error.code ?? error.message, good: true })
    const request = get(url, { agent, headers: cookie ? { cookie } : {}, timeout: patienceMs }, (response) => {
      response.on('error', failed).on('end', () => {
        const status = response.statusCode ?? 0
        const later = (status === 503 || status === 429) && response.headers['retry-after'] !== undefined
        resolve({ told: String(status), good: status === 200 || later })
      })
      response.resume()
    })
    request.on('timeout', () => request.destroy(new Error(`no answer in ${patienceMs / 1000} s`)))
    request.on('error', failed)
  })
}
