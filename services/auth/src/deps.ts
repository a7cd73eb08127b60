import type { Logger } from '@skyfolio/kit'
import type { PasswordRouteDeps } from './routes/passwords.ts'
import type { SessionCookieDeps } from './routes/session-cookies.ts'
import type { UserRouteDeps } from './routes/user.ts'

/** What the API of auth needs. */
export interface AuthDeps extends PasswordRouteDeps, SessionCookieDeps, UserRouteDeps {
  logger: Logger
  identityKeys: string[]
}
