import { type App, buildServer } from '@skyfolio/kit'
import type { PrintOrdersDeps } from './deps.ts'

/** The HTTP side of print-orders. */
export async function buildApp(deps: PrintOrdersDeps): Promise<App> {
  const { logger, identityKeys } = deps
  return buildServer({
    name: 'print-orders',
    title: 'Skyfolio: print orders',
    logger,
    identityKeys,
    errorFieldPaths: ['/api/walgreens'],
  })
}
