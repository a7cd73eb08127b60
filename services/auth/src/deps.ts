import type { Logger } from '@skyfolio/kit'
import type { AddressRouteDeps } from './routes/addresses.ts'
import type { AdminLogRouteDeps } from './routes/admin-log.ts'
import type { AdminUserRouteDeps } from './routes/admin-users.ts'
import type { DeletionRouteDeps } from './routes/deletions.ts'
import type { PasswordRouteDeps } from './routes/passwords.ts'
import type { SessionCookieDeps } from './routes/session-cookies.ts'
import type { UserRouteDeps } from './routes/user.ts'

/** What the API of auth needs. */
export interface AuthDeps
  extends AddressRouteDeps,
    AdminUserRouteDeps,
    DeletionRouteDeps,
    AdminLogRouteDeps,
    PasswordRouteDeps,
    SessionCookieDeps,
    UserRouteDeps {
  logger: Logger
  identityKeys: string[]
}
