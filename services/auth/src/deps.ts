import type { Logger } from '@skyfolio/kit'
import type { AddressRouteDeps } from './routes/addresses.ts'
import type { PasswordRouteDeps } from './routes/passwords.ts'
import type { SessionCookieDeps } from './routes/session-cookies.ts'
import type { UserRouteDeps } from './routes/user.ts'

/** What the API of auth needs. */
export interface AuthDeps extends AddressRouteDeps, PasswordRouteDeps, SessionCookieDeps, UserRouteDeps {
  logger: Logger
  identityKeys: string[]
}
