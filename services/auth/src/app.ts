import { type App, buildServer } from '@skyfolio/kit'
import type { AuthDeps } from './deps.ts'
import { registrationRoutes } from './routes/registration.ts'
import { sessionRoutes } from './routes/sessions.ts'
import { userRoutes } from './routes/user.ts'

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
