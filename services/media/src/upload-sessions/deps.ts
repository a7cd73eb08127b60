import type { UploadDeps } from '../uploads/save-upload.ts'
import type { SessionParts } from './find-part.ts'

/** What the open upload sessions of one user may take, and how long they last. */
export interface SessionLimits {
  sessionsPerUser: number
  /** Size of their files, whatever is stored of them. */
  bytesPerUser: number
  hours: number
}

export interface SessionDeps extends UploadDeps {
  sessionParts: SessionParts
  sessionLimits: SessionLimits
}
