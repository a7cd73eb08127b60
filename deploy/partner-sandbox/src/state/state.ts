import type { Issued } from '../catalog/promise-time.ts'
import { OrderLife } from '../orders/life.ts'
import type { Order } from '../orders/order.ts'
import type { SandboxSettings } from '../settings.ts'
import { Clock } from './clock.ts'
import { DataFile } from './data-file.ts'
import { knownError } from './errors.ts'
import { Faults } from './faults.ts'
import { INITIAL_PROFILE, type Profile } from './profile.ts'
import { RateLimits, RequestLog } from './request-log.ts'

const MAX_ORDERS = 20_000

/** Everything that a running sandbox knows. */
export class SandboxState {
  readonly settings: SandboxSettings
  readonly clock = new Clock()
  readonly faults = new Faults()
  limits = new RateLimits()
  log = new RequestLog()
  /** The promise times that were sent, by store and text. */
  readonly promiseTimes = new Map<string, Issued>()
  readonly thumbnails = new Map<string, Buffer>()
  /** The oldest first. */
  readonly orders = new Map<string, Order>()
  profile: Profile = INITIAL_PROFILE
  readonly life: OrderLife
  readonly file: DataFile

  constructor(settings: SandboxSettings) {
    this.settings = settings
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
    this.clock.offsetMs = saved.clockOffsetMs
  }

  /** When there are too many, the oldest is forgotten. */
  addOrder(order: Order): void {
    this.orders.set(order.vendorOrderId, order)
    const [oldest = ''] = this.orders.keys()
    if (this.orders.size > MAX_ORDERS) this.orders.delete(oldest)
  }

  /** @throws BusinessError as the partner rejects credentials */
  authenticate(affId: string, apiKey: string): void {
    if (apiKey !== this.settings.apiKey) throw knownError('2003')
    if (affId !== this.settings.affiliateId) throw knownError('659')
  }

  /** Saves in the background. */
  save(): void {
    this.file.save().catch((error) => console.error('saving the orders failed', error))
  }

  reset(): void {
    this.faults.clear()
    this.profile = INITIAL_PROFILE
    this.limits = new RateLimits()
    this.log = new RequestLog()
    this.promiseTimes.clear()
    this.orders.clear()
    this.thumbnails.clear()
    this.clock.offsetMs = 0
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
