const NAME = 'uploads'
/** Other tabs answer at once. */
const WAIT_MS = 150

type Message = 'which' | { sessions: string[] }

/** Tells other tabs of this browser, when they ask, which upload sessions this one is sending. Returns how to stop. */
export function tellOtherTabs(sessions: () => string[]): () => void {
  const channel = new BroadcastChannel(NAME)
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data === 'which') channel.postMessage({ sessions: sessions() } satisfies Message)
  }
  return () => channel.close()
}

/** The upload sessions that other tabs of this browser are sending. */
export function sessionsOfOtherTabs(): Promise<ReadonlySet<string>> {
  const channel = new BroadcastChannel(NAME)
  const found = new Set<string>()
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data !== 'which') for (const id of data.sessions) found.add(id)
  }
  channel.postMessage('which' satisfies Message)
  return new Promise((resolve) => {
    setTimeout(() => {
      channel.close()
      resolve(found)
    }, WAIT_MS)
  })
}
