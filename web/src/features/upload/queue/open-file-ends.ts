import type { UploadApi } from './deps.ts'
import type { Failure } from './failure.ts'
import type { FileParts } from './file-parts.ts'
import type { Flights } from './flights.ts'
import { type Item, isSendable, isUnsent, type State } from './item.ts'
import type { ItemStore } from './item-store.ts'
import type { OpenFiles } from './open-files.ts'

export const CHANGED = 'The file has changed while it was being uploaded. Choose it again.'

interface OpenFileEndsDeps {
  store: ItemStore
  api: Pick<UploadApi, 'cancel'>
  files: OpenFiles
  flights: Flights
  /** A file is no longer open. */
  onRemoved: () => void
  /** The upload of the file has ended. */
  onSettled: (item: Item) => void
  /** A failure of the connection, the server or the user's session. */
  onFailure: (failure: Failure) => void
}

/** What becomes of the open files: their states in the list, and how their upload ends. */
export class OpenFileEnds {
  readonly #deps: OpenFileEndsDeps

  constructor(deps: OpenFileEndsDeps) {
    this.#deps = deps
  }

  show({ item, stored, inFlight }: FileParts): void {
    if (isSendable(item)) this.#deps.store.set(item, { name: 'sending', stored, inFlight })
  }

  end(file: FileParts, state: State): void {
    this.remove(file)
    if (!isUnsent(file.item)) return
    this.#deps.store.set(file.item, state)
    this.#deps.onSettled(file.item)
  }

  /** The file cannot be read: it is hashed when the user retries. */
  endUnread(file: FileParts, reason: string): void {
    this.end(file, { name: 'failed', reason })
    file.item.hashes = null
  }

  /** The file is no longer as it was hashed. Trying again would not help, nor would what is stored of it. */
  endChanged(file: FileParts): void {
    this.end(file, { name: 'rejected', reason: CHANGED })
    this.discard(file)
  }

  /** Nothing can be done with what is stored of the file. */
  discard({ id }: FileParts): void {
    void this.#deps.api.cancel(id).catch(() => {})
  }

  remove(file: FileParts): void {
    this.#deps.files.remove(file)
    file.close()
    this.#deps.flights.abort(file)
    this.#deps.onRemoved()
  }

  /** What each failure of a request of the file means, of whatever kind the request is. */
  failed(file: FileParts, failure: Failure): void {
    switch (failure.kind) {
      case 'rejected':
      case 'no-room':
      case 'failed':
        this.end(file, { name: failure.kind, reason: failure.reason })
        break
      case 'changed':
        this.endChanged(file)
        break
      case 'url-expired':
        file.forgetUrls()
        break
      default:
        file.isUnsure = true
        this.#deps.onFailure(failure)
    }
  }
}
