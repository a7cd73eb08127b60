import { MAX_ATTEMPTS, MAX_COMPLETIONS } from './attempts.ts'
import type { UploadApi, UploadedPhoto } from './deps.ts'
import { type Failure, failureOf } from './failure.ts'
import type { FileParts } from './file-parts.ts'
import type { Item } from './item.ts'
import { CHANGED, type OpenFileEnds } from './open-file-ends.ts'
import type { OpenFiles } from './open-files.ts'

interface SessionRequestsDeps {
  api: UploadApi
  files: OpenFiles
  ends: OpenFileEnds
  onStored: (item: Item, photo: UploadedPhoto) => void
  /** Its upload session is gone: the file is sent again. */
  onLost: (item: Item) => void
  /** The file, in the state `waiting`, has to be cut into smaller parts. */
  onHashAgain: (item: Item) => void
  /** Something else can be started. */
  onFree: () => void
}

/** The requests about whole upload sessions: one at a time for each. */
export class SessionRequests {
  readonly #deps: SessionRequestsDeps

  constructor(deps: SessionRequestsDeps) {
    this.#deps = deps
  }

  /** Requests new URLs for the parts to send next. */
  sign(file: FileParts, number: number): Promise<void> {
    return this.#request(file, async () => {
      file.takeUrls(await this.#deps.api.sign(file.id, file.wantedUrls))
      if (file.needsUrl(number)) file.avoidUrls()
    })
  }

  /** Reads which parts the server has. */
  refresh(file: FileParts): Promise<void> {
    const { api, files, ends } = this.#deps
    return this.#request(file, async () => {
      if (file.isTooLarge) return this.#startOver(file)
      const session = await api.session(file.id)
      files.update(file, session)
      if (!files.includes(file)) return
      if (session.state === 'failed') ends.end(file, { name: 'rejected', reason: session.message ?? CHANGED })
      else ends.show(file)
    })
  }

  /** The photo is made of the stored parts. */
  complete(file: FileParts): Promise<void> {
    const { api, files, ends, onStored } = this.#deps
    ends.show(file)
    return this.#request(file, async () => {
      const photo = await api.complete(file.id)
      if (!files.includes(file)) return
      ends.end(file, { name: photo.duplicate ? 'known' : 'processing', photoId: photo.id })
      onStored(file.item, photo)
    })
  }

  /** Cuts the file into smaller parts, which may arrive where these do not. */
  async #startOver(file: FileParts): Promise<void> {
    const { api, files, ends, onHashAgain } = this.#deps
    await api.cancel(file.id)
    if (!files.includes(file)) return
    ends.end(file, { name: 'waiting' })
    file.item.hashes = null
    onHashAgain(file.item)
  }

  async #request(file: FileParts, perform: () => Promise<void>): Promise<void> {
    file.isRequesting = true
    const failure = await perform().then(
      () => null,
      (error) => failureOf(error),
    )
    file.isRequesting = false
    if (failure && this.#deps.files.includes(file)) this.#failed(file, failure)
    this.#deps.onFree()
  }

  #failed(file: FileParts, failure: Failure): void {
    const { ends, onLost } = this.#deps
    if (failure.kind === 'closed' && file.isUnsure) {
      // The upload session is gone: the file needs a new one.
      ends.remove(file)
      onLost(file.item)
      return
    }
    if (failure.kind === 'taken') {
      this.#rest(file, failure)
      return
    }
    ends.failed(file, failure)
    const isClosed = failure.kind === 'closed'
    if (!isClosed && !(failure.kind === 'retryable' && failure.why === 'broken')) return
    if (file.attempts.failed('session', failure) < (isClosed ? MAX_COMPLETIONS : MAX_ATTEMPTS)) return
    ends.end(file, { name: 'failed', reason: failure.reason })
  }

  /** The photo is being made by another request: the other files go on. */
  #rest(file: FileParts, { reason, afterMs }: Extract<Failure, { kind: 'taken' }>): void {
    const ms = file.attempts.restMs('session', afterMs)
    if (ms === null) {
      this.#deps.ends.end(file, { name: 'failed', reason })
      return
    }
    file.isResting = true
    setTimeout(() => {
      file.isResting = false
      this.#deps.onFree()
    }, ms)
  }
}
