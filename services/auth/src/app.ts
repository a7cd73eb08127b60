import { type App, buildServer } from '@skyfolio/kit'
import { requireAdministrators } from './accounts/administrators.ts'
import type { AuthDeps } from './deps.ts'
import { addressRoutes } from './routes/addresses.ts'
import { adminLogRoutes } from './routes/admin-log.ts'
import { adminUserRoutes } from './routes/admin-users.ts'
import { deletionRoutes } from './routes/deletions.ts'
import { passwordRoutes } from './routes/passwords.ts'
import { sessionRoutes, signInRoutes } from './routes/sessions.ts'
import { userRoutes } from './routes/user.ts'
import { requireLiveSessions } from './sessions/session-guards.ts'

/** The HTTP side of auth. */
export async function buildApp(deps: AuthDeps): Promise<App> {
  const { logger, identityKeys } = deps
  const app = await buildServer({ name: 'auth', title: 'Users and sessions', logger, identityKeys })
  requireLiveSessions(app, deps.sessions)
  requireAdministrators(app, deps.db)
  signInRoutes(app, deps)
  userRoutes(app, deps)
  addressRoutes(app, deps)
  passwordRoutes(app, deps)
  sessionRoutes(app, deps)
  deletionRoutes(app, deps)
  adminLogRoutes(app, deps)
  adminUserRoutes(app, deps)
  return app
}
