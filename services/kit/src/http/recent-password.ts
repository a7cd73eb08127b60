import { AppError } from './errors.ts'
import type { Identity } from './identity.ts'
import type { Session } from './session.ts'

/** How long after the password was entered an administrator may act on what belongs to others. */
const RECENT_MS = 15 * 60_000

/** When the password was last entered in a session, at the sign-in or since; null when the session does not say. */
export function passwordEnteredAt({
  createdAt,
  confirmedAt,
}: Pick<Session, 'createdAt' | 'confirmedAt'>): number | null {
  const entered = Date.parse(confirmedAt ?? createdAt)
  return Number.isNaN(entered) ? null : entered
}

/**
 * Guards what an administrator does to other people and to the installation: a stolen session is not enough.
 * @throws AppError 403 `password_required` unless the password was entered within the last 15 minutes
 */
export function requireRecentPassword({ confirmedAt }: Pick<Identity, 'confirmedAt'>): void {
  if (confirmedAt !== null && Date.now() - confirmedAt <= RECENT_MS) return
  throw new AppError(403, 'password_required', 'Please enter your password to continue.')
}
