import { ERROR_TEXTS, NEEDS_FILE } from '../error-texts.ts'
import { Attempts, MAX_ATTEMPTS } from './attempts.ts'
import type { UploadApi, UploadedPhoto } from './deps.ts'
import { type Failure, failureOf } from './failure.ts'
import type { Item, State, StoredUpload } from './item.ts'
import type { ItemStore } from './item-store.ts'

const MAX_RUNNING = 2

interface SessionFinisherDeps {
  store: ItemStore
  api: Pick<UploadApi, 'complete'>
  isOnHold: () => boolean
  onStored: (item: Item, photo: UploadedPhoto) => void
  /** The upload of the file has ended. */
  onSettled: (item: Item) => void
  onFailure: (failure: Failure) => void
}

/** Completes upload sessions of which the server has all parts. Their files are not needed. */
export class SessionFinisher {
  #waiting: Item[] = []
  readonly #running = new Set<Item>()
  readonly #attempts = new WeakMap<Item, Attempts>()
  /** Each is taken once: then it is up to the user. */
  readonly #taken = new Set<string>()
  /** Those of which there is a photo. */
  readonly #photos = new Set<string>()
  readonly #deps: SessionFinisherDeps

  constructor(deps: SessionFinisherDeps) {
    this.#deps = deps
  }

  /** Those that were not taken before. */
  take(uploads: readonly StoredUpload[]): StoredUpload[] {
    const fresh = uploads.filter(({ id }) => !this.#taken.has(id))
    for (const { id } of fresh) this.#taken.add(id)
    return fresh
  }

  /** True while there is no photo of an upload session that was taken. */
  hasFailed(id: string): boolean {
    return this.#taken.has(id) && !this.#photos.has(id)
  }

  /** Adds a file, also one that could not be completed before. */
  add(item: Item): void {
    const { store } = this.#deps
    this.#attempts.delete(item)
    store.set(item, { name: 'sending', stored: item.bytes, inFlight: 0 })
    // It was cancelled by signing out and tried again.
    if (!this.#waiting.includes(item) && !this.#running.has(item)) this.#waiting.push(item)
    this.resume()
  }

  /** Continues after a hold. */
  resume(): void {
    while (this.#running.size < MAX_RUNNING && !this.#deps.isOnHold()) {
      const item = this.#waiting.shift()
      if (!item) return
      if (isSending(item)) void this.#complete(item)
    }
  }

  async #complete(item: Item): Promise<void> {
    this.#running.add(item)
    const result = await this.#deps.api.complete(sessionOf(item)).then(
      (photo) => ({ photo }),
      (error) => ({ failure: failureOf(error) }),
    )
    this.#running.delete(item)
    if (isSending(item)) {
      if ('photo' in result) this.#stored(item, result.photo)
      else this.#notStored(item, result.failure)
    }
    this.resume()
  }

  #stored(item: Item, photo: UploadedPhoto): void {
    this.#photos.add(sessionOf(item))
    this.#settle(item, { name: photo.duplicate ? 'known' : 'processing', photoId: photo.id })
    this.#deps.onStored(item, photo)
  }

  #notStored(item: Item, failure: Failure): void {
    switch (failure.kind) {
      case 'taken':
        this.#rest(item, failure)
        break
      case 'retryable':
        item.attempts += failure.why === 'broken' ? 1 : 0
        if (item.attempts >= MAX_ATTEMPTS) this.#settle(item, { name: 'failed', reason: failure.reason })
        else this.#wait(item, failure)
        break
      case 'signed-out':
      case 'store-full':
        this.#wait(item, failure)
        break
      case 'rejected':
      case 'no-room':
      case 'failed':
        this.#settle(item, { name: failure.kind, reason: failure.reason })
        break
      case 'closed':
        this.#settle(item, { name: 'failed', reason: NEEDS_FILE })
        break
      default:
        this.#settle(item, { name: 'failed', reason: ERROR_TEXTS.other })
    }
  }

  /** The photo is being made by another request. */
  #rest(item: Item, { reason, afterMs }: Extract<Failure, { kind: 'taken' }>): void {
    const attempts = this.#attempts.get(item) ?? new Attempts()
    this.#attempts.set(item, attempts)
    const ms = attempts.restMs('session', afterMs)
    if (ms === null) {
      this.#settle(item, { name: 'failed', reason })
      return
    }
    setTimeout(() => {
      // It was added again meanwhile.
      if (this.#attempts.get(item) !== attempts) return
      this.#waiting.push(item)
      this.resume()
    }, ms)
  }

  /** Nothing can be completed for now. */
  #wait(item: Item, failure: Failure): void {
    this.#waiting.unshift(item)
    this.#deps.onFailure(failure)
  }

  #settle(item: Item, state: State): void {
    this.#deps.store.set(item, state)
    this.#deps.onSettled(item)
  }
}

function isSending(item: Item): boolean {
  return item.state.name === 'sending'
}

function sessionOf({ session }: Item): string {
  return session ?? ''
}
