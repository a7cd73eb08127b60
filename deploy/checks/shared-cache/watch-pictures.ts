import { setTimeout as delay } from 'node:timers/promises'

export interface PictureRequest {
  path: string
  method?: 'GET' | 'HEAD'
  headers?: Record<string, string>
}

interface Answer {
  request: PictureRequest
  /** 0: there was none. */
  status: number
  sentAt: number
}

/** Requests pictures all the time, as visitors do while the owner changes something. */
export interface PictureWatch {
  /** Resolves when each request, sent after this call, has been served. */
  untilServed(): Promise<void>
  /** The statuses of what was sent from this time on (`performance.now`), each once, when every request has an answer. */
  statusesFrom(time: number): Promise<number[]>
  /** The time at which the last request was sent that was served; undefined if none was. */
  lastServed(): number | undefined
  /** Sends no more. Resolves when all have been answered. */
  stop(): Promise<void>
}

const EVERY_MS = 20
const ANSWER_WITHIN_MS = 20_000
const WAIT_MS = 30_000

const isServed = (status: number) => status === 200 || status === 206 || status === 304

/** Sends these requests in turn, one every 20 ms, whether or not earlier ones have been answered. */
export function watchPictures(origin: string, requests: PictureRequest[]): PictureWatch {
  const answers: Answer[] = []
  const pending = new Set<Promise<void>>()
  let next = 0

  async function send(request: PictureRequest): Promise<void> {
    const sentAt = performance.now()
    const { path, ...init } = request
    const status = await fetch(origin + path, { ...init, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
      .then((response) => response.arrayBuffer().then(() => response.status))
      .catch(() => 0)
    answers.push({ request, status, sentAt })
  }

  const timer = setInterval(() => {
    const request = requests[next % requests.length]
    next += 1
    if (!request) return
    const sent = send(request)
    pending.add(sent)
    void sent.then(() => pending.delete(sent))
  }, EVERY_MS)

  const sentFrom = (time: number) => answers.filter(({ sentAt }) => sentAt >= time)

  async function untilEach(what: string, some: () => Answer[]): Promise<void> {
    for (const deadline = performance.now() + WAIT_MS; performance.now() < deadline; await delay(10)) {
      const present = new Set(some().map(({ request }) => request))
      if (present.size === requests.length) return
    }
    const statuses = [...new Set(answers.slice(-requests.length).map(({ status }) => status))]
    throw new Error(`not every picture was ${what} within ${WAIT_MS / 1000} s; the last statuses: ${statuses}`)
  }

  return {
    async untilServed() {
      const start = performance.now()
      await untilEach('served', () => sentFrom(start).filter(({ status }) => isServed(status)))
    },
    async statusesFrom(time) {
      await untilEach('answered', () => sentFrom(time))
      return [...new Set(sentFrom(time).map(({ status }) => status))].sort()
    },
    lastServed: () =>
      answers
        .filter(({ status }) => isServed(status))
        .map(({ sentAt }) => sentAt)
        .sort((a, b) => a - b)
        .at(-1),
    async stop() {
      clearInterval(timer)
      await Promise.all(pending)
    },
  }
}
