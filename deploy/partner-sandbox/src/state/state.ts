import { PromiseTimes } from '../catalog/promise-time.ts'
import { Blobs } from '../orders/blobs.ts'
import { Downloads } from '../orders/downloads.ts'
import { OrderLife } from '../orders/life.ts'
import { OrderBook } from '../orders/order-book.ts'
import { Thumbnails } from '../orders/thumbnails.ts'
import type { SandboxSettings } from '../settings.ts'
import { Clock } from './clock.ts'
import { DataFile } from './data-file.ts'
import { Faults } from './faults.ts'
import { Profiles } from './profile.ts'
import { createRandom, type Random } from './random.ts'
import { RateLimits } from './rate-limits.ts'
import { RequestLog } from './request-log.ts'

/** Everything that a running sandbox knows. */
export class SandboxState {
  readonly settings: SandboxSettings
  readonly random: Random
  readonly clock = new Clock()
  readonly faults: Faults
  readonly profiles: Profiles
  readonly limits = new RateLimits()
  readonly log = new RequestLog()
  readonly promiseTimes = new PromiseTimes()
  readonly blobs = new Blobs()
  readonly thumbnails = new Thumbnails()
  readonly orders: OrderBook
  readonly downloads: Downloads
  readonly life: OrderLife
  readonly file: DataFile
  /** Grows with every change that the page shows. */
  changes = 0

  constructor(settings: SandboxSettings) {
    this.settings = settings
    const { apiKey, affiliateId, imageOrigin, seed, maxOrders, dataFile } = settings
    this.random = createRandom(seed)
    this.faults = new Faults(this.random)
    this.profiles = new Profiles({ affId: affiliateId, apiKey })
    this.orders = new OrderBook(maxOrders)
    this.downloads = new Downloads({ imageOrigin, blobs: this.blobs, thumbnails: this.thumbnails })
    this.file = new DataFile(dataFile, () => this.#saved())
    const { clock, profiles, orders, downloads } = this
    this.life = new OrderLife({ clock, profiles, orders, downloads, changed: () => this.changed() })
    clock.onChange(() => this.changed())
    this.faults.onChange(() => this.changes++)
  }

  async load(): Promise<void> {
    const saved = await this.file.load()
    if (!saved) return
    this.orders.replace(saved.orders)
    for (const [id, image] of Object.entries(saved.thumbnails)) this.thumbnails.add(Buffer.from(image, 'base64'), id)
    this.clock.setOffset(saved.clockOffsetMs)
  }

  /** Saves in the background. */
  changed(): void {
    this.changes++
    this.file.save().catch((error) => console.error('saving the orders failed', error))
  }

  reset(): void {
    this.faults.clear()
    this.profiles.reset()
    this.limits.clear()
    this.log.clear()
    this.promiseTimes.clear()
    this.orders.clear()
    this.thumbnails.clear()
    this.blobs.clear()
    this.clock.setOffset(0)
  }

  async stop(): Promise<void> {
    this.life.stop()
    this.faults.clear()
    await this.downloads.stop()
    await this.file.save()
  }

  #saved() {
    const images = this.thumbnails.entries().map(([id, image]) => [id, image.toString('base64')] as const)
    const thumbnails = Object.fromEntries(images)
    return { version: 1 as const, clockOffsetMs: this.clock.offsetMs, orders: this.orders.list(), thumbnails }
  }
}
