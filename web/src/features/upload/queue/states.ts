/**
 * The life of an uploaded file: all of its states, and below which of them follow each other. The parts of the queue find their work by state
 * (`ItemStore.in`). A transition that is not in the table does nothing: the response to a request may come when the user has cancelled the file.
 */
export type State =
  /** In the list, to be hashed. */
  | { name: 'waiting' }
  /** Being read and hashed. */
  | { name: 'hashing' }
  /** Hashed. The server is asked whether it has the file; again when a file that equals it, or takes its room, has a result. */
  | { name: 'checking' }
  /** The server lacks it, and it fits: to be declared as an upload session. */
  | { name: 'queued' }
  /** Its upload session is open, and nothing of it is sent yet. */
  | { name: 'open' }
  /** Its parts are sent, and its upload session completed. `stored`: bytes that the server has; `inFlight`: sent bytes of other parts. */
  | { name: 'sending'; stored: number; inFlight: number }
  /** Stored, and being processed by the server. */
  | { name: 'processing'; photoId: number }
  /** In the gallery. */
  | { name: 'ready'; photoId: number }
  /** The user had the photo before. */
  | { name: 'known'; photoId: number }
  /** Stored, but it could not be processed. */
  | { name: 'unprocessed'; photoId: number; reason: string }
  /** The server never accepts the file, or the file has changed. */
  | { name: 'rejected'; reason: string }
  /** It does not fit into the user's storage until photos are deleted. */
  | { name: 'no-room'; reason: string }
  /** Anything else went wrong. */
  | { name: 'failed'; reason: string }
  /** By the user. `isKept`: what was sent of it can be continued. */
  | { name: 'cancelled'; isKept?: boolean }
  /** The photo was deleted while it was being processed. */
  | { name: 'deleted' }

export type StateName = State['name']

const NEXT: Record<StateName, readonly StateName[]> = {
  waiting: ['hashing', 'failed', 'cancelled'],
  hashing: ['checking', 'failed', 'cancelled'],
  checking: ['queued', 'known', 'no-room', 'failed', 'cancelled'],
  queued: ['open', 'known', 'rejected', 'no-room', 'failed', 'cancelled'],
  // Back to `queued` when the upload session is lost, and to `waiting` to be cut into smaller parts.
  open: ['sending', 'queued', 'waiting', 'rejected', 'no-room', 'failed', 'cancelled'],
  sending: ['sending', 'processing', 'known', 'queued', 'waiting', 'rejected', 'no-room', 'failed', 'cancelled'],
  processing: ['processing', 'ready', 'unprocessed', 'deleted'],
  // Its processing can be retried here, and elsewhere.
  unprocessed: ['processing', 'deleted'],
  // A retry; `open` when the file is not at hand, and all of its parts are stored.
  failed: ['waiting', 'open'],
  'no-room': ['waiting', 'open'],
  cancelled: ['waiting', 'open'],
  ready: [],
  known: [],
  rejected: [],
  deleted: [],
}

export function canFollow(from: StateName, to: StateName): boolean {
  return NEXT[from].includes(to)
}

/** With an upload session, or soon: its bytes are sent. */
export const SENDABLE: readonly StateName[] = ['queued', 'open', 'sending']
/** Not yet stored: leaving the page would lose them. */
export const UNSENT: readonly StateName[] = ['waiting', 'hashing', 'checking', ...SENDABLE]
/** Work remains. */
export const ACTIVE: readonly StateName[] = [...UNSENT, 'processing']
/** In the user's gallery, with no work left. */
export const DONE: readonly StateName[] = ['ready', 'known']
/** Not stored, and none of the above. */
export const NOT_STORED: readonly StateName[] = ['rejected', 'failed', 'no-room']
/** Of these, files that can be sent again. */
export const RESENDABLE: readonly StateName[] = ['failed', 'no-room']
/** Need the user's attention. */
export const PROBLEMS: readonly StateName[] = [...NOT_STORED, 'unprocessed']
/** A photo with such a file is not done. */
export const UNDONE: readonly StateName[] = [...ACTIVE, ...PROBLEMS]
/** Of the problems, those that a retry can solve. */
export const RETRYABLE: readonly StateName[] = [...RESENDABLE, 'unprocessed']
/** The upload has ended, well or not. */
export const ENDED: readonly StateName[] = [...DONE, ...PROBLEMS, 'cancelled', 'deleted']
