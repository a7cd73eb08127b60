import type { OpenedUploads, UploadSession } from '../../../api/types.ts'
import type { StorageQuota } from '../../../lib/storage-quota.ts'
import type { Connection } from './connection.ts'
import type { Failure } from './failure.ts'
import type { Batch, FileHashes, Item, ItemStore } from './items.ts'
import type { PartPlan } from './part-plan.ts'
import type { State } from './states.ts'

/** A photo's processing state, as the server reports it. */
export interface PhotoStatus {
  id: number
  status: 'processing' | 'ready' | 'failed'
  statusMessage: string | null
}

/** The photo of a completed upload; `issues` are the server's sentences about what else happened. */
export interface UploadedPhoto extends PhotoStatus {
  duplicate?: boolean
  issues?: string[]
}

export type OpenResult = OpenedUploads['results'][number]
/** Where a part can be sent straight to the object store. */
export type SignedPart = NonNullable<UploadSession['uploads']>[number]

/** A part to send; `signed` is null when it goes through the gateway. */
export interface PartToSend {
  session: string
  number: number
  body: Blob
  signed: SignedPart | null
}

/** What the queue needs from the browser and the server: `transport/`, or the simulated server of the tests. Server calls reject with ApiError. */
export interface UploadApi {
  /** @throws when the file cannot be read. */
  hash(file: File, partBytes: number): Promise<FileHashes>
  /** Whether the file was changed, or cannot be read any more, since it was chosen. */
  problemOf(file: File): Promise<'changed' | 'unreadable' | null>
  /** The ids of the user's photos by hash, and the user's storage, null without a limit; at most `IDS_PER_REQUEST` hashes. */
  findKnown(hashes: string[]): Promise<{ known: Record<string, number>; quota: StorageQuota | null }>
  /** Creates or finds the upload sessions of files of one batch; one result for each, in their order. */
  openSessions(
    files: { name: string; size: number; hashes: FileHashes; selectedAt?: string }[],
    batch: Batch,
    direct: boolean,
  ): Promise<OpenResult[]>
  session(id: string): Promise<UploadSession>
  /** Runs the work while no other tab of this browser has the upload session. `hasWaited`: one had it until now. */
  holdSession(id: string, work: (hasWaited: boolean) => Promise<void>): Promise<void>
  sign(session: string, parts: number[]): Promise<Pick<UploadSession, 'uploads' | 'uploadsExpireAt'>>
  /** Aborting rejects with any error. */
  sendPart(part: PartToSend, onProgress: (sent: number) => void, signal: AbortSignal): Promise<void>
  complete(session: string): Promise<UploadedPhoto>
  /** Ends an upload session and removes its parts. */
  cancel(session: string): Promise<void>
  /** Moves photos into a folder. Resolves with the ids that failed. */
  move(ids: number[], folderId: number): Promise<number[]>
  /** The processing state of these photos, without deleted ones; at most `IDS_PER_REQUEST` ids. */
  status(ids: number[]): Promise<PhotoStatus[]>
  reprocess(id: number): Promise<PhotoStatus>
}

/** What the stages of the queue have in common. */
export interface Stage {
  store: ItemStore
  api: UploadApi
  plan: PartPlan
  connection: Connection
  /** The server's sentences about a whole upload. */
  notes: Set<string>
  /** Ends the upload of the file, unless it has ended. Files that wait for its result are checked again. */
  settle(item: Item, state: State): void
  /** The server has made the photo of the file. */
  stored(item: Item, photo: UploadedPhoto): void
  /** A failure of the connection, the server or the user's session: all stages wait. */
  failed(failure: Failure): void
  /** Something has changed: all stages start what they can. */
  resume(): void
}

/** The server's limit for ids or hashes in one request. */
export const IDS_PER_REQUEST = 500
