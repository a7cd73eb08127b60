import type { Logger } from '@skyfolio/kit'
import type { SmtpFailure } from './smtp-failure.ts'

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

/** Keeps mails waiting while the mail server is unavailable, instead of trying it with each of them. */
export interface ServerPause {
  isPaused(): boolean
  /** The server did not serve. Returns in how many seconds it is tried again. */
  begin(failure: SmtpFailure): number
  /** The server served. */
  end(): void
}

export function createServerPause(logger: Logger, longestMs = LONGEST_PAUSE_MS): ServerPause {
  let pauses = 0
  let until = 0
  return {
    isPaused: () => Date.now() < until,
    begin(failure) {
      // Several attempts fail together; they are one failure.
      if (Date.now() >= until) {
        if (pauses === 0) logger.warn({ failure }, 'mail server unavailable, will retry')
        until = Date.now() + Math.min(FIRST_PAUSE_MS * 2 ** Math.min(pauses, 20), longestMs)
        pauses += 1
      }
      return (until - Date.now()) / 1000
    },
    end() {
      if (pauses > 0) logger.info('mail server available again')
      pauses = 0
      until = 0
    },
  }
}
