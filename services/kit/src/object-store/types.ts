import type { Readable } from 'node:stream'

export interface StoredObject {
  key: string
  size: number
  modifiedAt: Date
}

/** An upload that has not finished: it is running, or its process has ended. */
export interface IncompleteUpload {
  startedAt: Date
  /** Aborts it and frees its bytes. */
  end(): Promise<void>
}

/** Stores objects. Keys are paths of letters, digits, dots, dashes and underscores. */
export interface ObjectStore {
  /** Stores a stream; resolves once it is durable and the store confirmed size and checksum. A failure leaves nothing. */
  put(key: string, body: Readable, options: { contentType: string }): Promise<{ size: number }>
  head(key: string): Promise<{ size: number } | null>
  /** Bytes `start` to `end` (both included; default: all). `size` is the whole object's. Null when there is none. */
  get(key: string, range?: { start: number; end?: number }): Promise<{ body: Readable; size: number } | null>
  /** Removes an object; a missing one is not an error. */
  remove(key: string): Promise<void>
  /** The objects whose keys start with `prefix`, in ascending order of their keys. */
  list(prefix: string): AsyncIterable<StoredObject>
  /** Unfinished uploads, as far as the store reports them. */
  incomplete(): AsyncIterable<IncompleteUpload>
  /** Throws when the store cannot be used. */
  check(): Promise<void>
}
