import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'

export interface StoredObject {
  key: string
  size: number
  modifiedAt: Date
}

/** An upload that has not finished: it is running, or its process has ended. */
export interface IncompleteUpload {
  /** Of an upload in parts: the id that `parts.begin` returned. */
  id: string
  startedAt: Date
  /** Aborts it and frees its bytes. */
  end(): Promise<void>
}

export interface PutOptions {
  contentType: string
  /** Leaves room for what must be stored in any case: fails when the store has less left than its reserve. */
  leavesReserve?: boolean
}

/** An upload in parts: all parts have `partBytes`, but the last one may be shorter. */
export interface PartedUpload {
  key: string
  uploadId: string
  /** Of the whole object, in bytes. */
  size: number
  partBytes: number
}

/** A part with the content that it has, or must have. */
export interface PartSpec {
  /** From 1. */
  number: number
  bytes: number
  /** 32 bytes. */
  sha256: Buffer
}

/** The right of a request to send a part. */
export interface PartAdmission {
  /** Aborted when the request must not go on. */
  signal: AbortSignal
  /** Ends its `put` with this error; the rest of the body is left unread, so that the client can get a response. */
  end(reason: Error): void
  /** The request sends the part no more. */
  close(): void
}

/** Objects that arrive in parts, in any order and at the same time, each with its SHA-256. */
export interface PartStore {
  limits: { minPartBytes: number; maxPartBytes: number; maxParts: number }
  /** Resolves with the id of the new upload. */
  begin(key: string, size: number): Promise<string>
  /**
   * Admits a request that is to send a part, before anything is read of it; the caller closes the admission. An earlier request
   * of the same part that hangs is ended. While it makes progress, the later is rejected.
   * @throws AppError 409 `part_superseded`
   */
  admit(upload: PartedUpload, part: PartSpec, body: IncomingMessage): Promise<PartAdmission>
  /**
   * Stores the body of a request as a part; the store, or this process, compares its SHA-256. The body must have exactly `part.bytes`.
   * Ends with the error of a body that breaks off, or the reason of the admission's signal, and then leaves nothing of it.
   * @throws PartMismatch, UnknownUpload
   */
  put(upload: PartedUpload, part: PartSpec, body: IncomingMessage, admission: PartAdmission): Promise<void>
  /** The stored parts; null when the store does not know the upload. */
  list(upload: PartedUpload): Promise<PartSpec[] | null>
  /**
   * Makes the object of its parts, or resolves with the numbers of those that are missing. Of an upload that was completed
   * already it does nothing.
   * @throws UnknownUpload when there is neither the upload nor an object of its size
   */
  complete(upload: PartedUpload, parts: PartSpec[]): Promise<{ missing: number[] }>
  /** Ends the upload and frees its bytes, but not those of an object; an unknown one is not an error. */
  abort(upload: Pick<PartedUpload, 'key' | 'uploadId'>): Promise<void>
}

/** A request that a browser sends to the store: `PUT` with exactly these headers and the bytes of the part. */
export interface SignedPart {
  number: number
  url: string
  headers: Record<string, string>
}

/**
 * Parts that browsers send straight to the store. They are signed with credentials that may only put objects in the folder of
 * the key whose names begin with the same four characters: who begins uploads chooses them by the day.
 */
export interface DirectParts {
  /** Origin of the store as browsers see it. */
  origin: string
  /** Signs each part for its upload, number, length and SHA-256. Null while the store gives no credentials for it. */
  sign(upload: PartedUpload, parts: PartSpec[]): Promise<{ parts: SignedPart[]; expiresAt: Date } | null>
}

/** Stores objects. Keys are paths of letters, digits, dots, dashes and underscores. */
export interface ObjectStore {
  /**
   * Stores a stream; resolves once it is durable, in S3 with the size and checksums that were sent. A failure leaves nothing,
   * unless the store fails in its very last answer; that of a store without room is recognized by `isStorageFull`.
   */
  put(key: string, body: Readable, options: PutOptions): Promise<{ size: number }>
  head(key: string): Promise<{ size: number } | null>
  /** Bytes `start` to `end` (both included; default: all). `size` is the whole object's. Null when there is none. */
  get(key: string, range?: { start: number; end?: number }): Promise<{ body: Readable; size: number } | null>
  /** Removes an object; a missing one is not an error. */
  remove(key: string): Promise<void>
  /** The objects whose keys start with `prefix`, in ascending order of their keys. */
  list(prefix: string): AsyncIterable<StoredObject>
  parts: PartStore
  /** Null where browsers have no access to the store. */
  direct: DirectParts | null
  /** Unfinished uploads, as far as the store reports them. */
  incomplete(): AsyncIterable<IncompleteUpload>
  /** Throws when the store cannot be used. */
  check(): Promise<void>
}
