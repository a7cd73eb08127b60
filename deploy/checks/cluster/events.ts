import { setTimeout as delay } from 'node:timers/promises'

/** A browser's stream of live events over a whole load. */
export interface StreamFigures {
  /** How long the browser had no stream, each time one ended, in milliseconds. */
  gaps: number[]
  events: number
  /** Answers other than a stream. */
  refusals: string[]
}

/** Listens as a browser does: when a stream ends, it comes back after the time that the server named. */
export function followEvents(url: string, cookie: string): { stop(): Promise<StreamFigures> } {
  const figures: StreamFigures = { gaps: [], events: 0, refusals: [] }
  const leaving = new AbortController()
  let retryMs = 3_000
  let endedAt: number | null = null

  function read(line: string): void {
    if (line.startsWith('retry:')) retryMs = Number(line.slice(6))
    if (line.startsWith('data:')) figures.events += 1
  }

  async function listen(): Promise<void> {
    const answer = await fetch(`${url}/api/events`, { headers: { cookie }, signal: leaving.signal })
    if (!answer.ok || !answer.body) {
      figures.refusals.push(`${answer.status} ${await answer.text()}`)
      return
    }
    if (endedAt !== null) figures.gaps.push(Math.round(performance.now() - endedAt))
    endedAt = null
    const decoder = new TextDecoder()
    let rest = ''
    for await (const chunk of answer.body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) read(line)
    }
  }

  async function follow(): Promise<void> {
    while (!leaving.signal.aborted) {
      await listen().catch(() => {})
      endedAt ??= performance.now()
      await delay(retryMs, undefined, { signal: leaving.signal }).catch(() => {})
    }
  }

  const following = follow()
  return {
    async stop() {
      leaving.abort()
      await following
      return figures
    },
  }
}
