import { bytesLeft, type StorageQuota } from '../../../lib/storage-quota.ts'
import { noRoomReason } from '../error-texts.ts'
import { IDS_PER_REQUEST, type UploadApi } from './deps.ts'
import type { Item } from './item.ts'
import type { ItemStore } from './item-store.ts'
import type { PartPlan } from './part-plan.ts'

/** Overlaps reading and hashing; more would only delay the first file. */
const MAX_CONCURRENT_HASHES = 3
/** Of parts that are larger, one file at a time is hashed: each part is in memory, twice for a moment. */
const MAX_CONCURRENT_BYTES = 8 * 1024 * 1024
/** Hashes are collected for this time between two requests. */
const GATHER_MS = 300

export const UNREADABLE = 'The file has changed or can no longer be read. Choose it again.'

interface DuplicateCheckDeps {
  store: ItemStore
  api: UploadApi
  plan: PartPlan
  /** True while no request may be sent. */
  isOnHold: () => boolean
  /** The server does not have the file. */
  onMissing: (item: Item) => void
  /** A check has succeeded: missing files can be sent. */
  onChecked: () => void
  /** A check has failed. Its files will be checked again, if their state is still `checking`. */
  onFailure: (error: unknown, items: Item[]) => void
}

/**
 * Hashes the files and asks the server which of them it has; those are moved into the chosen folder and done. Of the
 * others, those that do not fit into the user's storage are not sent. The first request contains only the first hash, so that sending starts at once; later ones contain up to 500.
 */
export class DuplicateCheck {
  #toHash: Item[] = []
  #hashing = 0
  #unchecked: Item[] = []
  #isChecking = false
  #lastCheckAt = Number.NEGATIVE_INFINITY
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The file being uploaded for each hash; files with the same hash wait for its result. */
  readonly #uploading = new Map<string, Item>()
  readonly #equalItems = new Map<string, Item[]>()
  /** Files that may fit: it depends on those that are being sent. */
  #undecided: Item[] = []
  readonly #deps: DuplicateCheckDeps

  constructor(deps: DuplicateCheckDeps) {
    this.#deps = deps
  }

  /** Adds files in the state `waiting`. */
  add(items: readonly Item[]): void {
    for (const item of items) this.#toHash.push(item)
    this.#hashMore()
  }

  /** The upload of the file has ended: files with the same hash may now be duplicates, or replace it. */
  release(item: Item): void {
    this.#decideAgain()
    const hash = hashOf(item)
    if (this.#uploading.get(hash) !== item) return
    this.#uploading.delete(hash)
    const equal = this.#equalItems.get(hash)
    if (!equal) return
    this.#equalItems.delete(hash)
    this.#unchecked.push(...equal)
    this.resume()
  }

  /** What was being sent has a result: the undecided files are checked with the quota that counts it. */
  #decideAgain(): void {
    if (this.#undecided.length === 0) return
    this.#unchecked.unshift(...this.#undecided)
    this.#undecided = []
    this.resume()
  }

  /** Continues after a hold. */
  resume(): void {
    if (this.#isChecking || this.#unchecked.length === 0 || this.#deps.isOnHold()) return
    const wait = this.#lastCheckAt + GATHER_MS - Date.now()
    const full = this.#unchecked.length >= IDS_PER_REQUEST
    if (full || wait <= 0) {
      void this.#check()
      return
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.resume()
    }, wait)
  }

  #hashMore(): void {
    while (this.#hashing < this.#maxHashes) {
      const item = this.#toHash.shift()
      if (!item) return
      if (item.state.name === 'waiting') void this.#hash(item)
    }
  }

  get #maxHashes(): number {
    const [next] = this.#toHash
    if (!next) return 0
    const bytes = Math.min(next.bytes, this.#deps.plan.partBytes(next.bytes, next.batch.parts))
    return bytes > MAX_CONCURRENT_BYTES ? 1 : MAX_CONCURRENT_HASHES
  }

