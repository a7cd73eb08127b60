import { remember, remembered } from '../../../lib/remember.ts'
import { ASLEEP_MS } from '../queue/connection.ts'
import type { RateMemory } from '../queue/part-plan.ts'
import type { UploadQueue } from '../queue/upload-queue.ts'

const RATE_KEY = 'upload-rate'

/** The rate of earlier visits of this browser; without storage the next visit starts with the recommended size. */
export const rateMemory: RateMemory = {
  read: () => Number(remembered(RATE_KEY)) || null,
  write: (bytesPerSecond) => remember(RATE_KEY, String(bytesPerSecond)),
}

const LOCK_PREFIX = 'upload session '

/**
 * Runs the work while this tab, and no other one of this browser, has the upload session. Where there are no locks (pages without https,
 * blocked storage) both tabs send the parts, which does no harm.
 */
export async function holdSession(id: string, work: (hasWaited: boolean) => Promise<void>): Promise<void> {
  const name = LOCK_PREFIX + id
  let hasBegun = false
  const begin = (hasWaited: boolean) => {
    hasBegun = true
    return work(hasWaited)
  }
  try {
    await navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
      if (lock) await begin(false)
    })
    if (!hasBegun) await navigator.locks.request(name, () => begin(true))
  } catch (error) {
    if (hasBegun) throw error
    await work(false)
  }
}

/** The upload sessions that the tabs of this browser, also this one, are sending. */
export async function heldSessions(): Promise<ReadonlySet<string>> {
  try {
    const { held = [] } = await navigator.locks.query()
    return new Set(held.map(({ name = '' }) => name.replace(LOCK_PREFIX, '')))
  } catch {
    return new Set()
  }
}

const TICK_MS = 10_000

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
