import type { paths as AuthPaths } from './generated/auth.d.ts'
import type { paths as FoldersPaths } from './generated/folders.d.ts'
import type { paths as GatewayPaths } from './generated/gateway.d.ts'
import type { paths as MediaPaths } from './generated/media.d.ts'

/** The JSON body of an operation's response with status 200. */
type ResponseBody<Operation> = Operation extends { responses: { 200: { content: { 'application/json': infer Body } } } }
  ? Body
  : never

/** The error model as the services document it; `ErrorBody` of lib/http.ts is the same. */
export type DocumentedErrorBody = AuthPaths['/api/user']['get']['responses']['4XX']['content']['application/json']

export type User = ResponseBody<AuthPaths['/api/user']['get']>
export type AppConfig = ResponseBody<GatewayPaths['/api/config']['get']>
/** The terms of use or the privacy policy. */
export type LegalText = ResponseBody<GatewayPaths['/api/legal/terms']['get']>
export type Photo = ResponseBody<MediaPaths['/api/photos']['get']>[number]
/** The number of photos taken at a place; unknown parts of its name are null or empty. */
export type PhotoPlace = ResponseBody<MediaPaths['/api/photos/places']['get']>[number]
/** The result of changing many photos, with the reason for each photo that was not changed. */
export type BulkResult = ResponseBody<MediaPaths['/api/photos/bulk']['post']>
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

/** Where the partner receives orders: in the sandbox nothing is printed. */
export type PrintEnvironment = 'sandbox' | 'production'

/** One photo of a print order in one size. */
export interface PrintOrderItem {
  productId: string
  productSize: string | null
  quantity: number
  /** Null for an uploaded image and after the photo was deleted. */
  photoId: number | null
  photoTitle: string | null
  /** The file that the partner receives, as long as it is kept. */
  imageUrl: string | null
}

/** A print order. Amounts are decimal texts in dollars. */
export interface PrintOrder extends PrintOrderItem {
  id: number
  userId: number
  /** Null while the partner's answer is not known, and for an order that was never placed. */
  vendorOrderId: string | null
  environment: PrintEnvironment
  storeNumber: string
  storeName: string | null
  storeAddress: string | null
  storeCity: string | null
  storeState: string | null
  storePhone: string | null
  totalAmount: string | null
  /** The partner's tax figure, which is not part of the total. */
  taxAmount: string | null
  couponCode: string | null
  couponDiscount: string | null
  customerFirstName: string
  customerLastName: string
  customerEmail: string
  customerPhone: string
  /** As the partner writes it, by the store's clock. */
  promiseTime: string | null
  /** One of submitted, processing, ready, picked_up, cancelled, unknown. */
  orderStatus: string | null
  items: PrintOrderItem[]
  createdAt: string
  updatedAt: string
}

/** A step in the life of an order. */
export interface PrintOrderEvent {
  at: string
  status: string
  note: string | null
}

export type PrintOrderDetails = PrintOrder & { history: PrintOrderEvent[] }

/** The partner environment of new orders. */
export interface PartnerEnvironment {
  environment: PrintEnvironment
  baseUrl: string | null
}
