import { ApiError } from '../../../lib/http.ts'
import { ERROR_TEXTS } from '../error-texts.ts'
import { Connection, type Hold } from './connection.ts'
import type { SendResult, UploadApi } from './deps.ts'
import { DuplicateCheck } from './duplicate-check.ts'
import { ACTIVE, type Batch, canRetry, DONE, type Item, isProcessing, isUnsent, PROBLEMS, UNSENT } from './item.ts'
import { ItemStore } from './item-store.ts'
import { ProcessingTracker } from './processing-tracker.ts'
import { Sender } from './sender.ts'

/** Files are added in portions of this size: the page stays responsive. */
const ADD_AT_ONCE = 250

interface PendingFiles {
  files: readonly { file: File; bytes: number; path: string }[]
  batch: Batch
}

interface QueueEvents {
  /** All work has ended: the files since the last time. */
  onFinished(items: Item[]): void
  /** The session has ended; sending waits for `signedIn`. */
  onSignedOut(): void
}

/**
 * Uploads any number of files: each is hashed, checked, sent if the server lacks it, and tracked until it is processed.
 * It is independent of any screen.
 */
export class UploadQueue {
  readonly store = new ItemStore()
  /** The server's sentences about a whole upload. */
  readonly notes = new Set<string>()
  /** The server's message about a request of which it accepted no file. */
  rejection: string | null = null
  readonly #api: UploadApi
  readonly #events: QueueEvents
  readonly #connection: Connection
  readonly #duplicateCheck: DuplicateCheck
  readonly #sender: Sender
  readonly #tracker: ProcessingTracker
  #user: number | null = null
  #lastId = 0
  #run = 1
  #working = false
  #pending: PendingFiles[] = []

