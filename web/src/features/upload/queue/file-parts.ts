import type { UploadSession } from '../../../api/types.ts'
import { Attempts } from './attempts.ts'
import type { SignedPart } from './deps.ts'
import type { Item } from './item.ts'

/** URLs are used for at most this long, also where the clocks of browser and server differ, and not in their last seconds. */
const MAX_URL_AGE_MS = 10 * 60_000
const MIN_URL_AGE_MS = 60_000
const URL_RESERVE_MS = 30_000
/** More would expire before they are used. */
const URLS_AT_ONCE = 20

/** A file with an open upload session: which of its parts are stored, and which are being sent. */
export class FileParts {
  readonly item: Item
  readonly id: string
  readonly partBytes: number
  readonly attempts = new Attempts()
  /** After a failure: the server may have more or less than this page knows. */
  isUnsure = false
  /** It is no longer open. */
  close: () => void = () => {}
  readonly closed = new Promise<void>((resolve) => {
    this.close = resolve
  })
  /** Its parts are too large for this connection. */
  isTooLarge = false
  /** A request about the whole upload session is running. */
  isRequesting = false
  /** Another request makes its photo, or another tab sends it: nothing can be started. */
  isResting = false
  #isDirect = false
  #missing = new Set<number>()
  #storedBytes = 0
  /** Sent bytes of the parts that are being sent. */
  readonly #sending = new Map<number, number>()
  /** Parts that another device is sending. */
  readonly #left = new Set<number>()
  #isFromEnd = false
  #signed = new Map<number, SignedPart>()
  #signedUntil = 0

  constructor(item: Item, session: UploadSession) {
    this.item = item
    this.id = session.id
    this.partBytes = session.partBytes
  }

  /** Takes over what the server says. */
  apply({ missing, ...session }: UploadSession): void {
    this.isUnsure = false
    this.#missing = new Set(missing)
    let bytes = 0
    for (const number of this.#missing) bytes += this.bytesOf(number)
    this.#storedBytes = this.item.bytes - bytes
    this.takeUrls(session)
  }

  takeUrls({ uploads, uploadsExpireAt }: Pick<UploadSession, 'uploads' | 'uploadsExpireAt'>): void {
    this.#isDirect = uploads !== null
    this.#signed = new Map(uploads?.map((signed) => [signed.number, signed]))
    const age = Date.parse(uploadsExpireAt ?? '') - Date.now()
    this.#signedUntil = performance.now() + Math.min(Math.max(age, MIN_URL_AGE_MS), MAX_URL_AGE_MS) - URL_RESERVE_MS
  }

  forgetUrls(): void {
    this.#signed.clear()
  }

  /** Bytes that the server has confirmed. */
  get stored(): number {
    return this.#storedBytes
  }

  /** Bytes that the browser has sent of parts that are not confirmed. */
  get inFlight(): number {
    let sum = 0
    for (const bytes of this.#sending.values()) sum += bytes
    return sum
  }

  /** Bytes of the parts being sent that have not left the browser. */
  get unsent(): number {
    let sum = 0
    for (const [number, sent] of this.#sending) sum += this.bytesOf(number) - sent
    return sum
  }

  /** False when its parts are as small as the server accepts. */
  get canBeSmaller(): boolean {
    const { minPartBytes } = this.item.batch.parts
    return this.partBytes > minPartBytes && this.item.bytes > minPartBytes
  }

  get isComplete(): boolean {
    return this.#missing.size === 0
  }

  /** True while nothing of it can be started. */
  get isBusy(): boolean {
    return this.isRequesting || this.isResting
  }

  /** The parts that are neither stored nor being sent, in the order in which they are to be sent. */
  get waiting(): number[] {
    const waiting = [...this.#missing].filter((number) => !this.#sending.has(number) && !this.#left.has(number))
    return this.#isFromEnd ? waiting.reverse() : waiting
  }

  /**
   * Another device is sending the part. From now on the parts are taken from the other end, so that both devices do not
   * go on with the same ones.
   */
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

  bodyOf(number: number): Blob {
    const start = (number - 1) * this.partBytes
    return this.item.file.slice(start, start + this.bytesOf(number))
  }

  /** True when the part needs a URL that is not at hand. */
  needsUrl(number: number): boolean {
    return this.#isDirect && (!this.#signed.has(number) || performance.now() >= this.#signedUntil)
  }

  /** The parts whose URLs are requested next. */
  get wantedUrls(): number[] {
    return this.waiting.slice(0, URLS_AT_ONCE)
  }

  /** The part is being sent; returns its URL, null for the way through the gateway. */
  start(number: number): SignedPart | null {
    this.#sending.set(number, 0)
    return this.#isDirect ? (this.#signed.get(number) ?? null) : null
  }

  progressed(number: number, sent: number): void {
    this.#sending.set(number, sent)
  }

  succeeded(number: number): void {
    this.#sending.delete(number)
    if (this.#missing.delete(number)) this.#storedBytes += this.bytesOf(number)
  }

  /** Sending has ended without a result: what was sent no longer counts. */
  stopped(number: number): void {
    this.#sending.delete(number)
  }

  avoidUrls(): void {
    this.#isDirect = false
  }
}
