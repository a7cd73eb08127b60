import type { UploadSession } from '../../../api/types.ts'
import type { OpenResult, Stage } from './deps.ts'
import { ERROR_TEXTS, type Failure, failureOf, MAX_ATTEMPTS, reasonOf, UNREADABLE } from './failure.ts'
import type { FileHashes, Item } from './items.ts'
import { MAX_PARTS } from './part-plan.ts'

/** The server's limit for the files of one request. */
const MAX_FILES = 20

type SessionOpenerDeps = Stage & { hasOpenSessions(): boolean; onOpened(item: Item, session: UploadSession): void }

/** Opens the upload sessions of queued files, a little ahead of their sending. */
export class SessionOpener {
  #isOpening = false
  /** The user has as many open upload sessions as are allowed: the next one waits until one has ended. */
  isFull = false
  readonly #deps: SessionOpenerDeps

  constructor(deps: SessionOpenerDeps) {
    this.#deps = deps
  }

  reopen(item: Item): void {
    const { store, settle } = this.#deps
    item.losses += 1
    if (item.losses >= MAX_ATTEMPTS) {
      settle(item, { name: 'failed', reason: 'The upload could not be continued. Try again.' })
      return
    }
    store.set(item, { name: 'queued' })
    store.putFirst(item)
  }

  /** Opens the next files, as many as one request takes. `direct`: their parts may go straight to the object store. */
  async resume(direct: boolean): Promise<void> {
    if (this.#isOpening || this.isFull || this.#deps.connection.hold !== null) return
    const group = this.#nextGroup()
    if (group.length === 0) return
    this.#isOpening = true
    for (const item of group) await this.#cutSmaller(item)
    const items = group.filter(isQueued)
    if (items.length > 0) await this.#open(items, direct)
    this.#isOpening = false
    this.#deps.resume()
  }

  #nextGroup(): Item[] {
    const group: Item[] = []
    let [bytes, parts] = [0, 0]
    for (const item of this.#deps.store.in('queued')) {
      const first = group[0] ?? item
      bytes += item.bytes
      parts += item.hashes?.parts.length ?? 0
      const isTooMuch = bytes > this.#deps.plan.window || parts > MAX_PARTS
      if (item !== first && (first.openAlone || item.openAlone || item.batch !== first.batch || isTooMuch)) break
      group.push(item)
      // The times of the others follow that of the first one.
      if (group.length === MAX_FILES || first.batch.origin === undefined) break
    }
    return group
  }

  /** Files are hashed long before they are sent: parts that are too large for a connection that broke meanwhile are cut again. */
  async #cutSmaller(item: Item): Promise<void> {
    const { api, plan, settle } = this.#deps
    const partBytes = plan.partBytes(item.bytes, item.batch.parts)
    const hashed = item.hashes
    if (!plan.hasBroken || hashed === null || Math.min(hashed.partBytes, item.bytes) <= partBytes) return
    const hashes = await api.hash(item.file, partBytes).catch(() => null)
    if (!isQueued(item)) return
    if (hashes?.sha256 === hashed.sha256) {
      item.hashes = hashes
      return
    }
    settle(item, { name: 'failed', reason: UNREADABLE })
    item.hashes = null
  }

  async #open(items: readonly Item[], direct: boolean): Promise<void> {
    const [{ batch }] = items as [Item]
    try {
      const files = items.map(({ id, file, bytes, hashes }) => ({
        ...{ name: file.name, size: bytes, hashes: hashes as FileHashes },
        ...(batch.origin !== undefined && { selectedAt: new Date(batch.origin + id).toISOString() }),
      }))
      const results = await this.#deps.api.openSessions(files, batch, direct)
      for (const [index, item] of items.entries()) await this.#apply(item, results[index])
    } catch (error) {
      this.#failed(items.filter(isQueued), failureOf(error))
    }
  }

  async #apply(item: Item, result: OpenResult | undefined): Promise<void> {
    const { api, onOpened } = this.#deps
    if (!isQueued(item)) {
      // Cancelled meanwhile: its upload session is not needed.
      const isUnwanted = item.state.name === 'cancelled' && !item.state.isKept
      if (result?.state === 'open' && isUnwanted) void api.cancel(result.session.id).catch(() => {})
    } else if (result?.state === 'open') {
      item.batch.origin ??= Date.parse(result.session.createdAt) - item.id
      onOpened(item, result.session)
    } else if (result?.state === 'known') await this.#finishKnown(item, result.photoId)
    else if (result?.state === 'completed') await this.#finishKnown(item, result.session.photoId)
    else this.#reject(item, result)
  }

  /** The user already has the photo: it moves into the chosen folder. */
  async #finishKnown(item: Item, photoId: number | null): Promise<void> {
    const { folderId } = item.batch
    const notMoved = photoId === null || folderId === null ? [] : await this.#deps.api.move([photoId], folderId)
    // Cancelled meanwhile.
    if (!isQueued(item)) return
    // A photo deleted between both requests is missing after all.
    if (photoId === null || notMoved.length > 0) this.reopen(item)
    else this.#deps.settle(item, { name: 'known', photoId })
  }

  #reject(item: Item, result: OpenResult | undefined): void {
    const { settle, hasOpenSessions } = this.#deps
    if (result?.state !== 'rejected') {
      settle(item, { name: 'failed', reason: ERROR_TEXTS.unreadable })
      return
    }
    const { issue: reason, code } = result
    if (code === 'too_many_uploads' && hasOpenSessions()) {
      this.isFull = true
      return
    }
    const names = { quota_exceeded: 'no-room', too_large: 'rejected', too_many_uploads: 'failed' } as const
    settle(item, { name: code ? names[code] : 'rejected', reason })
  }

  #failed(items: readonly Item[], failure: Failure): void {
    // Anything else says something about the files, whatever it is: sent again without a pause, it would be a loop.
    const isAboutFiles = !['retryable', 'taken', 'signed-out', 'store-full'].includes(failure.kind)
    const [first, ...others] = items
    if (isAboutFiles && first && others.length === 0) {
      const name = failure.kind === 'rejected' || failure.kind === 'no-room' ? failure.kind : 'failed'
      this.#deps.settle(first, { name, reason: reasonOf(failure) })
      return
    }
    // One of them may be at fault.
    if (isAboutFiles) for (const item of items) item.openAlone = true
    this.#deps.failed(failure)
  }
}

function isQueued(item: Item): boolean {
  return item.state.name === 'queued'
}
