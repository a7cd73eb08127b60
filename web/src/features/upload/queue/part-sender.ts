import type { UploadSession } from '../../../api/types.ts'
import type { PartToSend, Stage } from './deps.ts'
import {
  breaksConnection,
  CHANGED,
  type Failure,
  failureOf,
  LOST,
  MAX_ATTEMPTS,
  NEEDS_FILE,
  reasonOf,
  UNREADABLE,
} from './failure.ts'
import type { Item } from './items.ts'
import { type Flight, OpenFile } from './open-file.ts'
import { SessionOpener } from './session-opener.ts'
import type { State } from './states.ts'

const MAX_IN_FLIGHT = 4
/** More signed URLs would expire before they are used. */
const URLS_AT_ONCE = 20
/** Upload sessions are opened while fewer parts than these wait to be sent. */
const PARTS_AHEAD = 8
/** Of files that are not at hand, so many are completed at the same time. */
const MAX_COMPLETING = 2
/** So many attempts by a signed URL: the parts go through the gateway for the rest of the visit. */
const MAX_DIRECT_ATTEMPTS = 2
/** So often the server may say that it has other parts than its list says: each time some are sent again. */
const MAX_COMPLETIONS = 3
/** So many attempts while nothing of the file is stored: its parts are too large for this connection. */
const MAX_FIRST_ATTEMPTS = 3
/** Parts that have stood still for this time are sent again when the device is awake or online again. */
const STALLED_MS = 10_000

type Taken = Extract<Failure, { kind: 'taken' }>

/**
 * Sends the parts of queued files, several at a time and the oldest files first, and completes their upload sessions. After a failure it reads
 * what the server has before it sends anything.
 */
export class PartSender {
  /** The oldest first, and those with a refused part last. */
  #files: OpenFile[] = []
  /** False once signed URLs have failed while the gateway responded. */
  #isDirect = true
  readonly #opener: SessionOpener
  readonly #stage: Stage

