import { IDS_PER_REQUEST, type PhotoStatus, type UploadApi } from './deps.ts'
import type { Item } from './item.ts'
import type { ItemStore } from './item-store.ts'

const FIRST_POLL_MS = 2_000
const MAX_POLL_MS = 15_000
/** Live events arrive in bursts. */
const GATHER_MS = 400

interface ProcessingTrackerDeps {
  store: ItemStore
  api: UploadApi
  /** A photo whose processing had failed is being processed again, started elsewhere. */
  onReprocessing: (item: Item) => void
  onFailure: (error: unknown) => void
}

/** Tracks the processing of stored photos: requests their state when a live event names one, and periodically. */
export class ProcessingTracker {
  readonly #items = new Map<number, Item>()
  /** Photos whose processing failed: it can be retried elsewhere, for example by the button of a photo's card. */
  readonly #failed = new Map<number, Item>()
  #due = new Set<number>()
  #isRequesting = false
  #wait = FIRST_POLL_MS
  #timer: ReturnType<typeof setTimeout> | undefined
  #gather: ReturnType<typeof setTimeout> | undefined
  readonly #deps: ProcessingTrackerDeps

  constructor(deps: ProcessingTrackerDeps) {
    this.#deps = deps
  }

  /** Adds a file in the state `processing`. */
  add(item: Item, photo: PhotoStatus | null): void {
    if (item.state.name !== 'processing') return
    this.#failed.delete(item.state.photoId)
    this.#items.set(item.state.photoId, item)
    if (photo) this.#apply(photo)
    this.#wait = FIRST_POLL_MS
    this.#poll()
  }

  /** A live event says that this photo has changed. */
  hint(photoId: number): void {
    if (!this.#items.has(photoId) && !this.#failed.has(photoId)) return
    this.#due.add(photoId)
    this.#gatherHints()
  }

  /** Stops tracking all photos. */
  reset(): void {
    this.#items.clear()
    this.#due.clear()
    this.#failed.clear()
  }

  /** The photos whose processing failed were removed from the queue. */
  forgetFailed(): void {
    this.#failed.clear()
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
    if (this.#items.size === 0) return
    this.#timer ??= setTimeout(async () => {
      this.#timer = undefined
      const before = this.#items.size
      const ids = [...this.#items.keys()].slice(0, IDS_PER_REQUEST)
      await this.#request(ids)
      this.#wait = this.#items.size < before ? FIRST_POLL_MS : Math.min(this.#wait * 1.5, MAX_POLL_MS)
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
      for (const id of ids) {
        const photo = photos.get(id)
        if (photo) this.#apply(photo)
        else this.#finish(id, { name: 'deleted' })
        // The next request starts with the other photos.
        this.#rotate(id)
      }
    } catch (error) {
      this.#deps.onFailure(error)
    } finally {
      this.#isRequesting = false
      if (this.#due.size > 0) this.#gatherHints()
    }
  }

  #apply(photo: PhotoStatus): void {
    const { id, status, statusMessage } = photo
    const failed = this.#failed.get(id)
    if (failed?.state.name === 'unprocessed' && status !== 'failed') this.#trackAgain(failed, photo)
    if (!this.#items.has(id)) return
    if (status === 'ready') this.#finish(id, { name: 'ready', photoId: id })
    if (status === 'failed') {
      this.#finish(id, {
        name: 'unprocessed',
        photoId: id,
        reason: statusMessage ?? 'The photo could not be processed.',
      })
    }
  }

  #trackAgain(item: Item, photo: PhotoStatus): void {
    this.#deps.onReprocessing(item)
    this.#deps.store.set(item, { name: 'processing', photoId: photo.id })
    this.add(item, photo)
  }

  #finish(id: number, state: Item['state']): void {
    const item = this.#items.get(id) ?? this.#failed.get(id)
    this.#items.delete(id)
    this.#failed.delete(id)
    if (item?.state.name !== 'processing' && item?.state.name !== 'unprocessed') return
    this.#deps.store.set(item, state)
    if (state.name === 'unprocessed') this.#failed.set(id, item)
  }

  #rotate(id: number): void {
    const item = this.#items.get(id)
    if (!item) return
    this.#items.delete(id)
    this.#items.set(id, item)
  }
}
