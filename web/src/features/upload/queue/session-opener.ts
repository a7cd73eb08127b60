import type { UploadSession } from '../../../api/types.ts'
import { ERROR_TEXTS } from '../error-texts.ts'
import { MAX_ATTEMPTS } from './attempts.ts'
import type { OpenResult, UploadApi } from './deps.ts'
import { UNREADABLE } from './duplicate-check.ts'
import { type Failure, failureOf } from './failure.ts'
import type { Batch, FileHashes, Item, State } from './item.ts'
import type { ItemStore } from './item-store.ts'
import { MAX_PARTS, type PartPlan } from './part-plan.ts'

/** The server's limit for the files of one request. */
const MAX_FILES = 20

export interface SessionOpenerDeps {
  store: ItemStore
  api: UploadApi
  plan: PartPlan
  isOnHold: () => boolean
  hasOpenSessions: () => boolean
  onOpened: (item: Item, session: UploadSession) => void
  /** The upload of the file has ended. */
  onSettled: (item: Item) => void
  /** A failure of the connection, the server or the user's session. Its files are opened again. */
  onFailure: (failure: Failure) => void
}

/** Opens the upload sessions of queued files, a little ahead of their sending. */
export class SessionOpener {
  #queue: Item[] = []
  #opening = new Set<Item>()
  /** Of these, the cancelled ones whose upload sessions are to stay. */
  readonly #kept = new Set<Item>()
  /** The user has as many open upload sessions as are allowed: the next one waits until one has ended. */
  #isFull = false
  readonly #deps: SessionOpenerDeps

  constructor(deps: SessionOpenerDeps) {
    this.#deps = deps
  }

  /** Adds a file in the state `queued`. */
  add(item: Item): void {
    // It was cancelled and tried again within one request.
    if (!this.#opening.has(item)) this.#queue.push(item)
  }

  /** Opens a file whose upload session was lost. */
  reopen(item: Item): void {
    item.attempts += 1
    if (item.attempts >= MAX_ATTEMPTS) {
      this.#settle(item, { name: 'failed', reason: 'The upload could not be continued. Try again.' })
      return
    }
    this.#deps.store.set(item, { name: 'queued' })
    this.#queue.unshift(item)
  }

  /** What an earlier visit has sent of the files that were cancelled just now can be continued. */
  keepCancelled(): void {
    for (const item of this.#opening) if (!isQueued(item)) this.#kept.add(item)
  }

  /** An upload session has ended. */
  ended(): void {
    this.#isFull = false
  }

  /**
   * Opens the next files, as many as one request takes. `direct`: their parts may go straight to the object store.
   * Resolves with false when there was nothing to do.
   */
  async resume(direct: boolean): Promise<boolean> {
    if (this.#opening.size > 0 || this.#isFull || this.#deps.isOnHold()) return false
    const items = this.#takeGroup()
    const [first] = items
    if (!first) return false
    this.#opening = new Set(items)
    for (const item of items) await this.#cutSmaller(item)
    await this.#open(items.filter(isQueued), first.batch, direct)
    this.#opening.clear()
    this.#kept.clear()
    return true
  }

  async #open(items: readonly Item[], batch: Batch, direct: boolean): Promise<void> {
    if (items.length === 0) return
    const files = items.map(({ file, bytes, hashes }) => ({
      name: file.name,
      size: bytes,
      hashes: hashes as FileHashes,
    }))
    try {
      const results = await this.#deps.api.openSessions(files, batch, direct)
      for (const [index, item] of items.entries()) await this.#apply(item, results[index])
    } catch (error) {
      this.#failed([...this.#opening].filter(isQueued), failureOf(error))
    }
  }

  /** Files are hashed long before they are sent: parts that are too large for a connection that broke meanwhile are cut again. */
  async #cutSmaller(item: Item): Promise<void> {
    const { api, plan } = this.#deps
    const partBytes = plan.partBytes(item.bytes, item.batch.parts)
    const hashed = item.hashes
    if (!plan.hasBroken || hashed === null || Math.min(hashed.partBytes, item.bytes) <= partBytes) return
    const hashes = await api.hash(item.file, partBytes).catch(() => null)
    if (!isQueued(item)) return
    if (hashes?.sha256 === hashed.sha256) {
      item.hashes = hashes
      return
    }
    this.#settle(item, { name: 'failed', reason: UNREADABLE })
    item.hashes = null
  }

  #takeGroup(): Item[] {
    this.#queue = this.#queue.filter(isQueued)
    const [first] = this.#queue
    if (!first) return []
    let size = 1
    let bytes = first.bytes
    let parts = partsOf(first)
    while (!first.openAlone && size < MAX_FILES) {
      const next = this.#queue[size]
      if (!next || next.openAlone || next.batch !== first.batch) break
      bytes += next.bytes
      parts += partsOf(next)
      if (bytes > this.#deps.plan.window || parts > MAX_PARTS) break
      size += 1
    }
    return this.#queue.splice(0, size)
  }

  async #apply(item: Item, result: OpenResult | undefined): Promise<void> {
    const { api, onOpened } = this.#deps
    if (!isQueued(item)) {
      // Cancelled meanwhile: its upload session is not needed.
      if (result?.state === 'open' && !this.#kept.has(item)) void api.cancel(result.session.id).catch(() => {})
    } else if (result?.state === 'open') onOpened(item, result.session)
    else if (result?.state === 'known') await this.#finishKnown(item, result.photoId)
    else if (result?.state === 'completed') await this.#finishKnown(item, result.session.photoId)
    else this.#reject(item, result)
    this.#opening.delete(item)
  }

  /** The user already has the photo: it moves into the chosen folder. */
  async #finishKnown(item: Item, photoId: number | null): Promise<void> {
    const { folderId } = item.batch
    const notMoved = photoId === null || folderId === null ? [] : await this.#deps.api.move([photoId], folderId)
    // Cancelled meanwhile.
    if (!isQueued(item)) return
    // A photo deleted between both requests is missing after all.
    if (photoId === null || notMoved.length > 0) this.reopen(item)
    else this.#settle(item, { name: 'known', photoId })
  }

