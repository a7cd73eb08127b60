import type { Batch } from './item.ts'

/** A photo's processing, as the server tells it. */
export interface PhotoStatus {
  id: number
  status: 'processing' | 'ready' | 'failed'
  statusMessage: string | null
}

/** What became of one file of a request. */
export type FileOutcome = { photo: PhotoStatus; duplicate: boolean } | { issue: string }

/** What became of one request. */
export type SendResult =
  /** One outcome for each file, in order; `notes` are the server's sentences about none of the files. */
  | { kind: 'answered'; outcomes: FileOutcome[]; notes: string[]; message: string | null }
  /** The request as a whole was too large. */
  | { kind: 'too-large'; reason: string }
  | { kind: 'failed'; reason: string }
  /** Another try may succeed: no answer came (`network`), the server is busy, or it broke. */
  | { kind: 'later'; why: 'network' | 'busy' | 'broken'; reason: string; afterMs: number | null }
  | { kind: 'signed-out' }
  | { kind: 'aborted' }

/** Sends the files of one request and resolves with what became of them; it never rejects. */
export type Send = (
  files: readonly File[],
  batch: Batch,
  onProgress: (loaded: number, total: number) => void,
  signal: AbortSignal,
) => Promise<SendResult>

/** What the engine needs of the world. Calls of the server reject with ApiError. */
export interface UploadApi {
  /** SHA-256 in hexadecimal. @throws when the file cannot be read. */
  hash(file: File): Promise<string>
  /** False when the file has changed or gone since it was chosen. */
  isReadable(file: File): Promise<boolean>
  /** The photos that the user has of these hashes; at most `ASK_LIMIT` of them. */
  findKnown(hashes: string[]): Promise<Record<string, number>>
  /** Files photos into a folder. Resolves with the ids of those that could not be. */
  move(ids: number[], folderId: number): Promise<number[]>
  /** How these photos stand; deleted ones are absent. At most `ASK_LIMIT` of them. */
  status(ids: number[]): Promise<PhotoStatus[]>
  reprocess(id: number): Promise<PhotoStatus>
  send: Send
}

/** The server's limit for ids or hashes in one question. */
export const IDS_PER_REQUEST = 500
