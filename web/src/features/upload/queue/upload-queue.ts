import { ApiError } from '../../../lib/http.ts'
import { WORDS } from '../error-texts.ts'
import { Board } from './item-store.ts'
import { Checker } from './duplicate-check.ts'
import { Connection, type Hold } from './connection.ts'
import { Follower } from './processing-tracker.ts'
import { ACTIVE, type Batch, DONE, type Item, isProcessing, isUnsent, UNSENT } from './item.ts'
import type { Answer, Ports } from './deps.ts'
import { Sender } from './sender.ts'

/** So many files join the queue at once: the page goes on living between. */
const ADD_AT_ONCE = 250

interface Joining {
  files: readonly { file: File; bytes: number; path: string }[]
  batch: Batch
}

interface QueueEvents {
  /** Nothing is left to do: these are the files since the last time. */
  onFinished(items: Item[]): void
  /** The session has ended; sending waits for `signedIn`. */
  onSignedOut(): void
}

/**
 * The upload of any number of files: each is hashed, asked about, sent if it is missing, and followed until the server
 * has processed it. Nothing here is bound to a screen.
 */
export class UploadQueue {
  readonly board = new Board()
  /** The server's sentences about an upload as a whole. */
  readonly notes = new Set<string>()
  /** What the server said of a request none of whose files it took. */
  refusal: string | null = null
  readonly #ports: Ports
  readonly #events: QueueEvents
  readonly #connection: Connection
  readonly #checker: Checker
  readonly #sender: Sender
  readonly #follower: Follower
  #user: number | null = null
  #lastId = 0
  #run = 1
  #working = false
  #joining: Joining[] = []