  async #hash(item: Item): Promise<void> {
    const { store, api, plan } = this.#deps
    this.#hashing += 1
    store.set(item, { name: 'checking' })
    const partBytes = plan.partBytes(item.bytes, item.batch.parts)
    item.hashes ??= await api.hash(item.file, partBytes).catch(() => null)
    this.#hashing -= 1
    if (item.state.name === 'checking') {
      if (item.hashes === null) store.set(item, { name: 'failed', reason: UNREADABLE })
      else this.#unchecked.push(item)
    }
    this.resume()
    this.#hashMore()
  }

  async #check(): Promise<void> {
    const { api, onFailure } = this.#deps
    const items = this.#unchecked.splice(0, IDS_PER_REQUEST).filter((item) => item.state.name === 'checking')
    if (items.length === 0) {
      this.#deps.onChecked()
      this.resume()
      return
    }
    this.#isChecking = true
    this.#lastCheckAt = Date.now()
    const pendingBefore = this.#deps.store.bytes(['queued', 'sending'])
    try {
      const { known, quota } = await api.findKnown([...new Set(items.map(hashOf))])
      const found = await this.#moveKnown(items, known)
      this.#distribute(items, found, quota, pendingBefore)
      this.#deps.onChecked()
    } catch (error) {
      const still = items.filter((item) => item.state.name === 'checking')
      this.#unchecked.unshift(...still)
      onFailure(error, still)
    } finally {
      this.#isChecking = false
      if (this.#deps.store.count(['sending']) === 0) this.#decideAgain()
      this.resume()
    }
  }

  /** Moves the known photos into their folders. Resolves with the photos for which that succeeded. */
  async #moveKnown(items: readonly Item[], known: Record<string, number>): Promise<Map<Item, number>> {
    const found = new Map<Item, number>()
    const folders = new Map<number, number[]>()
    for (const item of items) {
      const id = known[hashOf(item)]
      if (id === undefined) continue
      found.set(item, id)
      const { folderId } = item.batch
      if (folderId !== null) folders.set(folderId, [...(folders.get(folderId) ?? []), id])
    }
    for (const [folderId, ids] of folders) {
      const failed = new Set(await this.#deps.api.move([...new Set(ids)], folderId))
      // A photo deleted between the check and the move is missing after all.
      for (const [item, id] of found) if (item.batch.folderId === folderId && failed.has(id)) found.delete(item)
    }
    return found
  }

  #distribute(
    items: readonly Item[],
    found: ReadonlyMap<Item, number>,
    quota: StorageQuota | null,
    pendingBefore: number,
  ): void {
    const { store, onMissing } = this.#deps
    let left = quota ? bytesLeft(quota) - store.bytes(['queued']) : Number.POSITIVE_INFINITY
    // The quota may or may not count what was sent meanwhile. A file that fits only if it does is checked again.
    const uncertain = pendingBefore - store.bytes(['queued'])
    for (const item of items) {
      if (item.state.name !== 'checking') continue
      const photoId = found.get(item)
      if (photoId !== undefined) {
        store.set(item, { name: 'known', photoId })
        continue
      }
      const hash = hashOf(item)
      const first = this.#uploading.get(hash)
      if (first && first !== item) {
        this.#equalItems.set(hash, [...(this.#equalItems.get(hash) ?? []), item])
        continue
      }
      if (quota && item.bytes > left) {
        store.set(item, { name: 'no-room', reason: noRoomReason(quota, left) })
        continue
      }
      if (quota && item.bytes > left - uncertain) {
        this.#undecided.push(item)
        continue
      }
      left -= item.bytes
      this.#uploading.set(hash, item)
      store.set(item, { name: 'queued' })
      onMissing(item)
    }
  }
}

/** The hash of a file that has been read. */
function hashOf({ hashes }: Item): string {
  return hashes?.sha256 ?? ''
}
