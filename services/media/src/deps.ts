import type { LinkCookies, Logger, MinimumRateOptions, ObjectStore, Relay, ViewAudit } from '@skyfolio/kit'
import type { UploadLimits } from '@skyfolio/proto'
import type pg from 'pg'
import type { BaseMap } from './base-map/base-map.ts'
import type { FileCleaner } from './clean-files/clean-files.ts'
import type { Database } from './database.ts'
import type { DownloadTickets, SharedDownloadTickets } from './downloads/tickets.ts'
import type { Enqueue, Queues } from './jobs/queues.ts'
import type { UploadLimiter, UploadShares } from './limits.ts'
import type { Cards } from './pictures/cards.ts'
import type { Pictures } from './pictures/pictures.ts'
import type { Places } from './places/places.ts'
import type { PrintUploadDeps } from './print-images/save-upload.ts'
import type { Folders } from './projection/folders.ts'
import type { SessionLimits } from './upload-sessions/declared-files.ts'
import type { RecentEnds } from './uploads/inspect-stored.ts'

/** What the API of media needs. */
export interface MediaDeps extends MinimumRateOptions, PrintUploadDeps {
  logger: Logger
  identityKeys: string[]
  db: Database
  pool: pg.Pool
  store: ObjectStore
  folders: Folders
  /** Who gets which bytes of photos. */
  pictures: Pictures
  cards: Cards
  /** What administrators see of others, recorded. */
  viewAudit: ViewAudit
  places: Places
  baseMap: BaseMap
  relay: Pick<Relay, 'wake'>
  uploadLimiter: UploadLimiter
  uploadShares: UploadShares
  downloadTickets: DownloadTickets
  sharedDownloadTickets: SharedDownloadTickets
  linkCookies: LinkCookies
  fileCleaner: FileCleaner
  recentEnds: RecentEnds
  sessionLimits: SessionLimits
  limits: UploadLimits
  /** Bytes that the photos of a user without an own quota may take; null: any number. */
  defaultQuota: number | null
  queues: Queues
  enqueue: Enqueue
}
