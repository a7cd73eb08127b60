import type { FileOutcome, PhotoStatus, SendResult, UploadApi } from './deps.ts'
import { UNREADABLE } from './duplicate-check.ts'
import { type Item, isUnsent } from './item.ts'
import type { ItemStore } from './item-store.ts'
import { bytesSentPerFile, RequestSize, takeGroup } from './request-groups.ts'
import { TransferRate } from './transfer-rate.ts'

const MAX_CONCURRENT_REQUESTS = 2
/** A file that broke this many requests is sent alone, so that others do not suffer. */
const MAX_SHARED_ATTEMPTS = 2
/** After this many attempts the file is at fault and not the connection: each attempt follows a successful check. */
const MAX_ATTEMPTS = 6

interface Group {
  items: Item[]
  abort: AbortController
  /** All bytes were sent: the server is storing them. */
  isSent: boolean
}

interface SenderDeps {
  store: ItemStore
  api: UploadApi
  isOnHold: () => boolean
  /** Files that have to be checked again. */
  onRecheck: (items: Item[]) => void
  onStored: (item: Item, photo: PhotoStatus) => void
  /** The upload of the file has ended. */
  onSettled: (item: Item) => void
  /** The result of a whole request, which may concern the connection, the session or the files. */
  onResult: (result: SendResult) => void
}

/** Sends files in groups, two requests at a time. */
export class Sender {
  readonly transferRate = new TransferRate()
  #queue: Item[] = []
  readonly #running = new Set<Group>()
  readonly #size = new RequestSize()
  readonly #deps: SenderDeps

  constructor(deps: SenderDeps) {
    this.#deps = deps
  }

  /** Adds a file in the state `queued`. */
  add(item: Item): void {
    this.#queue.push(item)
  }

  /** Starts requests up to the limit. */
  resume(): void {
    while (this.#running.size < MAX_CONCURRENT_REQUESTS && !this.#deps.isOnHold()) {
      this.#queue = this.#queue.filter((item) => item.state.name === 'queued')
      const items = takeGroup(this.#queue, this.#size.bytes)
      if (items.length === 0) return
      void this.#send({ items, abort: new AbortController(), isSent: false })
    }
  }

  /** True while the file is being sent; afterwards the server may already have it. */
  canCancel(item: Item): boolean {
    return ![...this.#running].some((group) => group.isSent && group.items.includes(item))
  }

  /** Aborts the requests with cancelled files. The other files of these requests are sent again. */
  abortCancelled(): void {
    for (const group of this.#running) {
      if (group.items.some((item) => item.state.name !== 'sending')) group.abort.abort()
    }
  }

  async #send(group: Group): Promise<void> {
    const { store, api } = this.#deps
    const files = group.items.map((item) => item.file)
    const sizes = group.items.map((item) => item.bytes)
    const started = performance.now()
    let before = 0
    if (this.#running.size === 0) this.transferRate.reset()
    this.#running.add(group)
    this.transferRate.record(0)
    for (const item of group.items) store.set(item, { name: 'sending', sent: 0 })

    const result = await api.send(
      files,
      (group.items[0] as Item).batch,
      (loaded, total) => {
        group.isSent = loaded >= total
        const sent = bytesSentPerFile(sizes, loaded, total)
        const now = sent.reduce((sum, bytes) => sum + bytes, 0)
        this.transferRate.record(now - before)
        before = now
        for (const [index, item] of group.items.entries()) {
          if (item.state.name === 'sending') store.set(item, { name: 'sending', sent: sent[index] ?? 0 })
        }
      },
      group.abort.signal,
    )

    this.#running.delete(group)
    if (result.kind === 'completed') {
      const bytes = sizes.reduce((sum, size) => sum + size, 0)
      this.#size.succeeded(bytes, performance.now() - started)
    }
    this.#deps.onResult(result)
    await this.#apply(group, result)
    this.resume()
  }

  async #apply({ items }: Group, result: SendResult): Promise<void> {
    switch (result.kind) {
      case 'completed':
        for (const [index, item] of items.entries()) this.#settle(item, result.outcomes[index] as FileOutcome)
        return
      case 'failed':
        return this.#finish(items, { name: 'failed', reason: result.reason })
      case 'too-large':
      case 'no-room': {
        const name = result.kind === 'no-room' ? 'no-room' : 'rejected'
        if (items.length === 1) return this.#finish(items, { name, reason: result.reason })
        for (const item of items) item.sendAlone = true
        return this.#recheck(items)
      }
      case 'retryable':
        return this.#afterFailure(items, result)
      case 'aborted':
      case 'signed-out':
        return this.#recheck(items)
    }
  }

  #settle(item: Item, outcome: FileOutcome): void {
    const { store, onStored, onSettled } = this.#deps
    if ('issue' in outcome) {
      store.set(item, { name: outcome.noRoom ? 'no-room' : 'rejected', reason: outcome.issue })
    } else if (outcome.duplicate && !item.sentBefore) {
      store.set(item, { name: 'known', photoId: outcome.photo.id })
    } else {
      store.set(item, { name: 'processing', photoId: outcome.photo.id })
      onStored(item, outcome.photo)
    }
    onSettled(item)
  }

  async #afterFailure(items: Item[], result: Extract<SendResult, { kind: 'retryable' }>): Promise<void> {
    this.#size.failed()
    // A busy server says nothing about the file.
    if (result.why !== 'busy') {
      for (const item of items) {
        item.attempts += 1
        item.sendAlone = item.attempts >= MAX_SHARED_ATTEMPTS
      }
    }
    const readable = await Promise.all(items.map((item) => this.#deps.api.isReadable(item.file)))
    this.#finish(
      items.filter((_, index) => !readable[index]),
      { name: 'failed', reason: UNREADABLE },
    )
    const rest = items.filter((_, index) => readable[index])
    this.#finish(
      rest.filter((item) => item.attempts >= MAX_ATTEMPTS),
      { name: 'failed', reason: result.reason },
    )
    this.#recheck(rest.filter((item) => item.attempts < MAX_ATTEMPTS))
  }

  #finish(items: readonly Item[], state: { name: 'failed' | 'rejected' | 'no-room'; reason: string }): void {
    for (const item of items.filter(isUnsent)) {
      this.#deps.store.set(item, state)
      this.#deps.onSettled(item)
    }
  }

  #recheck(items: readonly Item[]): void {
    for (const item of items) item.sentBefore = true
    this.#deps.onRecheck(items.filter(isUnsent))
  }
}
