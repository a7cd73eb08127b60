import { PromiseTimes } from '../catalog/promise-time.ts'
import { Blobs } from '../orders/blobs.ts'
import { OrderLife } from '../orders/life.ts'
import { isOpen, type Order } from '../orders/order.ts'
import type { SandboxSettings } from '../settings.ts'
import { Clock } from './clock.ts'
import { DataFile } from './data-file.ts'
import { knownError } from './errors.ts'
import { Faults } from './faults.ts'
import { initialProfile, isSameKey, type Profile } from './profile.ts'
import { createRandom } from './random.ts'
import { RateLimits, RequestLog } from './request-log.ts'

const MAX_ORDERS = 20_000

/** Everything that a running sandbox knows. */
export class SandboxState {
  readonly settings: SandboxSettings
  readonly random = createRandom(1)
  readonly clock = new Clock()
  readonly faults = new Faults(this.random)
  limits = new RateLimits()
  log = new RequestLog()
  readonly promiseTimes = new PromiseTimes()
  readonly blobs = new Blobs()
  readonly thumbnails = new Map<string, Buffer>()
  /** The oldest first. */
  readonly orders = new Map<string, Order>()
  profile: Profile
  readonly life: OrderLife
  readonly file: DataFile

  constructor(settings: SandboxSettings) {
    this.settings = settings
    this.profile = initialProfile(settings.apiKey)
    this.file = new DataFile(settings.dataFile, () => this.#saved())
    this.life = new OrderLife(this)
  }

  async load(): Promise<void> {
    const saved = await this.file.load()
    if (!saved) return
    for (const order of saved.orders) this.addOrder(order)
    for (const [id, image] of Object.entries(saved.thumbnails)) {
      this.thumbnails.set(id, Buffer.from(image, 'base64'))
    }
    this.clock.setOffset(saved.clockOffsetMs)
  }

  /** When there are too many, the oldest finished one is forgotten, or the oldest. */
  addOrder(order: Order): void {
    this.orders.set(order.vendorOrderId, order)
    if (this.orders.size <= MAX_ORDERS) return
    const orders = [...this.orders.values()]
    const forgotten = orders.find((other) => !isOpen(other)) ?? orders[0]
    if (forgotten) this.orders.delete(forgotten.vendorOrderId)
  }

  /** @throws BusinessError as the partner rejects credentials */
  authenticate(affId: string, apiKey: string): void {
    if (!isSameKey(apiKey, this.profile.apiKey)) throw knownError('2003')
    if (affId !== this.settings.affiliateId) throw knownError('659')
  }

  /** Saves in the background. */
  save(): void {
    this.file.save().catch((error) => console.error('saving the orders failed', error))
  }

  reset(): void {
    this.faults.clear()
    this.profile = initialProfile(this.settings.apiKey)
    this.limits = new RateLimits()
    this.log = new RequestLog()
    this.promiseTimes.clear()
    this.orders.clear()
    this.thumbnails.clear()
    this.blobs.clear()
    this.clock.setOffset(0)
  }

  async stop(): Promise<void> {
    this.faults.clear()
    await this.life.stop()
    await this.file.save()
  }

  #saved() {
    const images = [...this.thumbnails].map(([id, image]) => [id, image.toString('base64')] as const)
    const orders = [...this.orders.values()]
    return { version: 1 as const, clockOffsetMs: this.clock.offsetMs, orders, thumbnails: Object.fromEntries(images) }
  }
}
