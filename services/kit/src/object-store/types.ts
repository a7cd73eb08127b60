import type { Readable } from 'node:stream'

export interface StoredObject {
  key: string
  size: number
  modifiedAt: Date
}

/** An upload that began and has not ended: it runs, or what ran it is gone. */
export interface IncompleteUpload {
  startedAt: Date
  /** Ends it and gives its bytes free. */
  end(): Promise<void>
}

/** Where bytes are kept. Keys are paths of letters, digits, dots, dashes and underscores. */
export interface ObjectStore {
  /** Stores a stream; resolves only when it is durable and the store confirmed size and checksum. A failure leaves nothing. */
  put(key: string, body: Readable, o: { contentType: string }): Promise<{ size: number }>
  head(key: string): Promise<{ size: number } | null>
  /** Bytes `start` to `end` (both included; default: all). `size` is the whole object's. Null when there is none. */
  get(key: string, range?: { start: number; end?: number }): Promise<{ body: Readable; size: number } | null>
  /** Removes an object; one that is not there is no error. */
  remove(key: string): Promise<void>
  /** The objects whose keys begin with `prefix`, in ascending order of their keys. */
  list(prefix: string): AsyncIterable<StoredObject>
  /** Uploads that have not ended, as far as the store tells. */
  incomplete(): AsyncIterable<IncompleteUpload>
  /** Throws when the store cannot be used. */
  check(): Promise<void>
}
