import type { AppConfig, UploadSession } from '../../../api/types.ts'

/** An upload session of which the server has all parts. */
export type StoredUpload = Pick<UploadSession, 'id' | 'name' | 'sha256' | 'size'>

/** The sizes of parts that the server accepts, and the one that it recommends. */
export type PartLimits = Pick<AppConfig['uploads'], 'partBytes' | 'minPartBytes' | 'maxPartBytes'>

/** SHA-256 of a file and of its parts, in hexadecimal. */
export interface FileHashes {
  sha256: string
  partBytes: number
  parts: string[]
}

/** The settings shared by all files of one upload. */
export interface Batch {
  description: string
  folderId: number | null
  isPublic: boolean
  parts: PartLimits
}

/**
 * The state of a file. `waiting` to be hashed; `checking`: it is hashed and the server asked whether it has the file;
 * `queued` to be sent; `sending`, with the bytes that the server has confirmed and those that the browser has sent of other
 * parts; `processing`: stored, and being processed by the server. The others are final.
 * `no-room`: it does not fit into the user's storage, and can be retried when photos were deleted.
 */
export type State =
  | { name: 'waiting' | 'checking' | 'queued' }
  | { name: 'sending'; stored: number; inFlight: number }
  | { name: 'processing' | 'ready' | 'known'; photoId: number }
  | { name: 'unprocessed'; photoId: number; reason: string }
  | { name: 'rejected' | 'failed' | 'no-room'; reason: string }
  | { name: 'cancelled' | 'deleted' }

export type StateName = State['name']

/** One file of the queue. */
export interface Item {
  readonly id: number
  readonly file: File
  /** The file's size; reading it from the file may access the disk. */
  readonly bytes: number
  /** The folder it was chosen from, '' for a single file. */
  readonly path: string
  readonly batch: Batch
  state: State
  hashes: FileHashes | null
  /** How often its upload session was lost. */
  attempts: number
  /** Its upload session has to be opened by a request of its own. */
  openAlone: boolean
  /** The upload session of a file that is stored completely and was not chosen here: `file` has only its name. */
  readonly session: string | null
  /** The run it belongs to: from the first file until all work has ended. */
  run: number
}

/** A file as it was chosen. */
export type Chosen = Pick<Item, 'file' | 'bytes' | 'path'>

let lastId = 0

/** A file that was chosen. */
export function itemOf(chosen: Chosen, batch: Batch, run: number): Item {
  return { ...chosen, ...freshItem(), batch, run, hashes: null, session: null }
}

/** A file that is stored completely, and is not at hand. What belongs to it was said when its upload session was opened. */
export function itemOfStored({ id: session, name, size, sha256 }: StoredUpload, run: number): Item {
  const hashes = { sha256, partBytes: size, parts: [] }
  return { ...freshItem(), run, session, hashes, file: new File([], name), bytes: size, path: '', batch: NO_BATCH }
}

function freshItem() {
  lastId += 1
  return { id: lastId, state: { name: 'waiting' }, attempts: 0, openAlone: false } as const
}

const NO_BATCH: Batch = {
  ...{ description: '', folderId: null, isPublic: false },
  parts: { partBytes: 0, minPartBytes: 0, maxPartBytes: 0 },
}

/** Not yet stored: leaving the page would lose them. */
export const UNSENT = ['waiting', 'checking', 'queued', 'sending'] as const satisfies StateName[]
/** Work remains. */
export const ACTIVE = [...UNSENT, 'processing'] as const satisfies StateName[]
/** In the user's gallery, with no work left. */
export const DONE = ['ready', 'known'] as const satisfies StateName[]
/** Need the user's attention. */
export const PROBLEMS = ['rejected', 'failed', 'no-room', 'unprocessed'] as const satisfies StateName[]

/** Of the problems, files that the server does not have. */
export const NOT_STORED = ['rejected', 'failed', 'no-room'] as const satisfies StateName[]
/** Of the problems, those that a retry can solve. */
export const RETRYABLE = ['failed', 'no-room', 'unprocessed'] as const satisfies StateName[]

const unsent: ReadonlySet<StateName> = new Set(UNSENT)

/** True while the server processes it. */
export function isProcessing(item: Item): boolean {
  return item.state.name === 'processing'
}

/** True when its upload can be tried again. */
export function canRetry({ state: { name } }: Item): boolean {
  return name === 'failed' || name === 'no-room' || name === 'cancelled'
}

/** True until the server has the file or its upload has ended otherwise. */
export function isUnsent(item: Item): boolean {
  return unsent.has(item.state.name)
}

/** True while its parts are sent, or soon will be. */
export function isSendable({ state: { name } }: Item): boolean {
  return name === 'queued' || name === 'sending'
}
