import { concernsSession } from '../../../lib/http.ts'
import { Connection, type Hold } from './connection.ts'
import type { Stage, UploadApi } from './deps.ts'
import { DuplicateCheck } from './duplicate-check.ts'
import { ERROR_TEXTS, type Failure } from './failure.ts'
import {
  type Batch,
  type ChosenFile,
  canRetry,
  type Item,
  ItemStore,
  isUnsent,
  itemOf,
  itemOfStored,
  type StoredUpload,
} from './items.ts'
import { PartPlan, type RateMemory, SteadyRate } from './part-plan.ts'
import { PartSender } from './part-sender.ts'
import { ProcessingTracker } from './processing-tracker.ts'
import { ACTIVE, DONE, ENDED, RESENDABLE, type State, UNSENT } from './states.ts'

/** Files are added in portions of this size: the page stays responsive. */
const ADD_AT_ONCE = 250

export interface QueueEvents {
  /** All work has ended: the files since the last time. */
  onFinished(items: Item[]): void
  /** The session seems to have ended; sending waits for `signedIn` or `sessionKept`. */
  onSignedOut(): void
}

/**
 * Uploads any number of files: each is hashed, checked, sent in parts if the server lacks it, and tracked until it is processed (`State`). It is
 * independent of any screen.
 */
export class UploadQueue {
  readonly store = new ItemStore()
  readonly notes = new Set<string>()
  readonly #api: UploadApi
  readonly #events: QueueEvents
  readonly #connection: Connection
  readonly #plan: PartPlan
  readonly #steadyRate = new SteadyRate()
  readonly #check: DuplicateCheck
  readonly #sender: PartSender
  readonly #tracker: ProcessingTracker
  #user: number | null = null
  /** Chosen files that are not in the list yet. */
  #pending: { files: readonly ChosenFile[]; batch: Batch }[] = []
  /** The files of this run, which lasts until all work has ended. */
  readonly #run = new Set<Item>()
  /** The upload sessions that `finish` has taken, each once, and whether there is a photo of it. */
  readonly #taken = new Map<string, boolean>()

