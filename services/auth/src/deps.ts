import type { Logger } from '@skyfolio/kit'
import type { Passwords } from '@skyfolio/kit/passwords'
import type { Devices } from './accounts/devices.ts'
import type { RateLimits } from './accounts/rate-limits.ts'
import type { Database } from './database.ts'
import type { Sessions } from './sessions/sessions.ts'

/** What the API of auth works with. */
export interface AuthDeps {
  db: Database
  passwords: Passwords
  rateLimits: RateLimits
  sessions: Sessions
  devices: Devices
  logger: Logger
  identityKeys: string[]
  /** Whether a mail server is configured. */
  canSendMail: boolean
  /** Days in which a requested deletion of an account can be revoked. */
  deletionDays: number
  /** Sets the `Secure` attribute of cookies. */
  secureCookies: boolean
  /** Called after a commit with events. */
  onCommit(): void
}
