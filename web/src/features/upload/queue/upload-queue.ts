import { concernsSession } from '../../../lib/http.ts'
import { ERROR_TEXTS, LOST } from '../error-texts.ts'
import { Connection, type Hold } from './connection.ts'
import type { QueueEvents, UploadApi, UploadedPhoto } from './deps.ts'
import { DuplicateCheck } from './duplicate-check.ts'
import { type Failure, failureOf } from './failure.ts'
import type { Batch, Chosen, Item, State, StoredUpload } from './item.ts'
import { ACTIVE, canRetry, DONE, isProcessing, isUnsent, itemOf, itemOfStored, PROBLEMS, UNSENT } from './item.ts'
import { ItemStore } from './item-store.ts'
import { PartPlan, type RateMemory } from './part-plan.ts'
import { PartSender } from './part-sender.ts'
import { PendingFiles } from './pending-files.ts'
import { ProcessingTracker } from './processing-tracker.ts'
import { SessionFinisher } from './session-finisher.ts'

/**
 * Uploads any number of files: each is hashed, checked, sent in parts if the server lacks it, and tracked until it is
 * processed. It is independent of any screen.
 */
export class UploadQueue {
  readonly store = new ItemStore()
  /** The server's sentences about a whole upload. */
  readonly notes = new Set<string>()
  readonly #api: UploadApi
  readonly #events: QueueEvents
  readonly #connection: Connection
  readonly #duplicateCheck: DuplicateCheck
  readonly #plan: PartPlan
  readonly #sender: PartSender
  readonly #finisher: SessionFinisher
  readonly #tracker: ProcessingTracker
  #user: number | null = null
  #run = 1
  #working = false
  readonly #pending = new PendingFiles((files, batch) => {
    const items = files.map((chosen) => itemOf(chosen, batch, this.#run))
    this.store.add(items)
    this.#duplicateCheck.add(items)
  })

