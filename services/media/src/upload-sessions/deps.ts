import type { UploadDeps } from '../uploads/save-upload.ts'
import type { SessionParts } from './find-part.ts'

/** What the open upload sessions of one user may take, and how long they last. */
export interface SessionLimits {
  sessionsPerUser: number
  /** Size of their files, whatever is stored of them. */
  bytesPerUser: number
  hours: number
}

export const SESSION_LIMITS: SessionLimits = {
  // Far more than browsers of one user have open at once; further files wait.
  sessionsPerUser: 200,
  // Some 130 files of the largest size: abandoned ones take no more of the store.
  bytesPerUser: 20 * 1024 ** 3,
  // A week for somebody without a connection. The store itself ends uploads in parts after eight days.
  hours: 168,
}

export interface SessionDeps extends UploadDeps {
  sessionParts: SessionParts
  sessionLimits: SessionLimits
}
