import { breaksConnection, MAX_DIRECT_ATTEMPTS, nextStep } from './attempts.ts'
import type { UploadedPhoto } from './deps.ts'
import { UNREADABLE } from './duplicate-check.ts'
import { type Failure, failureOf } from './failure.ts'
import type { FileParts } from './file-parts.ts'
import { Flights } from './flights.ts'
import { type Item, isSendable } from './item.ts'
import { OpenFileEnds } from './open-file-ends.ts'
import { OpenFiles } from './open-files.ts'
import { SessionOpener, type SessionOpenerDeps } from './session-opener.ts'
import { SessionRequests } from './session-requests.ts'

const MAX_IN_FLIGHT = 4
/** Upload sessions are opened while fewer parts than these wait to be sent. */
const PARTS_AHEAD = 8

interface PartSenderDeps extends Omit<SessionOpenerDeps, 'hasOpenSessions' | 'onOpened'> {
  onStored: (item: Item, photo: UploadedPhoto) => void
  /** Its upload session is gone: the file is sent again. */
  onLost: () => void
  /** A part was stored: the connection and the server work. */
  onProgress: () => void
  /** The file, in the state `waiting`, has to be cut into smaller parts. */
  onHashAgain: (item: Item) => void
}

/**
 * Sends the parts of queued files, several at a time and the oldest files first, and completes their upload sessions.
 * After a failure it reads what the server has before it sends anything.
 */
export class PartSender {
  readonly #files = new OpenFiles()
  readonly #flights = new Flights()
  readonly #opener: SessionOpener
  readonly #ends: OpenFileEnds
  readonly #requests: SessionRequests
  readonly #deps: PartSenderDeps

