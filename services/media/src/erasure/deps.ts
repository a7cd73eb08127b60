import type { Logger, ObjectStore } from '@skyfolio/kit'
import type { Database } from '../database.ts'

export interface UserErasureDeps {
  db: Database
  store: ObjectStore
  logger: Logger
  /** Called after each commit with events. */
  afterCommit(): void
}