  constructor(api: UploadApi, rateMemory: RateMemory, events: QueueEvents) {
    const { store } = this
    this.#api = api
    this.#events = events
    this.#connection = new Connection({ onFree: () => this.#resume(), onGiveUp: () => this.#giveUp() })
    this.#plan = new PartPlan(rateMemory)
    const deps = {
      ...{ store, api, plan: this.#plan },
      isOnHold: () => this.#connection.hold !== null,
      onStored: (item: Item, photo: UploadedPhoto) => {
        this.#connection.succeeded()
        for (const issue of photo.issues ?? []) this.notes.add(issue)
        this.#tracker.add(item, photo)
      },
      onSettled: (item: Item) => this.#duplicateCheck.release(item),
      onFailure: (failure: Failure) => this.#handleFailure(failure),
    }
    this.#duplicateCheck = new DuplicateCheck({
      ...deps,
      onMissing: (item) => this.#sender.add(item),
      onChecked: () => this.#sender.resume(),
      onFailure: (error, items) => this.#checkFailed(error, items),
    })
    this.#sender = new PartSender({
      ...deps,
      onProgress: () => this.#connection.succeeded(),
      onLost: () => this.notes.add(LOST),
      onHashAgain: (item) => this.#duplicateCheck.add([item]),
    })
    this.#finisher = new SessionFinisher(deps)
    this.#tracker = new ProcessingTracker({
      store,
      api,
      onReprocessing: (item) => this.#restart(item),
      onFailure: (error) => concernsSession(error) && this.#endSession(),
    })
    store.version.subscribe(() => this.#finishIfDone())
  }

  /** Why nothing is being sent, or null. */
  get hold(): Hold | null {
    return this.hasUnsent ? this.#connection.hold : null
  }

  /** True while leaving the page would lose files. */
  get hasUnsent(): boolean {
    return !this.#pending.isEmpty || this.store.count(UNSENT) > 0
  }

  get isActive(): boolean {
    return !this.#pending.isEmpty || this.store.count(ACTIVE) > 0
  }

  /** Bytes per second; null while nothing is sent or it is too early to say. */
  get speed(): number | null {
    return this.hold !== null || this.store.count(['sending']) === 0 ? null : this.#plan.transferRate.bytesPerSecond()
  }

  /** Adds files, also to a running upload. */
  add(files: readonly Chosen[], batch: Batch): void {
    this.store.removeChosenAgain(files)
    this.#start()
    this.#pending.add(files, batch)
  }

  /** Completes upload sessions of which the server has all parts, each once. */
  finish(uploads: readonly StoredUpload[]): void {
    const items = this.#finisher.take(uploads).map((upload) => itemOfStored(upload, this.#run))
    if (items.length === 0) return
    this.#start()
    this.store.add(items)
    for (const item of items) this.#finisher.add(item)
  }

  /** False once all its parts are stored: the server may have made the photo already. */
  canCancel(item: Item): boolean {
    return isUnsent(item) && item.session === null && this.#sender.canCancel(item)
  }

  cancel(item: Item): void {
    if (this.canCancel(item)) this.#cancel([item])
  }

  /** Cancels what can be cancelled. `keep`: all, and what was sent of it can be continued when it is chosen again. */
  cancelAll({ keep = false } = {}): void {
    this.#pending.clear()
    const isCancelled = (item: Item) => isUnsent(item) && (keep || this.canCancel(item))
    this.#cancel(this.store.items.filter(isCancelled), keep)
  }

  /** The ids of the upload sessions of files that are being sent. */
  get sessions(): string[] {
    return this.#sender.sessions
  }

  /** True when `finish` was called for the upload session, and there is no photo of it. */
  couldNotFinish(session: string): boolean {
    return this.#finisher.hasFailed(session)
  }

  /** Retries a failed or cancelled file immediately; the other files stop waiting, too. */
  retry(item: Item): void {
    if (!canRetry(item)) return
    item.attempts = 0
    this.#restart(item)
    this.store.set(item, { name: 'waiting' })
    if (item.session === null) this.#duplicateCheck.add([item])
    else this.#finisher.add(item)
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
      if (concernsSession(error)) this.#endSession()
      // It may have been deleted meanwhile.
      if (isProcessing(item)) this.store.set(item, { name: 'unprocessed', photoId, reason })
    }
  }

  /** Removes the files whose upload has ended. */
  dismiss(): void {
    this.store.remove([...DONE, ...PROBLEMS, 'cancelled', 'deleted'])
    this.#tracker.forgetFailed()
    this.notes.clear()
  }

  /** A live event names this photo. */
  hint(photoId: number): void {
    this.#tracker.hint(photoId)
  }

  /** The device is awake or online again: parts that stand still are sent again, and nothing waits any longer. */
  wake(): void {
    this.#sender.restartStalled()
    this.look()
  }

  /** The user looks at the page: nothing waits any longer than necessary. */
  look(): void {
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

  /** The session has not ended after all: the requests are retried as after any failure. */
  sessionKept(): void {
    this.#connection.sessionKept()
    this.store.notify()
  }

  signedOut(): void {
    if (!this.hasUnsent) return
    this.#stopForSession()
  }

  /** Work on a finished file starts again. */
  #restart(item: Item): void {
    item.run = this.#run
    this.#working = true
  }

  /** Files are added; those of an earlier upload leave the list. */
  #start(): void {
    if (!this.isActive) this.store.remove([...DONE, 'cancelled', 'deleted'])
    this.#working = true
  }

  #cancel(items: readonly Item[], keep = false): void {
    this.#stop(items, { name: 'cancelled' }, keep)
    this.#sender.resume()
  }

  #stop(items: readonly Item[], state: State, keep: boolean): void {
    for (const item of items) this.store.set(item, state)
    void this.#sender.drop({ keep })
    for (const item of items) this.#duplicateCheck.release(item)
  }

  #clear(): void {
    this.cancelAll({ keep: true })
    this.#tracker.reset()
    this.store.remove(['processing'])
    this.dismiss()
    this.#working = false
  }

  #resume(): void {
    this.#duplicateCheck.resume()
    this.#sender.resume()
    this.#finisher.resume()
    this.store.notify()
  }

  #giveUp(reason: string = ERROR_TEXTS.network): void {
    // Files that are still being read have not failed.
    const items = this.store.items.filter((item) => isUnsent(item) && item.hashes !== null)
    this.#stop(items, { name: 'failed', reason }, true)
  }

  #handleFailure(failure: Failure): void {
    if (failure.kind === 'signed-out') this.#endSession()
    if (failure.kind === 'store-full') this.#giveUp(failure.reason)
    if (failure.kind === 'taken') this.#connection.failed('busy', failure.afterMs)
    if (failure.kind !== 'retryable') return
    if (failure.why === 'connection') this.#plan.broke()
    this.#connection.failed(failure.why === 'connection' ? 'connection' : 'busy', failure.afterMs)
  }

  #checkFailed(error: unknown, items: readonly Item[]): void {
    const failure = failureOf(error)
    this.#handleFailure(failure)
    if (failure.kind === 'retryable' || !('reason' in failure)) return
    for (const item of items) this.store.set(item, { name: 'failed', reason: failure.reason })
  }

  #endSession(): void {
    if (this.#connection.hold === 'signed-out') return
    this.#stopForSession()
    this.#events.onSignedOut()
  }

  #stopForSession(): void {
    this.#connection.signedOut()
    this.#sender.abortAll()
    this.store.notify()
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
