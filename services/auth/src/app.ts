import { type App, buildServer, type Logger } from '@skyfolio/kit'
import type { Accounts } from './accounts/accounts.ts'
import { sessionRoutes } from './routes/session.ts'
import { userRoutes } from './routes/user.ts'
import type { Sessions } from './sessions/sessions.ts'

export interface Dependencies {
  logger: Logger
  identityKeys: string[]
  accounts: Accounts
  sessions: Sessions
  /** Whether browsers come over https. */
  secureCookies: boolean
}

/** The HTTP side of auth. */
export async function buildApp(o: Dependencies): Promise<App> {
  const app = await buildServer({
    name: 'auth',
    title: 'Skyfolio: users and sessions',
    logger: o.logger,
    identityKeys: o.identityKeys,
  })
  sessionRoutes(app, o.accounts, o.sessions, o.secureCookies)
  userRoutes(app, o.accounts)
  return app
}
