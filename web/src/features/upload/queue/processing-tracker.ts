import { concernsSession } from '../../../lib/http.ts'
import { IDS_PER_REQUEST, type PhotoStatus, type Stage } from './deps.ts'
import type { Item } from './items.ts'

const FIRST_POLL_MS = 2_000
const MAX_POLL_MS = 15_000
/** Live events arrive in bursts. */
const GATHER_MS = 400

/** `onReprocessing`: a photo whose processing had failed is being processed again, started elsewhere. */
type ProcessingTrackerDeps = Stage & { onReprocessing(item: Item): void }

/**
 * Tracks the processing of stored photos: requests their state when a live event names one, and periodically. Failed processing can be retried
 * elsewhere, for example by the button of a photo's card.
 */
export class ProcessingTracker {
  #due = new Set<number>()
  #lastRequest: Promise<void> = Promise.resolve()
  #wait = FIRST_POLL_MS
  #timer: ReturnType<typeof setTimeout> | undefined
  #gather: ReturnType<typeof setTimeout> | undefined
  readonly #deps: ProcessingTrackerDeps

  constructor(deps: ProcessingTrackerDeps) {
    this.#deps = deps
  }

  /** Tracks a file in the state `processing`, of which this is known. */
  track(item: Item, photo: PhotoStatus): void {
    this.#apply(item, photo)
    this.#wait = FIRST_POLL_MS
    this.#poll()
  }

  hint(photoId: number): void {
    if (this.#tracked.every((item) => photoOf(item) !== photoId)) return
    this.#due.add(photoId)
    this.#gatherHints()
  }

  get #tracked(): Item[] {
    const { store } = this.#deps
    return [...store.in('processing'), ...store.in('unprocessed')]
  }

  #gatherHints(): void {
    this.#gather ??= setTimeout(() => {
      this.#gather = undefined
      const due = [...this.#due]
      this.#due = new Set(due.slice(IDS_PER_REQUEST))
      void this.#request(due.slice(0, IDS_PER_REQUEST))
      if (this.#due.size > 0) this.#gatherHints()
    }, GATHER_MS)
  }

  #poll(): void {
    const processing = this.#deps.store.in('processing')
    if (processing.size === 0) return
    this.#timer ??= setTimeout(async () => {
      this.#timer = undefined
      const before = processing.size
      await this.#request([...processing].slice(0, IDS_PER_REQUEST).map(photoOf))
      this.#wait = processing.size < before ? FIRST_POLL_MS : Math.min(this.#wait * 1.5, MAX_POLL_MS)
      this.#poll()
    }, this.#wait)
  }

  /** One at a time: an earlier response never comes after a later one. */
  #request(ids: readonly number[]): Promise<void> {
    this.#lastRequest = this.#lastRequest.then(() => this.#ask(ids))
    return this.#lastRequest
  }

  async #ask(ids: readonly number[]): Promise<void> {
    try {
      const photos = new Map((await this.#deps.api.status([...ids])).map((photo) => [photo.id, photo]))
      const asked = new Set(ids)
      for (const item of this.#tracked) if (asked.has(photoOf(item))) this.#apply(item, photos.get(photoOf(item)))
    } catch (error) {
      if (concernsSession(error)) this.#deps.failed({ kind: 'signed-out' })
    }
  }

  /** Without a photo, it was deleted. */
  #apply(item: Item, photo: PhotoStatus | undefined): void {
    const { store, onReprocessing } = this.#deps
    if (!photo) {
      store.set(item, { name: 'deleted' })
      return
    }
    const { id: photoId, status, statusMessage } = photo
    if (item.state.name === 'unprocessed' && status !== 'failed') {
      onReprocessing(item)
      store.set(item, { name: 'processing', photoId })
      this.track(item, photo)
    } else if (status === 'failed') {
      store.set(item, { name: 'unprocessed', photoId, reason: statusMessage ?? 'The photo could not be processed.' })
    } else {
      // One that is still being processed is then the last one: the next request starts with the others.
      store.set(item, { name: status, photoId })
    }
  }
}

/** 0 where there is none. */
function photoOf({ state }: Item): number {
  return 'photoId' in state ? state.photoId : 0
}
