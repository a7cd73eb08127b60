import type { Hint } from './types.ts'

export interface EventHandlers {
  onHint(hint: Hint): void
  /**
   * The stream has opened, for the first time or again, or another tab has it open already. Earlier hints may be lost;
   * there was none in the last `quietMs` milliseconds.
   */
  onOpen(quietMs: number): void
  /** The server rejected the stream: the session may have ended. */
  onRejected(): void
  /** Whether the stream is open. */
  onState(live: boolean): void
}

/** Messages from the tab with the stream to the others. A new tab sends `ask`, which an open stream answers. */
type Message =
  | { kind: 'hint'; hint: Hint }
  | { kind: 'open'; quietMs: number }
  | { kind: 'refused' }
  | { kind: 'state'; live: boolean }
  | { kind: 'ask' }
  | { kind: 'answer'; quietMs: number }

const CHANNEL_NAME = 'skyfolio-events'
const FIRST_RETRY_MS = 1_000
const MAX_RETRY_MS = 30_000

/** Keeps one EventSource open until the signal aborts. The browser reconnects by itself, except after a rejection. */
function keepStreamOpen(emit: (message: Message) => void, signal: AbortSignal): void {
  let wait = FIRST_RETRY_MS
  let timer: ReturnType<typeof setTimeout> | undefined
  let source: EventSource

  function open(): void {
    source = new EventSource('/api/events', { withCredentials: true })
    source.addEventListener('ready', ({ data }: MessageEvent<string>) => {
      wait = FIRST_RETRY_MS
      emit({ kind: 'state', live: true })
      emit({ kind: 'open', quietMs: JSON.parse(data).quietMs })
    })
    source.onmessage = (event: MessageEvent<string>) => emit({ kind: 'hint', hint: JSON.parse(event.data) as Hint })
    source.onerror = () => {
      emit({ kind: 'state', live: false })
      if (source.readyState !== EventSource.CLOSED) return
      emit({ kind: 'refused' })
      timer = setTimeout(open, wait)
      wait = Math.min(wait * 2, MAX_RETRY_MS)
    }
  }

  signal.addEventListener('abort', () => {
    clearTimeout(timer)
    source.close()
  })
  open()
}

/**
 * Listens to the server's hints until the returned function is called. One tab of the browser, the holder of a Web
 * Lock, has the stream and forwards everything to the others; when it closes, the next tab takes over. Browsers without
 * Web Locks (pages outside a secure context) open a stream per tab.
 */
export function listenToEvents(handlers: EventHandlers): () => void {
  const stopped = new AbortController()
  let isNew = true

  function receive(message: Message): void {
    if (message.kind === 'hint') handlers.onHint(message.hint)
    if (message.kind === 'open') handlers.onOpen(message.quietMs)
    if (message.kind === 'refused') handlers.onRejected()
    if (message.kind === 'state') handlers.onState(message.live)
    // Other tabs hear the answer, too, but have missed nothing.
    if (message.kind === 'answer' && isNew) {
      handlers.onState(true)
      handlers.onOpen(message.quietMs)
    }
    if (message.kind === 'answer' || message.kind === 'open') isNew = false
  }

  if (!('locks' in navigator)) {
    keepStreamOpen(receive, stopped.signal)
    return () => stopped.abort()
  }

  const channel = new BroadcastChannel(CHANNEL_NAME)
  channel.onmessage = (event: MessageEvent<Message>) => receive(event.data)
  const lead = () =>
    new Promise<void>((resolve) => {
      let live = false
      let lastHintAt = 0
      stopped.signal.addEventListener('abort', () => resolve())
      channel.onmessage = (event: MessageEvent<Message>) => {
        if (event.data.kind !== 'ask' || !live) return
        channel.postMessage({ kind: 'answer', quietMs: Date.now() - lastHintAt } satisfies Message)
      }
      receive({ kind: 'state', live })
      keepStreamOpen((message) => {
        if (message.kind === 'state') live = message.live
        if (message.kind === 'open') lastHintAt = Date.now() - message.quietMs
        if (message.kind === 'hint') lastHintAt = Date.now()
        receive(message)
        channel.postMessage(message)
      }, stopped.signal)
    })
  channel.postMessage({ kind: 'ask' } satisfies Message)
  navigator.locks.request(CHANNEL_NAME, { signal: stopped.signal }, lead).catch(() => {
    // Stopped while waiting for the lock.
  })
  stopped.signal.addEventListener('abort', () => channel.close())
  return () => stopped.abort()
}
