import { concernsSession } from '../../../lib/http.ts'
import { IDS_PER_REQUEST, type PhotoStatus, type Stage } from './deps.ts'
import type { Item } from './items.ts'

const FIRST_POLL_MS = 2_000
const MAX_POLL_MS = 15_000
/** Live events arrive in bursts. */
const GATHER_MS = 400

interface ProcessingTrackerDeps extends Stage {
  /** A photo whose processing had failed is being processed again, started elsewhere. */
  onReprocessing(item: Item): void
}

/**
 * Tracks the processing of stored photos: requests their state when a live event names one, and periodically. Failed processing can be retried
 * elsewhere, for example by the button of a photo's card.
 */
export class ProcessingTracker {
  #due = new Set<number>()
  #isRequesting = false
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

  /** A live event says that this photo has changed. */
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
    }, GATHER_MS)
  }

  #poll(): void {
    const processing = this.#deps.store.in('processing')
    if (processing.size === 0) return
    this.#timer ??= setTimeout(async () => {
      this.#timer = undefined
      const before = processing.size
      await this.#request([...processing].slice(0, IDS_PER_REQUEST).flatMap((item) => photoOf(item) ?? []))
      this.#wait = processing.size < before ? FIRST_POLL_MS : Math.min(this.#wait * 1.5, MAX_POLL_MS)
      this.#poll()
    }, this.#wait)
  }

  async #request(ids: readonly number[]): Promise<void> {
    if (this.#isRequesting) {
      for (const id of ids) this.#due.add(id)
      return
    }
    this.#isRequesting = true
    try {
      const photos = new Map((await this.#deps.api.status([...ids])).map((photo) => [photo.id, photo]))
      const asked = new Set<number | null>(ids)
      for (const item of this.#tracked) if (asked.has(photoOf(item))) this.#apply(item, photos.get(photoOf(item) ?? 0))
    } catch (error) {
      if (concernsSession(error)) this.#deps.failed({ kind: 'signed-out' })
    } finally {
      this.#isRequesting = false
      if (this.#due.size > 0) this.#gatherHints()
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

function photoOf({ state }: Item): number | null {
  return 'photoId' in state ? state.photoId : null
}
