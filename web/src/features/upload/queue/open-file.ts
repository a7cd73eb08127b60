import type { UploadSession } from '../../../api/types.ts'
import type { PartToSend, SignedPart } from './deps.ts'
import { Attempts } from './failure.ts'
import type { Item } from './items.ts'

/** URLs are used for at most this long, also where the clocks of browser and server differ, and not in their last seconds. */
const MAX_URL_AGE_MS = 10 * 60_000
const MIN_URL_AGE_MS = 60_000
const URL_RESERVE_MS = 30_000

/** A part that is being sent. */
export interface Flight {
  readonly abort: AbortController
  sent: number
  progressAt: number
  /** Its failure says nothing about the connection. */
  isInterrupted: boolean
}

/** A file with an open upload session: which of its parts are stored, and which are being sent. */
export class OpenFile {
  readonly item: Item
  readonly id: string
  readonly partBytes: number
  readonly attempts = new Attempts()
  readonly flights = new Map<number, Flight>()
  /** After a failure: the server may have more or less than this page knows. */
  isUnsure = false
  /** Its parts are too large for this connection. */
  isTooLarge = false
  /** A request about the whole upload session is running. */
  isRequesting = false
  /** Another request makes its photo, or another tab sends it: nothing can be started. */
  isResting = false
  close: () => void = () => {}
  readonly closed = new Promise<void>((resolve) => {
    this.close = resolve
  })
  #missing = new Set<number>()
  /** Parts that another device is sending. */
  readonly #left = new Set<number>()
  #isFromEnd = false
  /** Null when the parts go through the gateway. */
  signed: Map<number, SignedPart> | null = null
  #signedUntil = 0

  constructor(item: Item, { id, partBytes }: Pick<UploadSession, 'id' | 'partBytes'>) {
    this.item = item
    this.id = id
    this.partBytes = partBytes
  }

  apply({ missing, ...session }: Pick<UploadSession, 'missing' | 'uploads' | 'uploadsExpireAt'>): void {
    this.isUnsure = false
    this.#missing = new Set(missing)
    this.takeUrls(session)
  }

  takeUrls({ uploads, uploadsExpireAt }: Pick<UploadSession, 'uploads' | 'uploadsExpireAt'>): void {
    this.signed = uploads && new Map(uploads.map((signed) => [signed.number, signed]))
    const age = Date.parse(uploadsExpireAt ?? '') - Date.now()
    this.#signedUntil = performance.now() + Math.min(Math.max(age, MIN_URL_AGE_MS), MAX_URL_AGE_MS) - URL_RESERVE_MS
  }

  /** Bytes that the server has confirmed. */
  get stored(): number {
    return this.item.bytes - sum(this.#missing, (number) => this.bytesOf(number))
  }

  /** Bytes that the browser has sent of parts that are not confirmed. */
  get inFlight(): number {
    return sum(this.flights.values(), ({ sent }) => sent)
  }

  /** Bytes of the parts being sent that have not left the browser. */
  get unsent(): number {
    return sum(this.flights, ([number, { sent }]) => this.bytesOf(number) - sent)
  }

  get isComplete(): boolean {
    return this.#missing.size === 0
  }

  /** False when its parts are as small as the server accepts. */
  get canBeSmaller(): boolean {
    const { minPartBytes } = this.item.batch.parts
    return this.partBytes > minPartBytes && this.item.bytes > minPartBytes
  }

  get isBusy(): boolean {
    return this.isRequesting || this.isResting
  }

  /** The parts that are neither stored nor being sent, in the order in which they are to be sent. */
  get waiting(): number[] {
    const waiting = [...this.#missing].filter((number) => !this.flights.has(number) && !this.#left.has(number))
    return this.#isFromEnd ? waiting.reverse() : waiting
  }

  /** Another device is sending the part: from now on parts are taken from the other end, so that they do not meet again. */
  leave(number: number): void {
    // Several are lost at once: that is one encounter.
    if (this.#left.size === 0) this.#isFromEnd = !this.#isFromEnd
    this.#left.add(number)
  }

  /** The part is sent from here after all, if it is still missing: returns whether it is. */
  takeBack(number: number): boolean {
    this.#left.delete(number)
    return this.#missing.has(number)
  }

  bytesOf(number: number): number {
    return Math.min(this.partBytes, this.item.bytes - (number - 1) * this.partBytes)
  }

  /** True when the part needs a URL that is not at hand. */
  needsUrl(number: number): boolean {
    return this.signed !== null && (!this.signed.has(number) || performance.now() >= this.#signedUntil)
  }

  start(number: number): { part: PartToSend; flight: Flight } {
    const start = (number - 1) * this.partBytes
    const body = this.item.file.slice(start, start + this.bytesOf(number))
    const flight = { abort: new AbortController(), sent: 0, progressAt: Date.now(), isInterrupted: false }
    this.flights.set(number, flight)
    return { part: { session: this.id, number, body, signed: this.signed?.get(number) ?? null }, flight }
  }

  /** Sending the part has ended. Without success, what was sent of it no longer counts. */
  end(number: number, isStored: boolean): void {
    this.flights.delete(number)
    if (isStored) this.#missing.delete(number)
  }
}

function sum<T>(values: Iterable<T>, bytesOf: (value: T) => number): number {
  let bytes = 0
  for (const value of values) bytes += bytesOf(value)
  return bytes
}