  constructor(api: UploadApi, rateMemory: RateMemory, events: QueueEvents) {
    this.#api = api
    this.#events = events
    this.#connection = new Connection({ onFree: () => this.#resume(), onGiveUp: () => this.#giveUp() })
    this.#plan = new PartPlan(rateMemory)
    const stage: Stage = {
      ...{ store: this.store, notes: this.notes, api, plan: this.#plan, connection: this.#connection },
      settle: (item, state) => this.#settle(item, state),
      stored: (item, photo) => {
        this.#connection.succeeded()
        for (const issue of photo.issues ?? []) this.notes.add(issue)
        if (item.session !== null) this.#taken.set(item.session, true)
        if (item.state.name === 'processing') this.#tracker.track(item, photo)
      },
      failed: (failure) => this.#failed(failure),
      resume: () => this.#resume(),
    }
    this.#check = new DuplicateCheck(stage)
    this.#sender = new PartSender(stage)
    this.#tracker = new ProcessingTracker({ ...stage, onReprocessing: (item) => this.#run.add(item) })
    this.store.version.subscribe(() => this.#finishIfDone())
  }

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
    return this.hold !== null || this.store.count(['sending']) === 0 ? null : this.#plan.transferRate.bytesPerSecond()
  }

  /** At a rate that changes slowly, so that it does not jump; null as for `speed`. */
  get secondsLeft(): number | null {
    const { speed, store } = this
    return speed ? (store.bytes(UNSENT) - store.sentOfUnfinished) / this.#steadyRate.follow(speed) : null
  }

  add(files: readonly ChosenFile[], batch: Batch): void {
    this.store.removeChosenAgain(files)
    this.#removeDone()
    this.#pending.push({ files, batch: { ...batch } })
    if (this.#pending.length === 1) this.#addPending()
  }

  /** Completes upload sessions of which the server has all parts, each once. */
  finish(uploads: readonly StoredUpload[]): void {
    const items = uploads.filter(({ id }) => !this.#taken.has(id)).map(itemOfStored)
    if (items.length === 0) return
    this.#removeDone()
    this.#list(items)
    for (const item of items) this.#addStored(item)
    this.#resume()
  }

  canCancel(item: Item): boolean {
    return isUnsent(item) && item.session === null && this.#sender.canCancel(item)
  }

  cancel(item: Item): void {
    if (this.canCancel(item)) this.#stop([item], { name: 'cancelled' }, false)
  }

  /** Cancels what can be cancelled. `keep`: all, and what was sent of it can be continued when it is chosen again. */
  cancelAll({ keep = false } = {}): void {
    this.#pending = []
    const isCancelled = (item: Item) => isUnsent(item) && (keep || this.canCancel(item))
    this.#stop(this.store.items.filter(isCancelled), { name: 'cancelled', isKept: keep }, keep)
  }

  /** True when `finish` was called for the upload session, and there is no photo of it. */
  couldNotFinish(session: string): boolean {
    return this.#taken.get(session) === false
  }

  /** Retries a failed or cancelled file immediately; the other files stop waiting, too. */
  retry(item: Item): void {
    if (!canRetry(item)) return
    item.losses = 0
    this.#run.add(item)
    if (item.session === null) this.store.set(item, { name: 'waiting' })
    else this.#addStored(item)
    this.#connection.retryNow()
    this.#resume()
  }

  retryFailed(): void {
    for (const item of this.store.items) {
      if (RESENDABLE.includes(item.state.name)) this.retry(item)
      if (item.state.name === 'unprocessed') void this.reprocess(item)
    }
  }

  async reprocess(item: Item): Promise<void> {
    if (item.state.name !== 'unprocessed') return
    const { photoId, reason } = item.state
    this.#run.add(item)
    this.store.set(item, { name: 'processing', photoId })
    try {
      this.#tracker.track(item, await this.#api.reprocess(photoId))
    } catch (error) {
      if (concernsSession(error)) this.#endSession()
      // It may have been deleted meanwhile.
      this.store.set(item, { name: 'unprocessed', photoId, reason })
    }
  }

  /** Removes the files whose upload has ended. */
  dismiss(): void {
    this.store.remove(ENDED)
    this.notes.clear()
  }

  /** A live event names this photo. */
  hint(photoId: number): void {
    this.#tracker.hint(photoId)
  }

  /** The device is awake or online again: parts that stand still are sent again, and nothing waits any longer. */
  wake(): void {
    this.#sender.abort({ stalled: true })
    this.look()
  }

  /** The user looks at the page: nothing waits any longer than necessary. */
  look(): void {
    this.#connection.online()
  }

  /** Continues the upload when the same user is back. Another user gets none of the first one's files; returns whether it is another. */
  signedIn(userId: number): boolean {
    const isAnother = this.#user !== null && this.#user !== userId
    if (isAnother) this.#clear()
    this.#user = userId
    this.#connection.signedIn()
    return isAnother
  }

  /** The session has not ended after all: the requests are retried as after any failure. */
  sessionKept(): void {
    this.#connection.sessionKept()
    this.store.notify()
  }

  signedOut(): void {
    if (this.hasUnsent) this.#stopForSession()
  }

  /** Before files are added, those of an earlier upload leave the list. */
  #removeDone(): void {
    if (!this.isActive) this.store.remove([...DONE, 'cancelled', 'deleted'])
  }

  /** Adds the first portion at once, and each further one in a task of its own. */
  #addPending(): void {
    const [next] = this.#pending
    if (!next) return
    const files = next.files.slice(0, ADD_AT_ONCE)
    next.files = next.files.slice(ADD_AT_ONCE)
    if (next.files.length === 0) this.#pending.shift()
    this.#list(files.map((chosen) => itemOf(chosen, next.batch)))
    this.#resume()
    if (this.#pending.length > 0) setTimeout(() => this.#addPending())
  }

  #list(items: readonly Item[]): void {
    this.store.add(items)
    for (const item of items) this.#run.add(item)
  }

  #addStored(item: Item): void {
    if (item.session === null) return
    this.#taken.set(item.session, false)
    this.store.set(item, { name: 'open' })
    this.#sender.addStored(item, item.session)
  }

  #settle(item: Item, state: State): void {
    if (this.store.set(item, state)) this.#check.decideAgain()
  }

  #stop(items: readonly Item[], state: State, keep: boolean): void {
    for (const item of items) this.#settle(item, state)
    void this.#sender.drop({ keep })
    this.#resume()
  }

  #clear(): void {
    this.cancelAll({ keep: true })
    this.store.remove(['processing'])
    this.dismiss()
    this.#run.clear()
  }

  #resume(): void {
    this.#check.resume()
    this.#sender.resume()
    this.store.notify()
  }

  #giveUp(reason: string = ERROR_TEXTS.network): void {
    // Files that are still being read have not failed.
    const items = this.store.items.filter((item) => isUnsent(item) && item.hashes !== null)
    this.#stop(items, { name: 'failed', reason }, true)
  }

  #failed(failure: Failure): void {
    if (failure.kind === 'signed-out') this.#endSession()
    if (failure.kind === 'store-full') this.#giveUp(failure.reason)
    if (failure.kind === 'taken') this.#connection.failed('busy', failure.afterMs)
    if (failure.kind !== 'retryable') return
    if (failure.why === 'connection') this.#plan.hasBroken = true
    this.#connection.failed(failure.why === 'connection' ? 'connection' : 'busy', failure.afterMs)
  }

  #endSession(): void {
    if (this.#connection.hold === 'signed-out') return
    this.#stopForSession()
    this.#events.onSignedOut()
  }

  #stopForSession(): void {
    this.#connection.signedOut()
    this.#sender.abort({ stalled: false })
    this.store.notify()
  }

  #finishIfDone(): void {
    if (this.#run.size === 0 || this.isActive) return
    const items = this.store.items.filter((item) => this.#run.has(item))
    this.#run.clear()
    this.#connection.succeeded()
    this.#events.onFinished(items)
  }
}
