import { type Clock, HOUR, MINUTE } from '../state/clock.ts'
import type { Profile, Profiles } from '../state/profile.ts'
import type { Downloads } from './downloads.ts'
import type { ImageProblem } from './fetch-image.ts'
import { addHistory, enterStage, isOpen, type Order } from './order.ts'
import type { OrderBook } from './order-book.ts'

const TICK_MS = 500
const SETTLE_LIMIT_MS = 30_000

export interface LifeDeps {
  clock: Clock
  profiles: Profiles
  orders: OrderBook
  downloads: Downloads
  changed(): void
}

/** Moves orders through their life as the sandbox's clock goes. */
export class OrderLife {
  readonly #deps: LifeDeps
  readonly #timer: NodeJS.Timeout

  constructor(deps: LifeDeps) {
    this.#deps = deps
    this.#timer = setInterval(() => this.tick(), TICK_MS).unref()
    deps.clock.onChange(() => this.tick())
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  tick(): void {
    const now = this.#deps.clock.now()
    for (const order of this.#deps.orders.values()) if (isOpen(order)) this.#move(order, now)
  }

  /** Waits until all orders are where the clock says: until no download runs or is due. */
  async settle(): Promise<void> {
    const deadline = performance.now() + SETTLE_LIMIT_MS
    while (performance.now() < deadline) {
      this.tick()
      const now = this.#deps.clock.now()
      const isMoving = (order: Order) =>
        this.#deps.downloads.isBusy(order) || (nextStepAt(order, this.#profile(order)) ?? Infinity) <= now
      if (!this.#deps.orders.list().some((order) => isOpen(order) && isMoving(order))) return
      await Promise.race([this.#deps.downloads.next(), new Promise((resolve) => setTimeout(resolve, TICK_MS))])
    }
  }

  /** When the next order moves, if any will. */
  nextStepAt(): number | undefined {
    const now = this.#deps.clock.now()
    const steps = this.#deps.orders.list().flatMap((order) => nextStepAt(order, this.#profile(order)) ?? [])
    return steps
      .filter((at) => at > now)
      .reduce<number | undefined>((first, at) => Math.min(first ?? at, at), undefined)
  }

  #profile({ affId }: Order): Profile {
    return this.#deps.profiles.get(affId) ?? this.#deps.profiles.main
  }

  #move(order: Order, now: number): void {
    const profile = this.#profile(order)
    for (;;) {
      const at = nextStepAt(order, profile)
      if (at === undefined || at > now || this.#deps.downloads.isBusy(order)) return
      if (needsImages(order, profile)) {
        this.#download(order, at)
        return
      }
      takeStep(order, at, profile)
      this.#deps.changed()
    }
  }

  #download(order: Order, at: number): void {
    const { downloads, changed } = this.#deps
    if (!downloads.hasRoom) return
    order.attempts++
    downloads.start(order, (problem) => {
      if (problem) failDownload(order, at, problem, this.#profile(order))
      else finishDownload(order, at)
      changed()
      this.tick()
    })
  }
}

function needsImages({ stage, downloadedAt }: Order, profile: Profile): boolean {
  return stage === 'downloading' && downloadedAt === null && profile.downloads
}

/** When the order takes its next step; undefined when it takes none. */
function nextStepAt(order: Order, profile: Profile): number | undefined {
  const { stage, stageAt, attempts, downloadedAt, readyAt, pickupHours, isCollected } = order
  if (stage === 'submitting') return order.downloadAt
  if (stage === 'downloading' && downloadedAt === null)
    return stageAt + attempts * profile.downloadRetryMinutes * MINUTE
  if (stage === 'downloading') return Math.max(readyAt, downloadedAt ?? 0)
  if (stage === 'ready' && isCollected) return stageAt + pickupHours * HOUR
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
  addHistory(
    order,
    at,
    order.items.every(({ image }) => image) ? 'All images downloaded' : 'Downloads are switched off',
  )
}

function failDownload(order: Order, at: number, problem: ImageProblem, profile: Profile): void {
  addHistory(order, at, `Download attempt ${order.attempts}: ${problem.message}`)
  if (problem.isTemporary && order.attempts < profile.downloadAttempts) return
  enterStage(order, 'cancelled', at, `${profile.cancelledText}: an image is not available`)
}
