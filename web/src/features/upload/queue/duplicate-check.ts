import { formatBytes } from '../../../lib/format.ts'
import { bytesLeft, type StorageQuota } from '../../../lib/storage-quota.ts'
import { IDS_PER_REQUEST, type Stage } from './deps.ts'
import { type Failure, failureOf, reasonOf, UNREADABLE } from './failure.ts'
import { hashOf, type Item } from './items.ts'
import { SENDABLE } from './states.ts'

/** Overlaps reading and hashing; more would only delay the first file. */
const MAX_CONCURRENT_HASHES = 3
/** Of parts that are larger, one file at a time is hashed: each part is in memory, twice for a moment. */
const MAX_CONCURRENT_BYTES = 8 * 1024 * 1024
/** Hashes are collected for this time between two requests. */
const GATHER_MS = 300

/**
 * Hashes the files and asks the server which of them it has; those are moved into the chosen folder and done. Of the others, those that do not
 * fit into the user's storage are not sent. The first request contains only the first hash, so that sending starts at once; later ones contain up
 * to 500.
 */
export class DuplicateCheck {
  #hashing = 0
  #isAsking = false
  #lastAskedAt = Number.NEGATIVE_INFINITY
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Files that may fit: it depends on those that are being sent. */
  readonly #undecided = new Set<Item>()
  readonly #stage: Stage

  constructor(stage: Stage) {
    this.#stage = stage
  }

  /** Hashes files in the state `waiting`, and asks about those in the state `checking`. */
  resume(): void {
    const { store } = this.#stage
    for (;;) {
      const [next] = store.in('waiting')
      if (!next || this.#hashing >= this.#maxHashes(next)) break
      void this.#hash(next)
    }
    this.#askSoon()
  }

  /** What was being sent has a result: the undecided files are checked with the quota that counts it. */
  decideAgain(): void {
    this.#undecided.clear()
  }

  #maxHashes(next: Item): number {
    const bytes = Math.min(next.bytes, this.#stage.plan.partBytes(next.bytes, next.batch.parts))
    return bytes > MAX_CONCURRENT_BYTES ? 1 : MAX_CONCURRENT_HASHES
  }

  async #hash(item: Item): Promise<void> {
    const { store, api, plan } = this.#stage
    this.#hashing += 1
    store.set(item, { name: 'hashing' })
    const partBytes = plan.partBytes(item.bytes, item.batch.parts)
    const hashes = await (item.hashes ?? api.hash(item.file, partBytes).catch(() => null))
    this.#hashing -= 1
    item.hashes ??= hashes
    // It may be cancelled, or even tried again.
    if (item.state.name === 'hashing') {
      store.set(item, item.hashes ? { name: 'checking' } : { name: 'failed', reason: UNREADABLE })
    }
    this.resume()
  }

  #askSoon(): void {
    const { store, connection } = this.#stage
    if (this.#isAsking || this.#timer !== undefined || connection.hold !== null) return
    if (store.count(['checking']) === 0) return
    const wait = this.#lastAskedAt + GATHER_MS - Date.now()
    if (wait <= 0) {
      void this.#ask()
      return
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#askSoon()
    }, wait)
  }

  async #ask(): Promise<void> {
    const { store, api, resume } = this.#stage
    this.#lastAskedAt = Date.now()
    const sent = this.#sentHashes
    const isAskable = (item: Item) => !this.#undecided.has(item) && !sent.has(hashOf(item))
    const items = [...store.in('checking')].filter(isAskable).slice(0, IDS_PER_REQUEST)
    if (items.length === 0) return
    this.#isAsking = true
    const pendingBefore = store.bytes(SENDABLE)
    try {
      const { known, quota } = await api.findKnown([...new Set(items.map(hashOf))])
      const found = await this.#moveKnown(items, known)
      this.#distribute(items, found, quota, pendingBefore)
    } catch (error) {
      this.#failed(items, failureOf(error))
    }
    this.#isAsking = false
    if (store.count(['sending']) === 0) this.decideAgain()
    resume()
  }

  /** Files that equal one of these wait for its result. */
  get #sentHashes(): Set<string> {
    return new Set(SENDABLE.flatMap((name) => [...this.#stage.store.in(name)].map(hashOf)))
  }

  /** Moves the known photos into their folders. Resolves with the photos for which that succeeded. */
  async #moveKnown(items: readonly Item[], known: Record<string, number>): Promise<Map<Item, number>> {
    const found = new Map<Item, number>()
    for (const item of items) {
      const id = known[hashOf(item)]
      if (id !== undefined) found.set(item, id)
    }
    for (const [folderId, group] of Map.groupBy([...found], ([item]) => item.batch.folderId)) {
      if (folderId === null) continue
      const failed = new Set(await this.#stage.api.move([...new Set(group.map(([, id]) => id))], folderId))
      // A photo deleted between the check and the move is missing after all.
      for (const [item, id] of group) if (failed.has(id)) found.delete(item)
    }
    return found
  }

  #distribute(
    items: readonly Item[],
    found: ReadonlyMap<Item, number>,
    quota: StorageQuota | null,
    pendingBefore: number,
  ): void {
    const { store } = this.#stage
    const sent = this.#sentHashes
    const notStored = store.bytes(['queued', 'open'])
    let left = quota ? bytesLeft(quota) - notStored : Number.POSITIVE_INFINITY
    // The quota may or may not count what was sent meanwhile. A file that fits only if it does is checked again.
    const uncertain = pendingBefore - notStored
    for (const item of items) {
      if (item.state.name !== 'checking') continue
      const photoId = found.get(item)
      if (photoId !== undefined) store.set(item, { name: 'known', photoId })
      else if (sent.has(hashOf(item))) continue
      else if (quota && item.bytes > left) store.set(item, { name: 'no-room', reason: noRoomReason(quota, left) })
      else if (quota && item.bytes > left - uncertain) this.#undecided.add(item)
      else {
        left -= item.bytes
        sent.add(hashOf(item))
        store.set(item, { name: 'queued' })
      }
    }
  }

  /** The files stay as they are where asking again can help. */
  #failed(items: readonly Item[], failure: Failure): void {
    this.#stage.failed(failure)
    if (failure.kind === 'retryable' || failure.kind === 'signed-out') return
    for (const item of items) {
      if (item.state.name === 'checking') this.#stage.settle(item, { name: 'failed', reason: reasonOf(failure) })
    }
  }
}

/** Why a file is not sent. `left` is what the files before it, which are not stored yet, leave of the storage. */
function noRoomReason(quota: StorageQuota, left: number): string {
  const room = `${formatBytes(Math.max(left, 0))} of ${formatBytes(quota.limit)} left`
  const before = left < bytesLeft(quota) ? ' after the photos before it' : ''
  return `This photo does not fit into your storage: ${room}${before}. Delete photos to upload more.`
}
