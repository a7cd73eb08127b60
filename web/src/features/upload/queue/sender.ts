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
  stored: boolean
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
  onResult: (answer: SendResult) => void
}

/** Sends files in groups, two requests at a time. */
export class Sender {
  readonly transferRate = new TransferRate()
  #queue: Item[] = []
  readonly #running = new Set<Group>()
  readonly #size = new RequestSize()
  readonly #options: SenderDeps

  constructor(options: SenderDeps) {
    this.#options = options
  }

  /** Adds a file in the state `queued`. */
  add(item: Item): void {
    this.#queue.push(item)
  }

  /** Starts requests up to the limit. */
  resume(): void {
    while (this.#running.size < MAX_CONCURRENT_REQUESTS && !this.#options.isOnHold()) {
      this.#queue = this.#queue.filter((item) => item.state.name === 'queued')
      const items = takeGroup(this.#queue, this.#size.bytes)
      if (items.length === 0) return
      void this.#send({ items, abort: new AbortController(), stored: false })
    }
  }

  /** True while the file is being sent; afterwards the server may already have it. */
  canCancel(item: Item): boolean {
    return ![...this.#running].some((group) => group.stored && group.items.includes(item))
  }

  /** Aborts the requests with cancelled files. The other files of these requests are sent again. */
  abortCancelled(): void {
    for (const group of this.#running) {
      if (group.items.some((item) => item.state.name !== 'sending')) group.abort.abort()
    }
  }

  async #send(group: Group): Promise<void> {
    const { store, api } = this.#options
    const files = group.items.map((item) => item.file)
    const sizes = group.items.map((item) => item.bytes)
    const started = performance.now()
    let before = 0
    if (this.#running.size === 0) this.transferRate.reset()
    this.#running.add(group)
    this.transferRate.record(0)
    for (const item of group.items) store.set(item, { name: 'sending', sent: 0 })

    const answer = await api.send(
      files,
      (group.items[0] as Item).batch,
      (loaded, total) => {
        group.stored = loaded >= total
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
    if (answer.kind === 'answered') {
      const bytes = sizes.reduce((sum, size) => sum + size, 0)
      this.#size.succeeded(bytes, performance.now() - started)
    }
    this.#options.onResult(answer)
    await this.#apply(group, answer)
    this.resume()
  }

  async #apply({ items }: Group, answer: SendResult): Promise<void> {
    switch (answer.kind) {
      case 'answered':
        for (const [index, item] of items.entries()) this.#settle(item, answer.outcomes[index] as FileOutcome)
        return
      case 'failed':
        return this.#end(items, { name: 'failed', reason: answer.reason })
      case 'too-large':
        if (items.length === 1) return this.#end(items, { name: 'refused', reason: answer.reason })
        for (const item of items) item.sendAlone = true
        return this.#again(items)
      case 'later':
        return this.#afterFailure(items, answer)
      case 'aborted':
      case 'signed-out':
        return this.#again(items)
    }
  }

  #settle(item: Item, outcome: FileOutcome): void {
    const { store, onStored, onSettled } = this.#options
    if ('issue' in outcome) {
      store.set(item, { name: 'refused', reason: outcome.issue })
    } else if (outcome.duplicate && !item.sentBefore) {
      store.set(item, { name: 'known', photoId: outcome.photo.id })
    } else {
      store.set(item, { name: 'processing', photoId: outcome.photo.id })
      onStored(item, outcome.photo)
    }
    onSettled(item)
  }

  async #afterFailure(items: Item[], answer: Extract<SendResult, { kind: 'later' }>): Promise<void> {
    this.#size.failed()
    // A busy server says nothing about the file.
    if (answer.why !== 'busy') {
      for (const item of items) {
        item.attempts += 1
        item.sendAlone = item.attempts >= MAX_SHARED_ATTEMPTS
      }
    }
    const readable = await Promise.all(items.map((item) => this.#options.api.isReadable(item.file)))
    this.#end(
      items.filter((_, index) => !readable[index]),
      { name: 'failed', reason: UNREADABLE },
    )
    const rest = items.filter((_, index) => readable[index])
    this.#end(
      rest.filter((item) => item.attempts >= MAX_ATTEMPTS),
      { name: 'failed', reason: answer.reason },
    )
    this.#again(rest.filter((item) => item.attempts < MAX_ATTEMPTS))
  }

  #end(items: readonly Item[], state: { name: 'failed' | 'refused'; reason: string }): void {
    for (const item of items.filter(isUnsent)) {
      this.#options.store.set(item, state)
      this.#options.onSettled(item)
    }
  }

  #again(items: readonly Item[]): void {
    for (const item of items) item.sentBefore = true
    this.#options.onRecheck(items.filter(isUnsent))
  }
}
