/** The settings shared by all files of one upload. */
export interface Batch {
  description: string
  folderId: number | null
  isPublic: boolean
  /** A single photo has its own route. */
  single: boolean
  /** The server's limit. */
  filesPerRequest: number
}

/**
 * The state of a file. `waiting` to be hashed; `checking`: it is hashed and the server asked whether it has the file;
 * `queued` to be sent; `sending`; `processing`: stored, and being processed by the server. The others are final.
 * `no-room`: it does not fit into the user's storage, and can be retried when photos were deleted.
 */
export type State =
  | { name: 'waiting' | 'checking' | 'queued' }
  | { name: 'sending'; sent: number }
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
  /** SHA-256, in hexadecimal. */
  hash: string | null
  /** How often sending it has failed. */
  attempts: number
  /** An earlier request may have stored it although its response was lost. */
  sentBefore: boolean
  /** Has to be sent in its own request. */
  sendAlone: boolean
  /** The run it belongs to: from the first file until all work has ended. */
  run: number
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
