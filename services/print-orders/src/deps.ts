import type { Logger } from '@skyfolio/kit'
import type { AccountTestRouteDeps, EnvironmentRouteDeps } from './routes/administration.ts'
import type { CatalogRouteDeps } from './routes/catalog.ts'
import type { CustomerRouteDeps } from './routes/customer.ts'
import type { OrderRouteDeps } from './routes/orders.ts'
import type { PrepareImagesRouteDeps } from './routes/prepare-images.ts'
import type { SubmitRouteDeps } from './routes/submit-order.ts'

/** What the API of print-orders needs. */
export interface PrintOrdersDeps
  extends CatalogRouteDeps,
    EnvironmentRouteDeps,
    AccountTestRouteDeps,
    PrepareImagesRouteDeps,
    SubmitRouteDeps,
    OrderRouteDeps,
    CustomerRouteDeps {
  logger: Logger
  identityKeys: string[]
}
