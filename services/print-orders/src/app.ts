import { type App, buildServer } from '@skyfolio/kit'
import type { PrintOrdersDeps } from './deps.ts'
import { administrationRoutes } from './routes/administration.ts'
import { catalogRoutes } from './routes/catalog.ts'
import { customerRoutes } from './routes/customer.ts'
import { orderRoutes } from './routes/orders.ts'
import { prepareImagesRoutes } from './routes/prepare-images.ts'
import { submitRoutes } from './routes/submit-order.ts'

/** The HTTP side of print-orders. */
export async function buildApp(deps: PrintOrdersDeps): Promise<App> {
  const { logger, identityKeys } = deps
  const app = await buildServer({
    name: 'print-orders',
    title: 'Print orders',
    logger,
    identityKeys,
    errorFieldPaths: ['/api/walgreens'],
  })
  catalogRoutes(app, deps)
  administrationRoutes(app, deps)
  prepareImagesRoutes(app, deps)
  submitRoutes(app, deps)
  orderRoutes(app, deps)
  customerRoutes(app, deps)
  return app
}
