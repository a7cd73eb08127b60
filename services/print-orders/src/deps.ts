import type { Logger } from '@skyfolio/kit'
import type { Database } from './database.ts'

/** What the API of print-orders needs. */
export interface PrintOrdersDeps {
  logger: Logger
  identityKeys: string[]
  db: Database
}
