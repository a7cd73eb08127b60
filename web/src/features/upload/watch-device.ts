import type { UploadQueue } from './queue/upload-queue.ts'

const TICK_MS = 10_000
/** Browsers delay the timers of hidden pages, by a minute at most. */
const ASLEEP_MS = 90_000

/** Tells the queue when the device has slept or is online again, and when the user looks at the page. Returns how to stop. */
export function watchDevice(queue: Pick<UploadQueue, 'wake' | 'look'>): () => void {
  let lastTick = Date.now()
  function hasSlept(): boolean {
    const passed = Date.now() - lastTick
    lastTick = Date.now()
    return passed > ASLEEP_MS
  }
  const timer = setInterval(() => hasSlept() && queue.wake(), TICK_MS)
  const online = () => queue.wake()
  // Not all healthy parts move: what waits for the server's response stands still.
  const visible = () => document.visibilityState === 'visible' && (hasSlept() ? queue.wake() : queue.look())
  addEventListener('online', online)
  document.addEventListener('visibilitychange', visible)
  return () => {
    clearInterval(timer)
    removeEventListener('online', online)
    document.removeEventListener('visibilitychange', visible)
  }
}
