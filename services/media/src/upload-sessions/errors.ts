import { AppError, notFound } from '@skyfolio/kit'
import { LEASE_SECONDS, type SessionRow } from './rows.ts'

/** Facts about the session, which its client needs to go on. */
interface Facts {
  state?: Exclude<SessionRow['state'], 'completing'>
  missing?: number[]
}

/** 409 whose body has facts about the session. */
class SessionConflict extends AppError {
  facts: Facts

  constructor(code: string, message: string, facts: Facts, retryAfter?: number) {
    super(409, code, message, retryAfter === undefined ? {} : { retryAfter })
    this.facts = facts
  }

  override toBody() {
    return { ...super.toBody(), ...this.facts }
  }
}

const BUSY_SECONDS = 2
const VERIFICATION_SECONDS = 15
/** Most completions take less. When one takes longer, its process has probably ended, and its lease has to expire. */
const SLOW_AFTER_SECONDS = 5

export function unknownSession(): AppError {
  return notFound('This upload does not exist any more. Please choose the file again.')
}

/** Of one that is open the client asks what is missing: it has all parts, or begins again. */
export function uploadClosed(state: NonNullable<Facts['state']>): AppError {
  const message = state === 'open' ? 'This upload takes this part no more.' : 'This upload has ended already.'
  return new SessionConflict('upload_closed', message, { state })
}

/** Somebody has leased the session, until then. */
export function uploadBusy(leaseUntil: Date | null = null): AppError {
  const left = leaseUntil ? Math.ceil((leaseUntil.getTime() - Date.now()) / 1000) : LEASE_SECONDS
  const isSlow = left <= LEASE_SECONDS - SLOW_AFTER_SECONDS
  const seconds = isSlow ? Math.max(1, left) : BUSY_SECONDS
  return new SessionConflict('upload_busy', 'This upload is being completed.', {}, seconds)
}

/** Another file claims the same SHA-256, and waits for the worker. */
export function unverifiedFile(): AppError {
  const message = 'Another file of yours was announced as this one. It is being verified.'
  return new SessionConflict('upload_busy', message, {}, VERIFICATION_SECONDS)
}

export function partsMissing(missing: number[]): AppError {
  return new SessionConflict('parts_missing', 'Some parts of the file are missing.', { missing })
}
