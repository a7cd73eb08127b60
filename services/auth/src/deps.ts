import type { Logger } from '@skyfolio/kit'
import type { RegistrationRouteDeps } from './routes/registration.ts'
import type { SessionRouteDeps } from './routes/sessions.ts'
import type { UserRouteDeps } from './routes/user.ts'

/** What the API of auth needs. */
export interface AuthDeps extends RegistrationRouteDeps, SessionRouteDeps, UserRouteDeps {
  logger: Logger
  identityKeys: string[]
}
