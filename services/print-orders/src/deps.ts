import type { Logger } from '@skyfolio/kit'
import type { AccountTestRouteDeps } from './routes/account-tests.ts'
import type { CatalogRouteDeps } from './routes/catalog.ts'
import type { EnvironmentRouteDeps } from './routes/environment.ts'

/** What the API of print-orders needs. */
export interface PrintOrdersDeps extends CatalogRouteDeps, EnvironmentRouteDeps, AccountTestRouteDeps {
  logger: Logger
  identityKeys: string[]
}