  constructor(stage: Stage) {
    this.#stage = stage
    this.#opener = new SessionOpener({
      ...stage,
      hasOpenSessions: () => this.#files.length > 0,
      onOpened: (item, session) => this.#opened(item, session),
    })
  }

  resume(): void {
    if (this.#stage.connection.hold !== null) return
    const unsure = this.#files.find((file) => file.isUnsure && !file.isResting)
    if (unsure) {
      // One at a time: it is a test of the connection, too.
      if (!unsure.isRequesting) void this.#refresh(unsure)
      return
    }
    let isStarting = true
    while (isStarting) isStarting = this.#startNext()
    const ahead = this.#files.reduce((parts, { isResting, waiting }) => parts + (isResting ? 0 : waiting.length), 0)
    if (ahead < PARTS_AHEAD) void this.#opener.resume(this.#isDirect)
  }

  /** Completes the upload session of a file that is stored completely and not at hand; its state is `open`. */
  addStored(item: Item, id: string): void {
    // It may have been cancelled by signing out, and tried again while it is being completed.
    const completing = this.#files.find((file) => file.item === item)
    const file = completing ?? new OpenFile(item, { id, partBytes: item.bytes })
    if (!completing) this.#files.push(file)
    this.#show(file)
  }

  /** False once all its parts are stored: the photo may have been made of them, also where no response said so. */
  canCancel(item: Item): boolean {
    return !this.#files.some((file) => file.item === item && file.isComplete)
  }

  /** Stops the files whose upload has ended otherwise. `keep`: what is stored of them can be continued. */
  async drop({ keep }: { keep: boolean }): Promise<void> {
    const isCompleting = ({ item, isRequesting }: OpenFile) => item.session !== null && isRequesting
    const dropped = this.#files.filter((file) => !isOpen(file.item) && !isCompleting(file))
    for (const file of dropped) this.#remove(file)
    if (keep) return
    for (const { id } of dropped) await this.#stage.api.cancel(id).catch(() => {})
  }

  /** Aborts all parts; which of them have arrived is asked later. `stalled`: only those that may wait for a connection that is gone. */
  abort({ stalled }: { stalled: boolean }): void {
    for (const flight of this.#flights) {
      if (stalled && Date.now() - flight.progressAt < STALLED_MS) continue
      flight.isInterrupted = true
      flight.abort.abort()
    }
  }

  get #flights(): Flight[] {
    return this.#files.flatMap(({ flights }) => [...flights.values()])
  }

  #opened(item: Item, session: UploadSession): void {
    const file = new OpenFile(item, session)
    this.#files.push(file)
    this.#update(file, session)
    this.#stage.store.set(item, { name: 'open' })
    if (file.stored > 0) this.#show(file)
    this.#hold(file)
  }

  /** The file rests while another tab of this browser sends it. */
  #hold(file: OpenFile): void {
    // At once, where there are no locks: the other files of the group come first.
    let isAtOnce = true
    file.isResting = true
    void this.#stage.api.holdSession(file.id, async (hasWaited) => {
      file.isResting = false
      if (!this.#files.includes(file)) return
      if (hasWaited) file.isUnsure = true
      if (!isAtOnce) this.resume()
      await file.closed
    })
    isAtOnce = false
  }

  #update(file: OpenFile, session: UploadSession): void {
    file.apply(session)
    if (!this.#isDirect) file.signed = null
  }

  #show({ item, stored, inFlight }: OpenFile): void {
    this.#stage.store.set(item, { name: 'sending', stored, inFlight })
  }

  /** False when nothing more can be started. */
  #startNext(): boolean {
    if (this.#stage.connection.hold !== null) return false
    const requesting = this.#files.filter(({ isRequesting }) => isRequesting)
    const flights = this.#flights
    if (flights.length + requesting.length >= MAX_IN_FLIGHT) return false
    const canAddStored = requesting.filter(({ item }) => item.session !== null).length < MAX_COMPLETING
    const isAllowed = ({ item }: OpenFile) => item.session === null || canAddStored
    const complete = this.#files.find((file) => file.isComplete && !file.isBusy && isAllowed(file))
    if (complete) {
      void this.#complete(complete)
      return true
    }
    const file = this.#files.find(({ isBusy, waiting }) => !isBusy && waiting.length > 0)
    const [number] = file?.waiting ?? []
    if (!file || number === undefined) return false
    const unsent = this.#files.reduce((sum, file) => sum + file.unsent, 0)
    if (flights.length > 0 && unsent + file.bytesOf(number) > this.#stage.plan.window) return false
    if (file.needsUrl(number)) void this.#sign(file, number)
    else void this.#send(file, number)
    return true
  }

  async #send(file: OpenFile, number: number): Promise<void> {
    const { api, plan, resume } = this.#stage
    if (this.#flights.length === 0) plan.transferRate.reset()
    plan.transferRate.record(0)
    const { part, flight } = file.start(number)
    this.#show(file)
    const progressed = (sent: number) => {
      plan.transferRate.record(sent - flight.sent)
      flight.sent = sent
      flight.progressAt = Date.now()
      this.#show(file)
    }
    const failure = await api.sendPart(part, progressed, flight.abort.signal).then(() => null, failureOf)
    file.end(number, failure === null)
    if (this.#files.includes(file)) {
      this.#show(file)
      if (failure === null) this.#partStored()
      // The device slept or was offline, or the user's session has ended: that says nothing about the connection.
      else if (flight.isInterrupted) file.isUnsure = true
      else await this.#partFailed(file, part, failure)
    }
    resume()
  }

  #partStored(): void {
    for (const { attempts } of this.#files) attempts.forgetBreaks()
    this.#stage.plan.stored()
    this.#stage.connection.succeeded()
  }

  async #partFailed(file: OpenFile, { number, signed }: PartToSend, failure: Failure): Promise<void> {
    if (failure.kind === 'taken') {
      // Another device is sending the part: others are sent meanwhile, and whether it has arrived is asked later.
      this.#askLater(file, number, failure, () => {
        if (file.takeBack(number)) file.isUnsure = true
      })
      file.leave(number)
      file.isUnsure = true
    } else if (failure.kind === 'rejected' && failure.isTooLarge && file.canBeSmaller) {
      // A proxy may let smaller parts through.
      this.#stage.plan.hasBroken = true
      file.isTooLarge = true
      file.isUnsure = true
    } else if (failure.kind === 'rejected') {
      this.#discard(file, failure.reason)
    } else {
      this.#failed(file, failure)
      await this.#countAttempt(file, number, signed !== null, failure)
    }
  }

  async #countAttempt(file: OpenFile, number: number, wasDirect: boolean, failure: Failure): Promise<void> {
    // A busy server, and the end of the user's session, say nothing about the part, but a store may be busy only from here.
    const isBusy = failure.kind === 'retryable' && failure.why === 'busy'
    if (failure.kind === 'signed-out' || (isBusy && !wasDirect)) return
    const problem = isBusy ? null : await this.#stage.api.problemOf(file.item.file)
    if (!this.#files.includes(file)) return
    if (problem === 'changed') return this.#discard(file, CHANGED)
    if (problem) {
      // What is stored stays: a memory card may have been pulled. The file is hashed when the user retries.
      this.#end(file, { name: 'failed', reason: UNREADABLE })
      file.item.hashes = null
      return
    }
    const attempts = file.attempts.failed(number, failure)
    if (wasDirect && attempts >= MAX_DIRECT_ATTEMPTS) {
      this.#isDirect = false
      for (const one of this.#files) one.signed = null
    }
    // The others are sent first.
    if (!breaksConnection(failure)) this.#files = [...this.#files.filter((one) => one !== file), file]
    if (breaksConnection(failure) && file.canBeSmaller) {
      // What is stored is given up only when nothing else helps.
      if (attempts >= (file.stored > 0 ? MAX_ATTEMPTS : MAX_FIRST_ATTEMPTS)) file.isTooLarge = true
    } else if (attempts >= MAX_ATTEMPTS) this.#end(file, { name: 'failed', reason: reasonOf(failure) })
  }

  /** Another request does the same. Asks after a while, unless that was asked too often. */
  #askLater(file: OpenFile, what: number | 'session', { reason, afterMs }: Taken, ask: () => void): void {
    const ms = file.attempts.restMs(what, afterMs)
    if (ms === null) {
      this.#end(file, { name: 'failed', reason })
      return
    }
    setTimeout(() => {
      ask()
      this.resume()
    }, ms)
  }

  #sign(file: OpenFile, number: number): Promise<void> {
    return this.#request(file, async () => {
      file.takeUrls(await this.#stage.api.sign(file.id, file.waiting.slice(0, URLS_AT_ONCE)))
      if (file.needsUrl(number)) file.signed = null
    })
  }

  /** Reads which parts the server has. */
  #refresh(file: OpenFile): Promise<void> {
    return this.#request(file, async () => {
      if (file.isTooLarge) return this.#startOver(file)
      const session = await this.#stage.api.session(file.id)
      this.#update(file, session)
      if (!this.#files.includes(file)) return
      if (session.state === 'failed') this.#end(file, { name: 'rejected', reason: session.message ?? CHANGED })
      else if (file.item.session !== null && !file.isComplete) this.#end(file, { name: 'failed', reason: NEEDS_FILE })
      else this.#show(file)
    })
  }

  /** The photo is made of the stored parts. */
  #complete(file: OpenFile): Promise<void> {
    const { item } = file
    this.#show(file)
    return this.#request(file, async () => {
      const photo = await this.#stage.api.complete(file.id)
      if (!this.#files.includes(file) || !isOpen(item)) return
      this.#end(file, { name: photo.duplicate ? 'known' : 'processing', photoId: photo.id })
      this.#stage.stored(item, photo)
    })
  }

  /** Cuts the file into smaller parts, which may arrive where these do not. */
  async #startOver(file: OpenFile): Promise<void> {
    await this.#stage.api.cancel(file.id)
    if (!this.#files.includes(file)) return
    file.item.hashes = null
    this.#end(file, { name: 'waiting' })
  }

  /** Of the requests about a whole upload session, one at a time is sent. */
  async #request(file: OpenFile, perform: () => Promise<void>): Promise<void> {
    file.isRequesting = true
    const failure = await perform().then(() => null, failureOf)
    file.isRequesting = false
    if (failure && this.#files.includes(file)) this.#requestFailed(file, failure)
    // It was cancelled by signing out.
    if (!isOpen(file.item)) this.#remove(file)
    this.#stage.resume()
  }

  #requestFailed(file: OpenFile, failure: Failure): void {
    const { item, attempts } = file
    const isClosed = failure.kind === 'closed'
    if (item.session !== null && (isClosed || failure.kind === 'changed')) {
      this.#end(file, { name: 'failed', reason: NEEDS_FILE })
    } else if (isClosed && file.isUnsure) {
      // The upload session is gone: the file needs a new one.
      this.#remove(file)
      this.#stage.notes.add(LOST)
      this.#opener.reopen(item)
    } else if (failure.kind === 'taken') {
      // The photo is being made by another request: the other files go on.
      file.isResting = true
      this.#askLater(file, 'session', failure, () => {
        file.isResting = false
      })
    } else {
      this.#failed(file, failure)
      if (!isClosed && !(failure.kind === 'retryable' && failure.why === 'broken')) return
      if (attempts.failed('session', failure) < (isClosed ? MAX_COMPLETIONS : MAX_ATTEMPTS)) return
      this.#end(file, { name: 'failed', reason: failure.reason })
    }
  }

  /** What each failure of a request of the file means, of whatever kind the request is. */
  #failed(file: OpenFile, failure: Failure): void {
    switch (failure.kind) {
      case 'rejected':
      case 'no-room':
      case 'failed':
        this.#end(file, { name: failure.kind, reason: failure.reason })
        break
      case 'changed':
        this.#discard(file, CHANGED)
        break
      case 'url-expired':
        file.signed?.clear()
        break
      default:
        file.isUnsure = true
        this.#stage.failed(failure)
    }
  }

  #end(file: OpenFile, state: State): void {
    this.#remove(file)
    this.#stage.settle(file.item, state)
  }

  /** Trying again would not help, nor would what is stored of it. */
  #discard(file: OpenFile, reason: string): void {
    this.#end(file, { name: 'rejected', reason })
    void this.#stage.api.cancel(file.id).catch(() => {})
  }

  #remove(file: OpenFile): void {
    this.#files = this.#files.filter((one) => one !== file)
    file.close()
    for (const { abort } of file.flights.values()) abort.abort()
    this.#opener.isFull = false
  }
}

/** It has an upload session. */
function isOpen({ state }: Item): boolean {
  return state.name === 'open' || state.name === 'sending'
}