  #reject(item: Item, result: OpenResult | undefined): void {
    if (result?.state !== 'rejected') {
      this.#settle(item, { name: 'failed', reason: ERROR_TEXTS.unreadable })
      return
    }
    const { issue: reason, code } = result
    if (code === 'too_many_uploads' && this.#deps.hasOpenSessions()) {
      this.#isFull = true
      this.#queue.unshift(item)
      return
    }
    const names = { quota_exceeded: 'no-room', too_large: 'rejected', too_many_uploads: 'failed' } as const
    this.#settle(item, { name: code ? names[code] : 'rejected', reason })
  }

  #failed(items: readonly Item[], failure: Failure): void {
    // Anything else says something about the files, whatever it is: sent again without a pause, it would be a loop.
    const isAboutFiles = !['retryable', 'taken', 'signed-out', 'store-full'].includes(failure.kind)
    const [first, ...others] = items
    if (isAboutFiles && first && others.length === 0) {
      const name = failure.kind === 'rejected' || failure.kind === 'no-room' ? failure.kind : 'failed'
      this.#settle(first, { name, reason: 'reason' in failure ? failure.reason : ERROR_TEXTS.other })
      return
    }
    // One of them may be at fault.
    if (isAboutFiles) for (const item of items) item.openAlone = true
    this.#queue.unshift(...items)
    this.#deps.onFailure(failure)
  }

  #settle(item: Item, state: State): void {
    this.#deps.store.set(item, state)
    this.#deps.onSettled(item)
  }
}

function isQueued(item: Item): boolean {
  return item.state.name === 'queued'
}

function partsOf({ hashes }: Item): number {
  return hashes?.parts.length ?? 0
}
