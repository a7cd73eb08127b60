import type { Answer } from './client.ts'
import type { paths as AuthPaths } from './generated/auth.d.ts'
import type { paths as FoldersPaths } from './generated/folders.d.ts'
import type { paths as GatewayPaths } from './generated/gateway.d.ts'
import type { paths as MediaPaths } from './generated/media.d.ts'

/** The error model as the services document it; `ErrorBody` of lib/http.ts is the same. */
export type DocumentedErrorBody = AuthPaths['/api/user']['get']['responses']['4XX']['content']['application/json']

export type User = Answer<'get', '/api/user'>
/** What the user sets for all devices. */
export type AccountSettings = Answer<'get', '/api/user/settings'>
/** A session of the user: a device that is signed in. */
export type AccountSession = Answer<'get', '/api/user/sessions'>[number]
/** The user's storage in bytes; without a quota it is null. Photos without a folder or a year have null there. */
export type StorageUsage = Answer<'get', '/api/photos/storage'>
/** A file that is uploaded in parts. */
export type UploadSession = Answer<'get', '/api/upload-sessions/{id}'>
/** What the server has of files that are to be uploaded. */
export type OpenedUploads = Answer<'post', '/api/upload-sessions'>
/** The user's latest export: `url` and `size` (in bytes) of the archive when it is ready, `message` when it failed. */
export type AccountExport = Answer<'get', '/api/user/export'>
export type AppConfig = Answer<'get', '/api/config'>
/** A hint of the server: something that the page may show has changed. */
export type Hint = GatewayPaths['/api/events']['get']['responses'][200]['content']['text/event-stream']
export type Photo = Answer<'get', '/api/photos'>[number]
/** A change of many photos. */
export type PhotosChange = MediaPaths['/api/photos/bulk']['post']['requestBody']['content']['application/json']
/** A photo and the position that it has or gets, in decimal degrees; null: none. */
export type PhotoPosition = Answer<'put', '/api/photos/positions'>['before'][number]
/** The result of changing many photos, with the reason for each photo that was not changed. */
export type BulkResult = Answer<'post', '/api/photos/bulk'>
/** A download of photos as one archive: the chosen photos, and those with a file of each size, in bytes. */
export type PhotoDownload = Answer<'post', '/api/photos/downloads'>
/** Which photos an operation concerns. */
export type PhotoFilter =
  MediaPaths['/api/photos/count']['post']['requestBody']['content']['application/json']['filter']
/** The number of photos that 'Fix Locations' completed. */
export type LocationsFixed = Answer<'post', '/api/photos/geocode-update'>
/** A place or a position that a search found. */
export type GeocodedPlace = Answer<'post', '/api/geocode'>
/** A photo of the metadata screen. */
export type MetadataPhoto = Answer<'get', '/api/photos/metadata'>[number]
/** A photo of the metadata screen with all its metadata. */
export type MetadataPhotoDetails = Answer<'get', '/api/photos/metadata/{id}'>
export type Folder = Answer<'get', '/api/folders'>[number]
/** A link of a folder, as its owner sees it. */
export type FolderLink = Answer<'get', '/api/folders/{id}/links'>[number]
/** What the owner says about a new link. */
export type LinkFields = FoldersPaths['/api/folders/{id}/links']['post']['requestBody']['content']['application/json']
/** What the owner decided about the vote in a folder. */
export type Contest = Answer<'get', '/api/folders/{id}/contest'>
export type ContestFields =
  FoldersPaths['/api/folders/{id}/contest']['put']['requestBody']['content']['application/json']
/** The one vote of somebody who was invited; `url` is the path of its link. */
export type Invitation = Answer<'get', '/api/folders/{id}/invitations'>[number]
export type Share = Answer<'get', '/api/share/{shareCode}'>
/** A folder as the visitors of a link see it, with what the link allows. */
export type PublicFolder = Share['folder']
/** What anyone who may see a photo sees of it. */
export type PublicPhoto = Share['photos'][number]

/** A public photo with the camera metadata that visitors may see. */
export type PublicPhotoDetails = Answer<'get', '/api/share/{shareCode}/photos/{id}'>

/** The standings of a contest, as its voters see them: best first. */
export type VoterStandings = Answer<'get', '/api/share/{shareCode}/standings'>
/** The published result of a contest. */
export type Results = Answer<'get', '/api/share/{shareCode}/results'>

/** The standings of a folder, as its owner sees them. */
export type Rankings = Extract<Answer<'get', '/api/folders/{id}/rankings'>, { tallies: unknown }>

/** A ballot as the folder's owner sees it. */
export type Voter = Answer<'get', '/api/folders/{id}/voters'>[number]
/** An entry of the log of what the owner changed about a folder's voting. */
export type VotingEntry = Answer<'get', '/api/folders/{id}/voting-log'>[number]

/** A voter's ballot: photo ids by rank, 0 where empty. */
export type PhotosByRank = Answer<'post', '/api/photos/{id}/rank'>['rankings']
/** A position on a ballot. */
export type Rank = keyof PhotosByRank

/** A print order. Amounts are decimal texts in dollars. */
export type PrintOrder = Answer<'get', '/api/walgreens/orders'>[number]
/** One photo of a print order in one size. */
export type PrintOrderItem = PrintOrder['items'][number]
/** A print order with the steps of its life. */
export type PrintOrderDetails = Answer<'get', '/api/walgreens/orders/{id}'>
export type PrintOrderEvent = PrintOrderDetails['history'][number]
/** The partner environment of new orders; the base URL is empty where none is configured. */
export type PartnerEnvironment = Answer<'get', '/api/admin/environment'>
/** Where the partner receives orders: in the sandbox nothing is printed. */
export type PrintEnvironment = PartnerEnvironment['environment']

/** A user as administrators see it. Storage and quota in bytes; without an own quota the installation's default holds. */
export type ManagedUser = Answer<'get', '/api/admin/users'>[number]
/** A deletion that is requested or not yet carried out in every service. */
export type AccountDeletion = Answer<'get', '/api/admin/deletions'>[number]
/** How far a service is with an erasure. */
export type ServiceErasure = AccountDeletion['services'][number]
/** The figures of the installation, and of its last days, the oldest first. */
export type InstallationStatistics = Answer<'get', '/api/admin/stats'>
export type DailyFigures = InstallationStatistics['history'][number]
/** What an administrator did. */
export type AuditEntry = Answer<'get', '/api/admin/audit'>[number]
/** A background job whose attempts all failed; `id` is the queue's. */
export type FailedJob = Answer<'get', '/api/admin/failed-jobs'>[number]
/** Photos that one aircraft took in succession. */
export type Flight = Answer<'get', '/api/flights'>[number]
/** A flight with the positions of its photos. */
export type FlightDetails = Answer<'get', '/api/flights/{id}'>
export type TrackPoint = FlightDetails['track'][number]