  constructor(api: UploadApi, events: QueueEvents) {
    const { store } = this
    const isOnHold = () => this.#connection.hold !== null
    this.#api = api
    this.#events = events
    this.#connection = new Connection({ onFree: () => this.#resume(), onGiveUp: () => this.#giveUp() })
    this.#duplicateCheck = new DuplicateCheck({
      store,
      api,
      isOnHold,
      onMissing: (item) => this.#sender.add(item),
      onChecked: () => this.#sender.resume(),
      onStored: (item) => this.#tracker.add(item, null),
      onFailure: (error, items) => this.#checkFailed(error, items),
    })
    this.#sender = new Sender({
      store,
      api,
      isOnHold: () => isOnHold() || this.#duplicateCheck.mustCheckFirst,
      onRecheck: (items) => this.#duplicateCheck.recheck(items),
      onStored: (item, photo) => this.#tracker.add(item, photo),
      onSettled: (item) => this.#duplicateCheck.release(item),
      onResult: (result) => this.#handleResult(result),
    })
    this.#tracker = new ProcessingTracker({
      store,
      api,
      onReprocessing: (item) => this.#restart(item),
      onFailure: (error) => this.#endSessionOn401(error),
    })
    store.version.subscribe(() => this.#finishIfDone())
  }

  /** Why nothing is being sent, or null. */
  get hold(): Hold | null {
    return this.hasUnsent ? this.#connection.hold : null
  }

  /** True while leaving the page would lose files. */
  get hasUnsent(): boolean {
    return this.#pending.length > 0 || this.store.count(UNSENT) > 0
  }

  get isActive(): boolean {
    return this.#pending.length > 0 || this.store.count(ACTIVE) > 0
  }

  /** Bytes per second; null while nothing is sent or it is too early to say. */
  get speed(): number | null {
    return this.hold !== null || this.store.count(['sending']) === 0 ? null : this.#sender.transferRate.bytesPerSecond()
  }

  /** Adds files, also to a running upload. */
  add(files: readonly { file: File; bytes: number; path: string }[], batch: Batch): void {
    if (!this.isActive) this.store.remove([...DONE, 'cancelled', 'deleted'])
    this.store.removeChosenAgain(files)
    this.#working = true
    this.#pending.push({ files, batch })
    if (this.#pending.length === 1) this.#addPending()
  }

  /** False once all bytes of its request were sent: the server may have the file already. */
  canCancel(item: Item): boolean {
    return isUnsent(item) && this.#sender.canCancel(item)
  }

  cancel(item: Item): void {
    if (this.canCancel(item)) this.#cancel([item])
  }

  /** Cancels everything that is not stored yet. */
  cancelAll(): void {
    this.#pending = []
    this.#cancel(this.store.items.filter(isUnsent))
  }

  /** Retries a failed or cancelled file immediately; the other files stop waiting, too. */
  retry(item: Item): void {
    if (!canRetry(item)) return
    item.attempts = 0
    this.#restart(item)
    this.store.set(item, { name: 'waiting' })
    this.#duplicateCheck.add([item])
    this.#connection.retryNow()
  }

  /** Retries all failed files and all failed processing. */
  retryFailed(): void {
    for (const item of this.store.items) {
      if (item.state.name === 'failed' || item.state.name === 'no-room') this.retry(item)
      if (item.state.name === 'unprocessed') void this.reprocess(item)
    }
  }

  /** Starts the processing of a stored photo again. */
  async reprocess(item: Item): Promise<void> {
    if (item.state.name !== 'unprocessed') return
    const { photoId, reason } = item.state
    this.#restart(item)
    this.store.set(item, { name: 'processing', photoId })
    try {
      this.#tracker.add(item, await this.#api.reprocess(photoId))
    } catch (error) {
      this.#endSessionOn401(error)
      // It may have been deleted meanwhile.
      if (isProcessing(item)) this.store.set(item, { name: 'unprocessed', photoId, reason })
    }
  }

  /** Removes the files whose upload has ended. */
  dismiss(): void {
    this.store.remove([...DONE, ...PROBLEMS, 'cancelled', 'deleted'])
    this.#tracker.forgetFailed()
    this.notes.clear()
    this.rejection = null
  }

  /** A live event names this photo. */
  hint(photoId: number): void {
    this.#tracker.hint(photoId)
  }

  online(): void {
    this.#connection.online()
    this.store.notify()
  }

  /** Continues the upload when the same user is back. Another user gets none of the first one's files. */
  signedIn(userId: number): void {
    if (this.#user !== null && this.#user !== userId) this.#clear()
    this.#user = userId
    this.#connection.signedIn()
    this.store.notify()
  }

  signedOut(): void {
    if (!this.hasUnsent) return
    this.#connection.signedOut()
    this.store.notify()
  }

  /** Work on a finished file starts again. */
  #restart(item: Item): void {
    item.run = this.#run
    this.#working = true
  }

  #addPending(): void {
    const [next] = this.#pending
    if (!next) return
    const items = next.files.slice(0, ADD_AT_ONCE).map((chosen) => this.#itemOf(chosen, next.batch))
    next.files = next.files.slice(ADD_AT_ONCE)
    if (next.files.length === 0) this.#pending.shift()
    this.store.add(items)
    this.#duplicateCheck.add(items)
    if (this.#pending.length > 0) setTimeout(() => this.#addPending())
  }

  #itemOf({ file, bytes, path }: PendingFiles['files'][number], batch: Batch): Item {
    this.#lastId += 1
    return {
      id: this.#lastId,
      file,
      bytes,
      path,
      batch,
      state: { name: 'waiting' },
      hash: null,
      attempts: 0,
      sentBefore: false,
      sendAlone: false,
      run: this.#run,
    }
  }

  #cancel(items: readonly Item[]): void {
    for (const item of items) this.store.set(item, { name: 'cancelled' })
    this.#sender.abortCancelled()
    for (const item of items) this.#duplicateCheck.release(item)
  }

  #clear(): void {
    this.cancelAll()
    this.#tracker.reset()
    this.store.remove(['processing'])
    this.dismiss()
    this.#working = false
  }

  #resume(): void {
    this.#duplicateCheck.resume()
    this.#sender.resume()
    this.store.notify()
  }

  #giveUp(): void {
    // Files that are still being read have not failed.
    const items = this.store.items.filter((item) => isUnsent(item) && item.hash !== null)
    for (const item of items) this.store.set(item, { name: 'failed', reason: ERROR_TEXTS.network })
    this.#sender.abortCancelled()
    for (const item of items) this.#duplicateCheck.release(item)
  }

  #handleResult(result: SendResult): void {
    if (result.kind === 'completed') {
      this.#connection.succeeded()
      for (const note of result.notes) this.notes.add(note)
      if (result.message !== null) this.rejection = result.message
    }
    if (result.kind === 'retryable')
      this.#connection.failed(result.why === 'network' ? 'connection' : 'busy', result.afterMs)
    if (result.kind === 'signed-out') this.#endSession()
  }

  #checkFailed(error: unknown, items: readonly Item[]): void {
    if (this.#endSessionOn401(error)) return
    const status = error instanceof ApiError ? error.status : 0
    if (status === 0 || status === 429 || status >= 500) {
      this.#connection.failed(status === 0 ? 'connection' : 'busy')
      return
    }
    const reason = error instanceof ApiError && error.body ? error.body.message : (error as Error).message
    for (const item of items) this.store.set(item, { name: 'failed', reason })
  }

  #endSessionOn401(error: unknown): boolean {
    const ended = error instanceof ApiError && error.status === 401
    if (ended) this.#endSession()
    return ended
  }

  #endSession(): void {
    if (this.#connection.hold === 'signed-out') return
    this.#connection.signedOut()
    this.store.notify()
    this.#events.onSignedOut()
  }

  #finishIfDone(): void {
    if (!this.#working || this.isActive) return
    this.#working = false
    const items = this.store.items.filter((item) => item.run === this.#run)
    this.#run += 1
    this.#connection.succeeded()
    this.#events.onFinished(items)
  }
}
