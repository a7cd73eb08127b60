import { setTimeout as delay } from 'node:timers/promises'

/** A browser's stream of live events during a load. */
export interface StreamFigures {
  /** Milliseconds without a stream, each time one ended. */
  gaps: number[]
  events: number
  /** Responses other than a stream. */
  rejections: string[]
}

/** Listens as a browser does: when a stream ends, it reconnects after the time that the server named. */
export function followEvents(url: string, cookie: string): { stop(): Promise<StreamFigures> } {
  const figures: StreamFigures = { gaps: [], events: 0, rejections: [] }
  const abort = new AbortController()
  let retryMs = 3_000
  let endedAt: number | null = null

  function read(line: string): void {
    if (line.startsWith('retry:')) retryMs = Number(line.slice(6))
    if (line.startsWith('data:')) figures.events += 1
  }

  async function listen(): Promise<void> {
    const response = await fetch(`${url}/api/events`, { headers: { cookie }, signal: abort.signal })
    if (!response.ok || !response.body) {
      figures.rejections.push(`${response.status} ${await response.text()}`)
      return
    }
    if (endedAt !== null) figures.gaps.push(Math.round(performance.now() - endedAt))
    endedAt = null
    const decoder = new TextDecoder()
    let rest = ''
    for await (const chunk of response.body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) read(line)
    }
  }

  async function follow(): Promise<void> {
    while (!abort.signal.aborted) {
      await listen().catch(() => {})
      endedAt ??= performance.now()
      await delay(retryMs, undefined, { signal: abort.signal }).catch(() => {})
    }
  }

  const following = follow()
  return {
    async stop() {
      abort.abort()
      await following
      return figures
    },
  }
}
