import type { Board } from './board.ts'
import type { Item } from './item.ts'
import { ASK_LIMIT, type PhotoStatus, type Ports } from './ports.ts'

const FIRST_POLL_MS = 2_000
const LONGEST_POLL_MS = 15_000
/** Live events come in swarms. */
const GATHER_MS = 400

interface FollowerOptions {
  board: Board
  ports: Ports
  onFailure: (error: unknown) => void
}

/** Follows the processing of stored photos: asks when a live event names one, and now and then in any case. */
export class Follower {
  readonly #items = new Map<number, Item>()
  #due = new Set<number>()
  #asking = false
  #wait = FIRST_POLL_MS
  #timer: ReturnType<typeof setTimeout> | undefined
  #gather: ReturnType<typeof setTimeout> | undefined
  readonly #options: FollowerOptions

  constructor(options: FollowerOptions) {
    this.#options = options
  }

  /** Takes a file in the state `processing`. */
  add(item: Item, photo: PhotoStatus | null): void {
    if (item.state.name !== 'processing') return
    this.#items.set(item.state.photoId, item)
    if (photo) this.#tell(photo)
    this.#wait = FIRST_POLL_MS
    this.#poll()
  }

  /** The server says that this photo has changed. */
  hint(photoId: number): void {
    if (!this.#items.has(photoId)) return
    this.#due.add(photoId)
    this.#gatherHints()
  }

  /** Forgets all photos. */
  reset(): void {
    this.#items.clear()
    this.#due.clear()
  }

  #gatherHints(): void {
    this.#gather ??= setTimeout(() => {
      this.#gather = undefined
      const due = [...this.#due]
      this.#due = new Set(due.slice(ASK_LIMIT))
      void this.#ask(due.slice(0, ASK_LIMIT))
    }, GATHER_MS)
  }

  #poll(): void {
    if (this.#items.size === 0) return
    this.#timer ??= setTimeout(async () => {
      this.#timer = undefined
      const before = this.#items.size
      const ids = [...this.#items.keys()].slice(0, ASK_LIMIT)
      await this.#ask(ids)
      this.#wait = this.#items.size < before ? FIRST_POLL_MS : Math.min(this.#wait * 1.5, LONGEST_POLL_MS)
      this.#poll()
    }, this.#wait)
  }

  async #ask(ids: readonly number[]): Promise<void> {
    if (this.#asking) {
      for (const id of ids) this.#due.add(id)
      return
    }
    this.#asking = true
    try {
      const photos = new Map((await this.#options.ports.status([...ids])).map((photo) => [photo.id, photo]))
      for (const id of ids) {
        const photo = photos.get(id)
        if (photo) this.#tell(photo)
        else this.#end(id, { name: 'deleted' })
        // The next question begins with the others.
        this.#rotate(id)
      }
    } catch (error) {
      this.#options.onFailure(error)
    } finally {
      this.#asking = false
      if (this.#due.size > 0) this.#gatherHints()
    }
  }

  #tell({ id, status, statusMessage }: PhotoStatus): void {
    if (status === 'ready') this.#end(id, { name: 'ready', photoId: id })
    if (status === 'failed') {
      this.#end(id, { name: 'unprocessed', photoId: id, reason: statusMessage ?? 'The photo could not be processed.' })
    }
  }

  #end(id: number, state: Item['state']): void {
    const item = this.#items.get(id)
    this.#items.delete(id)
    if (item?.state.name === 'processing') this.#options.board.set(item, state)
  }

  #rotate(id: number): void {
    const item = this.#items.get(id)
    if (!item) return
    this.#items.delete(id)
    this.#items.set(id, item)
  }
}
