import { type Clock, HOUR, MINUTE } from '../state/clock.ts'
import type { Profile } from '../state/profile.ts'
import { downloadImages, type ImageProblem } from './downloads.ts'
import { addHistory, enterStage, isOpen, type Order } from './order.ts'

const TICK_MS = 500
const SETTLE_LIMIT_MS = 30_000
const MAX_PARALLEL_DOWNLOADS = 4
const DOWNLOAD_ATTEMPTS = 3
const DOWNLOAD_RETRY_MS = 10 * MINUTE
const PICKUP_MS = 24 * HOUR

interface LifeDeps {
  settings: { imageOrigin: string | undefined }
  thumbnails: Map<string, Buffer>
  clock: Clock
  orders: Map<string, Order>
  profile: Profile
  save(): void
}

/** Moves orders through their life as the sandbox's clock goes. */
export class OrderLife {
  readonly #state: LifeDeps
  readonly #timer: NodeJS.Timeout
  readonly #stopped = new AbortController()
  /** Downloads that run, by order. */
  readonly #running = new Map<string, Promise<void>>()

  constructor(state: LifeDeps) {
    this.#state = state
    this.#timer = setInterval(() => this.tick(), TICK_MS).unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#stopped.abort()
    await Promise.allSettled(this.#running.values())
  }

  tick(): void {
    const now = this.#state.clock.now()
    for (const order of this.#state.orders.values()) if (isOpen(order)) this.#move(order, now)
  }

  /** Waits until all orders are where the clock says: until no download runs or is due. */
  async settle(): Promise<void> {
    const deadline = performance.now() + SETTLE_LIMIT_MS
    while (performance.now() < deadline) {
      this.tick()
      const now = this.#state.clock.now()
      const isMoving = (order: Order) =>
        this.#running.has(order.vendorOrderId) || (nextStepAt(order) ?? Infinity) <= now
      if (![...this.#state.orders.values()].some((order) => isOpen(order) && isMoving(order))) return
      await Promise.race([...this.#running.values(), new Promise((resolve) => setTimeout(resolve, TICK_MS))])
    }
  }

  /** When the next order moves, if any will. */
  nextStepAt(): number | undefined {
    const now = this.#state.clock.now()
    const steps = [...this.#state.orders.values()].flatMap((order) => nextStepAt(order) ?? [])
    return steps
      .filter((at) => at > now)
      .reduce<number | undefined>((first, at) => Math.min(first ?? at, at), undefined)
  }

  #move(order: Order, now: number): void {
    const profile = this.#state.profile
    for (;;) {
      const at = nextStepAt(order)
      if (at === undefined || at > now || this.#running.has(order.vendorOrderId)) return
      if (needsImages(order, profile)) {
        this.#download(order, at)
        return
      }
      takeStep(order, at, profile)
      this.#state.save()
    }
  }

  #download(order: Order, at: number): void {
    if (this.#running.size >= MAX_PARALLEL_DOWNLOADS) return
    order.attempts++
    const { settings, thumbnails } = this.#state
    const deps = { imageOrigin: settings.imageOrigin, thumbnails, signal: this.#stopped.signal }
    const run = downloadImages(order, deps).then((problem) => {
      this.#running.delete(order.vendorOrderId)
      if (this.#stopped.signal.aborted) return
      if (problem) failDownload(order, at, problem, this.#state.profile)
      else finishDownload(order, at)
      this.#state.save()
      this.tick()
    })
    this.#running.set(order.vendorOrderId, run)
  }
}

function needsImages({ stage, downloadedAt }: Order, profile: Profile): boolean {
  return stage === 'downloading' && downloadedAt === null && profile.downloads
}

/** When the order takes its next step; undefined when it takes none. */
function nextStepAt(order: Order): number | undefined {
  const { stage, stageAt, attempts, downloadedAt, readyAt, isCollected } = order
  if (stage === 'submitting') return order.downloadAt
  if (stage === 'downloading' && downloadedAt === null) return stageAt + attempts * DOWNLOAD_RETRY_MS
  if (stage === 'downloading') return Math.max(readyAt, downloadedAt ?? 0)
  if (stage === 'ready' && isCollected) return stageAt + PICKUP_MS
  return undefined
}

function takeStep(order: Order, at: number, profile: Profile): void {
  if (order.stage === 'submitting') enterStage(order, 'downloading', at, 'Downloading')
  else if (order.stage === 'ready') enterStage(order, 'sold', at, 'Sold')
  else if (order.downloadedAt === null) finishDownload(order, at)
  else if (order.isPrinterDown) enterStage(order, 'cancelled', at, `${profile.cancelledText}: the printer is down`)
  else enterStage(order, 'ready', at, 'Ready for Pickup')
}

function finishDownload(order: Order, at: number): void {
  order.downloadedAt = at
  const isComplete = order.items.every(({ image }) => image)
  addHistory(order, at, isComplete ? 'All images downloaded' : 'Downloads are switched off')
}

function failDownload(order: Order, at: number, problem: ImageProblem, profile: Profile): void {
  addHistory(order, at, `Download attempt ${order.attempts}: ${problem.message}`)
  if (problem.isTemporary && order.attempts < DOWNLOAD_ATTEMPTS) return
  enterStage(order, 'cancelled', at, `${profile.cancelledText}: an image is not available`)
}
