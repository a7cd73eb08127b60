import { type App, buildServer, type Logger } from '@skyfolio/kit'
import type { Accounts } from './accounts/accounts.ts'
import { registrationRoutes } from './routes/registration.ts'
import { sessionRoutes } from './routes/sessions.ts'
import { userRoutes } from './routes/user.ts'
import type { Sessions } from './sessions/sessions.ts'

export interface AuthDeps {
  logger: Logger
  identityKeys: string[]
  accounts: Accounts
  sessions: Sessions
  /** Whether browsers connect over HTTPS. */
  secureCookies: boolean
}

/** The HTTP side of auth. */
export async function buildApp(deps: AuthDeps): Promise<App> {
  const app = await buildServer({
    name: 'auth',
    title: 'Skyfolio: users and sessions',
    logger: deps.logger,
    identityKeys: deps.identityKeys,
  })
  registrationRoutes(app, deps)
  sessionRoutes(app, deps)
  userRoutes(app, deps)
  return app
}
