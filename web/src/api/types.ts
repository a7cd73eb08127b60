import type { paths as AuthPaths } from './generated/auth.d.ts'
import type { paths as FoldersPaths } from './generated/folders.d.ts'
import type { paths as GatewayPaths } from './generated/gateway.d.ts'
import type { paths as MediaPaths } from './generated/media.d.ts'
import type { paths as PrintOrdersPaths } from './generated/print-orders.d.ts'

/** The JSON body of an operation's response with status 200. */
export type ResponseBody<Operation> = Operation extends {
  responses: { 200: { content: { 'application/json': infer Body } } }
}
  ? Body
  : never

/** The error model as the services document it; `ErrorBody` of lib/http.ts is the same. */
export type DocumentedErrorBody = AuthPaths['/api/user']['get']['responses']['4XX']['content']['application/json']

export type User = ResponseBody<AuthPaths['/api/user']['get']>
/** The totals of the user's photos; storage in bytes. */
export type AccountStatistics = ResponseBody<AuthPaths['/api/user/statistics']['get']>
/** What the user sets for all devices. */
export type AccountSettings = ResponseBody<AuthPaths['/api/user/settings']['get']>
/** A session of the user: a device that is signed in. */
export type AccountSession = ResponseBody<AuthPaths['/api/user/sessions']['get']>[number]
/** The user's storage in bytes; without a quota it is null. Photos without a folder or a year have null there. */
export type StorageUsage = ResponseBody<MediaPaths['/api/photos/storage']['get']>
/** Which files the user already has, and the storage quota. */
export type KnownFilesBody = ResponseBody<MediaPaths['/api/photos/known']['post']>
/** A file that is uploaded in parts. */
export type UploadSession = ResponseBody<MediaPaths['/api/upload-sessions/{id}']['get']>
/** What the server has of files that are to be uploaded. */
export type OpenedUploads = ResponseBody<MediaPaths['/api/upload-sessions']['post']>
/** The user's latest export: `url` and `size` (in bytes) of the archive when it is ready, `message` when it failed. */
export type AccountExport = ResponseBody<MediaPaths['/api/user/export']['get']>
export type AppConfig = ResponseBody<GatewayPaths['/api/config']['get']>
/** A hint of the server: something that the page may show has changed. */
export type Hint = GatewayPaths['/api/events']['get']['responses'][200]['content']['text/event-stream']
/** The terms of use or the privacy policy. */
export type LegalText = ResponseBody<GatewayPaths['/api/legal/terms']['get']>
export type Photo = ResponseBody<MediaPaths['/api/photos']['get']>[number]
/** The number of photos taken at a place; unknown parts of its name are null or empty. */
export type PhotoPlace = ResponseBody<MediaPaths['/api/photos/places']['get']>[number]
/** The result of changing many photos, with the reason for each photo that was not changed. */
export type BulkResult = ResponseBody<MediaPaths['/api/photos/bulk']['post']>
/** A download of photos as one archive: the chosen photos, and those with a file of each size, in bytes. */
export type PhotoDownload =
  MediaPaths['/api/photos/downloads']['post']['responses']['201']['content']['application/json']
/** The months of a list of photos. */
export type PhotoMonths = ResponseBody<MediaPaths['/api/photos/months']['get']>
/** The number of photos that 'Fix Locations' completed. */
export type LocationsFixed = ResponseBody<MediaPaths['/api/photos/geocode-update']['post']>
/** A place or a position that a search found. */
export type GeocodedPlace = ResponseBody<MediaPaths['/api/geocode']['post']>
/** A photo of the metadata screen. */
export type MetadataPhoto = ResponseBody<MediaPaths['/api/photos/metadata']['get']>[number]
/** A photo of the metadata screen with all its metadata. */
export type MetadataPhotoDetails = ResponseBody<MediaPaths['/api/photos/metadata/{id}']['get']>
export type Folder = ResponseBody<FoldersPaths['/api/folders']['get']>[number]
export type Share = ResponseBody<FoldersPaths['/api/share/{shareCode}']['get']>
/** What anyone with the link sees of a folder. */
export type PublicFolder = Share['folder']
/** What anyone who may see a photo sees of it. */
export type PublicPhoto = Share['photos'][number]

/** A public photo with the camera metadata that visitors may see. */
export type PublicPhotoDetails = ResponseBody<FoldersPaths['/api/share/{shareCode}/photos/{id}']['get']>

/** The standings of a folder, as its owner sees them. */
export type Rankings = Extract<ResponseBody<FoldersPaths['/api/folders/{id}/rankings']['get']>, { tallies: unknown }>

/** A ballot as the folder's owner sees it. */
export type Voter = ResponseBody<FoldersPaths['/api/folders/{id}/voters']['get']>[number]
/** An entry of the log of what the owner changed about a folder's voting. */
export type VotingEntry = ResponseBody<FoldersPaths['/api/folders/{id}/voting-log']['get']>[number]

/** A voter's ballot: photo ids by rank, 0 where empty. */
export type PhotosByRank = ResponseBody<FoldersPaths['/api/photos/{id}/rank']['post']>['rankings']
/** A position on a ballot. */
export type Rank = keyof PhotosByRank

/** A print order. Amounts are decimal texts in dollars. */
export type PrintOrder = ResponseBody<PrintOrdersPaths['/api/walgreens/orders']['get']>[number]
/** One photo of a print order in one size. */
export type PrintOrderItem = PrintOrder['items'][number]
/** A print order with the steps of its life. */
export type PrintOrderDetails = ResponseBody<PrintOrdersPaths['/api/walgreens/orders/{id}']['get']>
export type PrintOrderEvent = PrintOrderDetails['history'][number]
/** The partner environment of new orders; the base URL is empty where none is configured. */
export type PartnerEnvironment = ResponseBody<PrintOrdersPaths['/api/admin/environment']['get']>
/** Where the partner receives orders: in the sandbox nothing is printed. */
export type PrintEnvironment = PartnerEnvironment['environment']

/** A user as administrators see it. Storage and quota in bytes; without an own quota the installation's default holds. */
export type ManagedUser = ResponseBody<AuthPaths['/api/admin/users']['get']>[number]
/** A deletion that is requested or not yet carried out in every service. */
export type AccountDeletion = ResponseBody<AuthPaths['/api/admin/deletions']['get']>[number]
/** How far a service is with an erasure. */
export type ServiceErasure = AccountDeletion['services'][number]
/** The figures of the installation, and of its last days, the oldest first. */
export type InstallationStatistics = ResponseBody<AuthPaths['/api/admin/stats']['get']>
export type DailyFigures = InstallationStatistics['history'][number]
/** What an administrator did. */
export type AuditEntry = ResponseBody<AuthPaths['/api/admin/audit']['get']>[number]
/** A background job whose attempts all failed; `id` is the queue's. */
export type FailedJob = ResponseBody<MediaPaths['/api/admin/failed-jobs']['get']>[number]
/** Photos that one aircraft took in succession. */
export type Flight = ResponseBody<MediaPaths['/api/flights']['get']>[number]
/** A flight with the positions of its photos. */
export type FlightDetails = ResponseBody<MediaPaths['/api/flights/{id}']['get']>
export type TrackPoint = FlightDetails['track'][number]
