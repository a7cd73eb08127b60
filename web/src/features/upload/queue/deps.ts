import type { StorageQuota } from '../../../lib/storage-quota.ts'
import type { Batch } from './item.ts'

/** A photo's processing state, as the server reports it. */
export interface PhotoStatus {
  id: number
  status: 'processing' | 'ready' | 'failed'
  statusMessage: string | null
}

/** The result for one file of a request; `noRoom`: it does not fit into the user's storage. */
export type FileOutcome = { photo: PhotoStatus; duplicate: boolean } | { issue: string; noRoom?: boolean }

/** The result of one request. */
export type SendResult =
  /** One outcome for each file, in order; `notes` are the server's sentences that belong to no file. */
  | { kind: 'completed'; outcomes: FileOutcome[]; notes: string[]; message: string | null }
  /** The request as a whole was too large, or did not fit into the user's storage. */
  | { kind: 'too-large' | 'no-room'; reason: string }
  | { kind: 'failed'; reason: string }
  /** A retry may succeed: there was no response (`network`), the server is busy, or it failed. */
  | { kind: 'retryable'; why: 'network' | 'busy' | 'broken'; reason: string; afterMs: number | null }
  | { kind: 'signed-out' }
  | { kind: 'aborted' }

/** Sends the files of one request and resolves with the result; it never rejects. */
export type Send = (
  files: readonly File[],
  batch: Batch,
  onProgress: (loaded: number, total: number) => void,
  signal: AbortSignal,
) => Promise<SendResult>

/** Which files the server has. */
export interface KnownFiles {
  /** The user's photo ids by hash. */
  known: Record<string, number>
  /** The user's storage; null without a limit. */
  quota: StorageQuota | null
}

/** What the queue needs from the browser and the server. Server calls reject with ApiError. */
export interface UploadApi {
  /** SHA-256 in hexadecimal. @throws when the file cannot be read. */
  hash(file: File): Promise<string>
  /** False when the file was changed or removed after it was chosen. */
  isReadable(file: File): Promise<boolean>
  /** At most `IDS_PER_REQUEST` hashes. */
  findKnown(hashes: string[]): Promise<KnownFiles>
  /** Moves photos into a folder. Resolves with the ids that failed. */
  move(ids: number[], folderId: number): Promise<number[]>
  /** The processing state of these photos, without deleted ones; at most `IDS_PER_REQUEST` ids. */
  status(ids: number[]): Promise<PhotoStatus[]>
  reprocess(id: number): Promise<PhotoStatus>
  send: Send
}

/** The server's limit for ids or hashes in one request. */
export const IDS_PER_REQUEST = 500
