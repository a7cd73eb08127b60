import type { paths as AuthPaths } from './generated/auth.d.ts'
import type { paths as FoldersPaths } from './generated/folders.d.ts'
import type { paths as GatewayPaths } from './generated/gateway.d.ts'
import type { paths as MediaPaths } from './generated/media.d.ts'

/** The JSON of an operation's answer with status 200. */
type ResponseBody<Operation> = Operation extends { responses: { 200: { content: { 'application/json': infer Body } } } }
  ? Body
  : never

/** The error model as the services document it; `ErrorBody` of lib/http.ts is the same. */
export type DocumentedErrorBody = AuthPaths['/api/user']['get']['responses']['4XX']['content']['application/json']

export type User = ResponseBody<AuthPaths['/api/user']['get']>
export type AppConfig = ResponseBody<GatewayPaths['/api/config']['get']>
export type Photo = ResponseBody<MediaPaths['/api/photos']['get']>[number]
/** How many photos were taken at a place; a part of its name that is not known is null or empty. */
export type PhotoPlace = ResponseBody<MediaPaths['/api/photos/places']['get']>[number]
/** What a change of many photos did, and why some were left as they are. */
export type BulkResult = ResponseBody<MediaPaths['/api/photos/bulk']['post']>
/** How many photos 'Fix Locations' filled something in for. */
export type LocationsFixed = ResponseBody<MediaPaths['/api/photos/geocode-update']['post']>
/** A photo of the metadata screen. */
export type MetadataPhoto = ResponseBody<MediaPaths['/api/photos/metadata']['get']>[number]
/** It with all that was read from it. */
export type MetadataPhotoDetails = ResponseBody<MediaPaths['/api/photos/metadata/{id}']['get']>
export type Folder = ResponseBody<FoldersPaths['/api/folders']['get']>[number]
export type Share = ResponseBody<FoldersPaths['/api/share/{shareCode}']['get']>
/** What everybody who has its link learns of a folder. */
export type PublicFolder = Share['folder']
/** What everybody who may see a photo sees. */
export type PublicPhoto = Share['photos'][number]

/** A public photo with what its camera wrote, as far as visitors see it. */
export type PublicPhotoDetails = ResponseBody<FoldersPaths['/api/share/{shareCode}/photos/{id}']['get']>

/** The standings of a folder, as its owner sees them. */
export type Rankings = Extract<ResponseBody<FoldersPaths['/api/folders/{id}/rankings']['get']>, { tallies: unknown }>

/** A ballot as the folder's owner sees it. */
export type Voter = ResponseBody<FoldersPaths['/api/folders/{id}/voters']['get']>[number]
/** What the owner did with the votes of a folder. */
export type VotingEntry = ResponseBody<FoldersPaths['/api/folders/{id}/voting-log']['get']>[number]

/** A voter's three places: photo ids, 0 where empty. */
export type PhotosByRank = ResponseBody<FoldersPaths['/api/photos/{id}/rank']['post']>['rankings']
/** A place in a ranking. */
export type Rank = keyof PhotosByRank
