import { randomInt, randomUUID } from 'node:crypto'
import type { Profile } from '../state/profile.ts'

/** The life of an order; the last two are ends. */
export type Stage = 'submitting' | 'downloading' | 'ready' | 'sold' | 'cancelled'

/** What the partner says to these stages; its word for a cancelled order is a setting. */
const STAGE_TEXTS: Record<Exclude<Stage, 'cancelled'>, string> = {
  submitting: 'Submitting',
  downloading: 'Downloading',
  ready: 'Ready for Pickup',
  sold: 'Sold',
}

/** One image in one size. */
export interface OrderItem {
  productId: string
  productSize: string
  url: string
  quantity: number
  image: { format: string; width: number; height: number; bytes: number } | null
  /** Of what would have been printed; null before the download and when it is no longer kept. */
  thumbnailId: string | null
  problem: string | null
}

export interface Order {
  vendorOrderId: string
  affNotes: string
  customer: { firstName: string; lastName: string; phone: string; email: string }
  couponCode: string
  storeNum: string
  storeName: string
  timeZone: string
  promiseTime: string
  subtotalCents: number
  discountCents: number
  items: OrderItem[]
  /** Entries in the request's imageDetails. */
  imageCount: number
  // Times are milliseconds of the sandbox's clock.
  submittedAt: number
  downloadAt: number
  readyAt: number
  isCollected: boolean
  isPrinterDown: boolean
  stage: Stage
  /** When the stage began. */
  stageAt: number
  downloadedAt: number | null
  attempts: number
  /** A status text set by hand; hides the stage until it is removed. */
  scriptedStatus: string | null
  history: { at: number; text: string }[]
}

export function addHistory(order: Order, at: number, text: string): void {
  order.history.push({ at, text })
}

export function enterStage(order: Order, stage: Stage, at: number, text: string): void {
  order.stage = stage
  order.stageAt = at
  addHistory(order, at, text)
}

export function statusText(order: Order, profile: Profile): string {
  if (order.scriptedStatus !== null) return order.scriptedStatus
  return order.stage === 'cancelled' ? profile.cancelledText : STAGE_TEXTS[order.stage]
}

export function isOpen({ stage }: Order): boolean {
  return stage !== 'sold' && stage !== 'cancelled'
}

/** A number that no order had before, not from the seed: clients keep numbers longer than a sandbox lives. */
export function newOrderId(format: Profile['vendorOrderIds']): string {
  if (format === 'uuid') return randomUUID()
  const digits = `${randomInt(10 ** 6, 10 ** 7)}${String(randomInt(0, 10 ** 6)).padStart(6, '0')}`
  return format === 'prefixed' ? `PHT-${digits}` : digits
}
