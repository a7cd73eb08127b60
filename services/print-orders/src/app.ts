import { type App, buildServer } from '@skyfolio/kit'
import type { PrintOrdersDeps } from './deps.ts'
import { accountTestRoutes } from './routes/account-tests.ts'
import { catalogRoutes } from './routes/catalog.ts'
import { environmentRoutes } from './routes/environment.ts'

/** The HTTP side of print-orders. */
export async function buildApp(deps: PrintOrdersDeps): Promise<App> {
  const { logger, identityKeys } = deps
  const app = await buildServer({
    name: 'print-orders',
    title: 'Skyfolio: print orders',
    logger,
    identityKeys,
    errorFieldPaths: ['/api/walgreens'],
  })
  catalogRoutes(app, deps)
  environmentRoutes(app, deps)
  accountTestRoutes(app, deps)
  return app
}