  constructor(deps: PartSenderDeps) {
    this.#deps = deps
    const shared = { ...deps, files: this.#files, flights: this.#flights }
    this.#ends = new OpenFileEnds({ ...shared, onRemoved: () => this.#opener.ended() })
    this.#requests = new SessionRequests({
      ...shared,
      ends: this.#ends,
      onLost: (item) => {
        deps.onLost()
        this.#opener.reopen(item)
      },
      onFree: () => this.resume(),
    })
    this.#opener = new SessionOpener({
      ...deps,
      hasOpenSessions: () => this.sessions.length > 0,
      onOpened: (item, session) => {
        const file = this.#files.add(item, session)
        if (file.stored > 0) this.#ends.show(file)
        this.#hold(file)
      },
    })
  }

  /** Adds a file in the state `queued`. */
  add(item: Item): void {
    this.#opener.add(item)
  }

  /** Starts requests up to the limit. */
  resume(): void {
    if (this.#deps.isOnHold()) return
    const unsure = this.#files.find((file) => file.isUnsure && !file.isResting)
    if (unsure) {
      // One at a time: it is a test of the connection, too.
      if (!unsure.isRequesting) void this.#requests.refresh(unsure)
      return
    }
    let isStarting = true
    while (isStarting) isStarting = this.#startNext()
    void this.#openMore()
  }

  /** False once all its parts are stored: the photo may have been made of them, also where no response said so. */
  canCancel(item: Item): boolean {
    return !this.#files.find((file) => file.item === item && file.isComplete)
  }

  get sessions(): string[] {
    return this.#files.filter(() => true).map(({ id }) => id)
  }

  /** Stops the files whose upload has ended otherwise. `keep`: what is stored of them can be continued. */
  async drop({ keep }: { keep: boolean }): Promise<void> {
    const dropped = this.#files.filter(({ item }) => !isSendable(item))
    for (const file of dropped) this.#ends.remove(file)
    if (keep) {
      this.#opener.keepCancelled()
      return
    }
    for (const { id } of dropped) await this.#deps.api.cancel(id).catch(() => {})
  }

  /** The device is awake or online again: parts that stand still are sent again. */
  restartStalled(): void {
    this.#flights.abortStalled()
  }

  /** The user's session has ended: what is on the way would be rejected. */
  abortAll(): void {
    this.#flights.abortAll()
  }

  /** The file rests while another tab of this browser sends it. */
  #hold(file: FileParts): void {
    let isLater = false
    file.isResting = true
    void this.#deps.api.holdSession(file.id, async (hasWaited) => {
      file.isResting = false
      if (!this.#files.includes(file)) return
      if (hasWaited) file.isUnsure = true
      if (isLater) this.resume()
      await file.closed
    })
    isLater = true
  }

  async #openMore(): Promise<void> {
    if (this.#files.waitingParts >= PARTS_AHEAD) return
    if (await this.#opener.resume(this.#files.isDirect)) this.resume()
  }

  /** False when nothing more can be started. */
  #startNext(): boolean {
    const { plan, isOnHold } = this.#deps
    const running = this.#flights.size + this.#files.requests
    if (running >= MAX_IN_FLIGHT || isOnHold()) return false
    const complete = this.#files.find(({ isComplete, isBusy }) => isComplete && !isBusy)
    if (complete) {
      void this.#requests.complete(complete)
      return true
    }
    const next = this.#files.nextPart
    if (!next) return false
    const { file, number } = next
    if (this.#flights.size > 0 && this.#files.unsentBytes + file.bytesOf(number) > plan.window) return false
    if (file.needsUrl(number)) void this.#requests.sign(file, number)
    else void this.#send(file, number)
    return true
  }

  async #send(file: FileParts, number: number): Promise<void> {
    const { api, plan } = this.#deps
    if (this.#flights.size === 0) plan.transferRate.reset()
    const flight = this.#flights.start(file)
    plan.transferRate.record(0)
    const signed = file.start(number)
    this.#ends.show(file)
    let before = 0
    const progressed = (sent: number) => {
      flight.progressAt = Date.now()
      plan.transferRate.record(sent - before)
      before = sent
      file.progressed(number, sent)
      this.#ends.show(file)
    }
    const part = { session: file.id, number, body: file.bodyOf(number), signed }
    const failure = await api.sendPart(part, progressed, flight.abort.signal).then(() => null, failureOf)
    this.#flights.end(flight)
    file.stopped(number)
    if (this.#files.includes(file)) {
      if (!failure) this.#partStored(file, number)
      else if (flight.isInterrupted) this.#partInterrupted(file)
      else await this.#partFailed(file, number, signed !== null, failure)
    }
    this.resume()
  }

  #partStored(file: FileParts, number: number): void {
    file.succeeded(number)
    this.#files.forgetBreaks()
    this.#deps.plan.stored()
    this.#deps.onProgress()
    this.#ends.show(file)
  }

  /** The device slept or was offline, or the user's session has ended: that says nothing about the connection. */
  #partInterrupted(file: FileParts): void {
    file.isUnsure = true
    this.#ends.show(file)
  }

  async #partFailed(file: FileParts, number: number, wasDirect: boolean, failure: Failure): Promise<void> {
    this.#ends.show(file)
    if (failure.kind === 'taken') {
      this.#leave(file, number, failure)
      return
    }
    if (failure.kind === 'rejected') {
      this.#partRejected(file, failure)
      return
    }
    this.#ends.failed(file, failure)
    // A busy server, and the end of the user's session, say nothing about the part, but a store may be busy only from here.
    const isBusy = failure.kind === 'retryable' && failure.why === 'busy'
    if (failure.kind === 'signed-out' || (isBusy && !wasDirect)) return
    const problem = isBusy ? null : await this.#deps.api.problemOf(file.item.file)
    if (!this.#files.includes(file)) return
    if (problem === 'changed') this.#ends.endChanged(file)
    // What is stored stays: a memory card may have been pulled.
    else if (problem) this.#ends.endUnread(file, UNREADABLE)
    else this.#countAttempt(file, number, wasDirect, failure)
  }

  #countAttempt(file: FileParts, number: number, wasDirect: boolean, failure: Failure): void {
    const attempts = file.attempts.failed(number, failure)
    if (wasDirect && attempts >= MAX_DIRECT_ATTEMPTS) this.#files.avoidUrls()
    if (!breaksConnection(failure)) this.#files.postpone(file)
    const step = nextStep(file, failure, attempts)
    if (step === 'cut') file.isTooLarge = true
    else if (step !== 'retry') this.#ends.end(file, { name: 'failed', reason: step.reason })
  }

  /** A proxy may let smaller parts through. */
  #partRejected(file: FileParts, { reason, isTooLarge }: Extract<Failure, { kind: 'rejected' }>): void {
    if (isTooLarge && file.canBeSmaller) {
      this.#deps.plan.broke()
      file.isTooLarge = true
      file.isUnsure = true
      return
    }
    this.#ends.end(file, { name: 'rejected', reason })
    this.#ends.discard(file)
  }

  /** Another device is sending the part: others are sent meanwhile, and whether it has arrived is asked later. */
  #leave(file: FileParts, number: number, { reason, afterMs }: Extract<Failure, { kind: 'taken' }>): void {
    const ms = file.attempts.restMs(number, afterMs)
    if (ms === null) {
      this.#ends.end(file, { name: 'failed', reason })
      return
    }
    file.leave(number)
    file.isUnsure = true
    setTimeout(() => {
      if (!file.takeBack(number)) return
      file.isUnsure = true
      this.resume()
    }, ms)
  }
}
