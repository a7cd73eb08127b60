/** What goes with every file of one press of the Upload button. */
export interface Batch {
  description: string
  folderId: number | null
  isPublic: boolean
  /** A single chosen photo has a route of its own. */
  single: boolean
  /** The server's limit. */
  filesPerRequest: number
}

/**
 * Where a file stands. `waiting` to be read; `checking`: its fingerprint is made and the server is asked whether it has
 * the file; `queued` to be sent; `sending`; `processing`: stored, the server works on it. The others are ends.
 */
export type State =
  | { name: 'waiting' | 'checking' | 'queued' }
  | { name: 'sending'; sent: number }
  | { name: 'processing' | 'ready' | 'known'; photoId: number }
  | { name: 'unprocessed'; photoId: number; reason: string }
  | { name: 'refused' | 'failed'; reason: string }
  | { name: 'cancelled' | 'deleted' }

export type StateName = State['name']

/** One file of the queue. */
export interface Item {
  readonly id: number
  readonly file: File
  /** The file's size; asking the file each time may ask the disk. */
  readonly bytes: number
  /** The folder it was chosen from, '' for a file chosen by itself. */
  readonly path: string
  readonly batch: Batch
  state: State
  /** SHA-256, in hexadecimal. */
  hash: string | null
  /** How often sending it failed. */
  attempts: number
  /** An earlier request may have stored it although its answer was lost. */
  sentBefore: boolean
  /** To be sent in a request of its own. */
  sendAlone: boolean
  /** The stretch of work it belongs to: from the first file until nothing is left to do. */
  run: number
}

/** Not yet with the server: leaving the page would lose them. */
export const UNSENT = ['waiting', 'checking', 'queued', 'sending'] as const satisfies StateName[]
/** Something is still to happen. */
export const ACTIVE = [...UNSENT, 'processing'] as const satisfies StateName[]
/** In the user's collection, with nothing left to do. */
export const DONE = ['ready', 'known'] as const satisfies StateName[]
/** The user should look at them. */
export const PROBLEMS = ['refused', 'failed', 'unprocessed'] as const satisfies StateName[]

const unsent: ReadonlySet<StateName> = new Set(UNSENT)

/** True while the server works on it. */
export function isProcessing(item: Item): boolean {
  return item.state.name === 'processing'
}

/** True until the server has the file or something has ended its way there. */
export function isUnsent(item: Item): boolean {
  return unsent.has(item.state.name)
}