  constructor(ports: Ports, events: QueueEvents) {
    const { board } = this
    const isHeld = () => this.#connection.hold !== null
    this.#ports = ports
    this.#events = events
    this.#connection = new Connection({ onFree: () => this.#resume(), onGiveUp: () => this.#giveUp() })
    this.#checker = new Checker({
      board,
      ports,
      isHeld,
      onMissing: (item) => this.#sender.add(item),
      onAnswered: () => this.#sender.resume(),
      onStored: (item) => this.#follower.add(item, null),
      onFailure: (error, items) => this.#questionFailed(error, items),
    })
    this.#sender = new Sender({
      board,
      ports,
      isHeld: () => isHeld() || this.#checker.mustAskFirst,
      onAgain: (items) => this.#checker.again(items),
      onStored: (item, photo) => this.#follower.add(item, photo),
      onSettled: (item) => this.#checker.settled(item),
      onAnswer: (answer) => this.#answered(answer),
    })
    this.#follower = new Follower({
      board,
      ports,
      onAgain: (item) => this.#takeUp(item),
      onFailure: (error) => this.#signedOutIf(error),
    })
    board.subscribe(() => this.#finishIfDone())
  }

  /** Why nothing is sent just now, null while all is well. */
  get hold(): Hold | null {
    return this.hasUnsent ? this.#connection.hold : null
  }

  /** True while leaving the page would lose files. */
  get hasUnsent(): boolean {
    return this.#joining.length > 0 || this.board.count(UNSENT) > 0
  }

  get isActive(): boolean {
    return this.#joining.length > 0 || this.board.count(ACTIVE) > 0
  }

  /** Bytes a second; null while nothing is sent or it is too early to say. */
  get speed(): number | null {
    return this.hold !== null || this.board.count(['sending']) === 0 ? null : this.#sender.speed.bytesPerSecond()
  }

  /** Adds files, also to a running upload. */
  add(files: readonly { file: File; bytes: number; path: string }[], batch: Batch): void {
    if (!this.isActive) this.board.remove([...DONE, 'cancelled', 'deleted'])
    this.#working = true
    this.#joining.push({ files, batch })
    if (this.#joining.length === 1) this.#join()
  }

  /** False once all bytes of its request have left: then the server may have the file already. */
  canCancel(item: Item): boolean {
    return isUnsent(item) && this.#sender.canCancel(item)
  }

  cancel(item: Item): void {
    if (this.canCancel(item)) this.#cancel([item])
  }

  /** Ends everything that is not with the server yet. */
  cancelAll(): void {
    this.#joining = []
    this.#cancel(this.board.items.filter(isUnsent))
  }

  /** Tries a failed or cancelled file again, at once: also the others wait no longer. */
  retry(item: Item): void {
    if (item.state.name !== 'failed' && item.state.name !== 'cancelled') return
    item.tries = 0
    this.#takeUp(item)
    this.board.set(item, { name: 'waiting' })
    this.#checker.add([item])
    this.#connection.tryNow()
  }

  /** Tries all failed files again, and all failed processing. */
  retryFailed(): void {
    for (const item of this.board.items) {
      if (item.state.name === 'failed') this.retry(item)
      if (item.state.name === 'unprocessed') void this.reprocess(item)
    }
  }

  /** Has the server process a stored photo again. */
  async reprocess(item: Item): Promise<void> {
    if (item.state.name !== 'unprocessed') return
    const { photoId, reason } = item.state
    this.#takeUp(item)
    this.board.set(item, { name: 'processing', photoId })
    try {
      this.#follower.add(item, await this.#ports.reprocess(photoId))
    } catch (error) {
      this.#signedOutIf(error)
      // It may have been deleted meanwhile.
      if (isProcessing(item)) this.board.set(item, { name: 'unprocessed', photoId, reason })
    }
  }

  /** Takes what has ended off the list. */
  dismiss(): void {
    this.board.remove([...DONE, 'refused', 'failed', 'unprocessed', 'cancelled', 'deleted'])
    this.#follower.forgetFailed()
    this.notes.clear()
    this.refusal = null
  }

  /** A live event names this photo. */
  hint(photoId: number): void {
    this.#follower.hint(photoId)
  }

  online(): void {
    this.#connection.online()
    this.board.changed()
  }

  /** The upload goes on if the same user is back. Another user gets none of the first one's files. */
  signedIn(userId: number): void {
    if (this.#user !== null && this.#user !== userId) this.#forget()
    this.#user = userId
    this.#connection.signedIn()
    this.board.changed()
  }

  signedOut(): void {
    if (!this.hasUnsent) return
    this.#connection.signedOut()
    this.board.changed()
  }

  /** There is something to do again with a file that had ended. */
  #takeUp(item: Item): void {
    item.run = this.#run
    this.#working = true
  }

  #join(): void {
    const [next] = this.#joining
    if (!next) return
    const items = next.files.slice(0, ADD_AT_ONCE).map((chosen) => this.#itemOf(chosen, next.batch))
    next.files = next.files.slice(ADD_AT_ONCE)
    if (next.files.length === 0) this.#joining.shift()
    this.board.add(items)
    this.#checker.add(items)
    if (this.#joining.length > 0) setTimeout(() => this.#join())
  }

  #itemOf({ file, bytes, path }: Joining['files'][number], batch: Batch): Item {
    this.#lastId += 1
    return {
      id: this.#lastId,
      file,
      bytes,
      path,
      batch,
      state: { name: 'waiting' },
      hash: null,
      tries: 0,
      sentBefore: false,
      alone: false,
      run: this.#run,
    }
  }

  #cancel(items: readonly Item[]): void {
    for (const item of items) this.board.set(item, { name: 'cancelled' })
    this.#sender.abortCancelled()
    for (const item of items) this.#checker.settled(item)
  }

  #forget(): void {
    this.cancelAll()
    this.#follower.reset()
    this.board.remove(['processing'])
    this.dismiss()
    this.#working = false
  }

  #resume(): void {
    this.#checker.resume()
    this.#sender.resume()
    this.board.changed()
  }

  #giveUp(): void {
    // Files that are still being read have not failed.
    const items = this.board.items.filter((item) => isUnsent(item) && item.hash !== null)
    for (const item of items) this.board.set(item, { name: 'failed', reason: WORDS.network })
    this.#sender.abortCancelled()
    for (const item of items) this.#checker.settled(item)
  }

  #answered(answer: Answer): void {
    if (answer.kind === 'answered') {
      this.#connection.succeeded()
      for (const note of answer.notes) this.notes.add(note)
      if (answer.message !== null) this.refusal = answer.message
    }
    if (answer.kind === 'later')
      this.#connection.failed(answer.why === 'network' ? 'connection' : 'busy', answer.afterMs)
    if (answer.kind === 'signed-out') this.#endSession()
  }

  #questionFailed(error: unknown, items: readonly Item[]): void {
    if (this.#signedOutIf(error)) return
    const status = error instanceof ApiError ? error.status : 0
    if (status === 0 || status === 429 || status >= 500) {
      this.#connection.failed(status === 0 ? 'connection' : 'busy')
      return
    }
    const reason = error instanceof ApiError && error.body ? error.body.message : (error as Error).message
    for (const item of items) this.board.set(item, { name: 'failed', reason })
  }

  #signedOutIf(error: unknown): boolean {
    const ended = error instanceof ApiError && error.status === 401
    if (ended) this.#endSession()
    return ended
  }

  #endSession(): void {
    if (this.#connection.hold === 'signed-out') return
    this.#connection.signedOut()
    this.board.changed()
    this.#events.onSignedOut()
  }

  #finishIfDone(): void {
    if (!this.#working || this.isActive) return
    this.#working = false
    const items = this.board.items.filter((item) => item.run === this.#run)
    this.#run += 1
    this.#connection.succeeded()
    this.#events.onFinished(items)
  }
}
