import type { Logger, ObjectStore, Relay } from '@skyfolio/kit'
import type { UploadLimits } from '@skyfolio/proto'
import type { Database } from './database.ts'
import type { Photo } from './generated/client.ts'
import type { Places } from './places/places.ts'
import type { PrintUploadDeps } from './print-images/save-upload.ts'
import type { Folders } from './projection/folders.ts'
import type { MinimumRateOptions } from './uploads/minimum-rate.ts'
import type { UploadLimiter } from './uploads/upload-limiter.ts'

/** What the API of media needs. */
export interface MediaDeps extends MinimumRateOptions, PrintUploadDeps {
  logger: Logger
  identityKeys: string[]
  db: Database
  store: ObjectStore
  folders: Folders
  places: Places
  relay: Pick<Relay, 'wake'>
  uploadLimiter: UploadLimiter
  limits: UploadLimits
  /** Bytes that the photos of a user without an own quota may take; null: any number. */
  defaultQuota: number | null
  /** Called right after the commit of photos that wait for processing. Must neither block nor throw. */
  enqueuePhotos(photos: Photo[]): void
}
