import type { Owner } from './owner.ts'
import { keyOf, type PublicRoute } from './routes.ts'

/** What a stranger knows of the owner: every id, and some names. */
export interface OwnersIds {
  owner: Owner
  sessionId: string
  metadataPhoto: number
  exportId: string
  /** A prepared download of a private photo. */
  downloadId: string
  orderId: number
  voter: string
  /** SHA-256 of a private original. */
  hash: string
  /** An open upload session, and its only part. */
  uploadSession: { id: string; part: Buffer }
}

export interface StrangersRequest {
  path: string
  json?: object
  bytes?: Buffer
}

type Requests = (ids: OwnersIds) => StrangersRequest[]

const ofFolders =
  (rest: string, json?: object): Requests =>
  ({ owner }) =>
    [owner.privateFolder, owner.publicFolder].map(({ id }) => ({
      path: `/api/folders/${id}${rest}`,
      ...(json && { json }),
    }))
const ofPhotos =
  (rest: string, json?: object): Requests =>
  ({ owner }) =>
    [owner.privatePhoto.id, ...owner.publicPhotos.slice(0, 1)].map((id) => ({
      path: `/api/photos/${id}${rest}`,
      ...(json && { json }),
    }))
const ofPrivatePhoto =
  (rest: string, json?: object): Requests =>
  (ids) =>
    ofPhotos(rest, json)(ids).slice(0, 1)
const ofUser =
  (rest: string, json?: object): Requests =>
  ({ owner }) => [{ path: `/api/admin/users/${owner.id}${rest}`, ...(json && { json }) }]

/** A read of the gallery without a filter, and with the owner's folders and a flight. `start` ends with ? or &. */
const ofGallery =
  (start: string): Requests =>
  ({ owner }) =>
    ['', `folder=${owner.privateFolder.id}`, `folder=${owner.publicFolder.id}`, `flight=${owner.privatePhoto.id}`].map(
      (filter) => ({ path: `${start}${filter}` }),
    )

const ofUploadSession =
  (rest: string, json?: object): Requests =>
  ({ uploadSession }) => [{ path: `/api/upload-sessions/${uploadSession.id}${rest}`, ...(json && { json }) }]

/** Routes whose path or body names what belongs to somebody: what a stranger sends to them with the owner's ids. */
export const STRANGERS_REQUESTS: Record<string, Requests> = {
  'DELETE /api/user/sessions/:id': ({ sessionId }) => [{ path: `/api/user/sessions/${sessionId}` }],
  'GET /api/admin/users/:id': ofUser(''),
  'PATCH /api/admin/users/:id': ofUser('', { firstName: 'Mallory', isAdmin: true }),
  'POST /api/admin/users/:id/password-reset': ofUser('/password-reset'),
  'DELETE /api/admin/users/:id': ofUser(''),
  'POST /api/admin/users/:id/restore': ofUser('/restore'),

  'GET /api/photos/metadata/:id': ({ metadataPhoto, owner }) =>
    [metadataPhoto, owner.privatePhoto.id].map((id) => ({ path: `/api/photos/metadata/${id}` })),
  // The id of any photo names its flight.
  'GET /api/flights/:id': ({ owner }) =>
    [owner.privatePhoto.id, ...owner.publicPhotos.slice(0, 1)].map((id) => ({ path: `/api/flights/${id}` })),
  'GET /api/photos/map/:z/:x/:y': ofGallery('/api/photos/map/0/0/0?'),
  'GET /api/photos/map/extent': ofGallery('/api/photos/map/extent?'),
  'GET /api/photos/track': ofGallery('/api/photos/track?format=gpx&'),
  'GET /api/folders/:id/photos': ofFolders('/photos'),
  'PATCH /api/photos/:id/folder': ofPhotos('/folder', { folderId: null }),
  'PATCH /api/photos/:id/privacy': ofPhotos('/privacy', { isPublic: true }),
  'POST /api/photos/:id/reprocess': ofPhotos('/reprocess'),
  'PATCH /api/photos/:id': ofPhotos('', {
    title: 'Mallory was here',
    description: 'Mallory',
    city: 'Mallory',
    state: 'Mallory',
  }),
  'DELETE /api/photos/:id': ofPhotos(''),
  'GET /api/photos/:id/image': ofPrivatePhoto('/image'),
  'GET /api/uploads/:filename': ({ owner: { privatePhoto } }) =>
    [privatePhoto.url, privatePhoto.thumbnailUrl, privatePhoto.previewUrl].map((path) => ({ path: path ?? '' })),
  'GET /api/user/export/:id': ({ exportId }) => [{ path: `/api/user/export/${exportId}` }],
  'POST /api/photos/known': ({ hash }) => [{ path: '/api/photos/known', json: { hashes: [hash] } }],
  'POST /api/photos/status': ({ owner }) => [
    { path: '/api/photos/status', json: { ids: [owner.privatePhoto.id, ...owner.publicPhotos] } },
  ],
  'POST /api/photos/count': () =>
    [{}, { q: 'Mallory', location: 'Mallory' }].map((filter) => ({ path: '/api/photos/count', json: { filter } })),
  'POST /api/photos/bulk': ({ owner }) =>
    [
      { action: 'delete' },
      { action: 'privacy', isPublic: true },
      { action: 'move' },
      { action: 'position', latitude: 0, longitude: 0 },
    ].flatMap((action) => [
      { path: '/api/photos/bulk', json: { ids: [owner.privatePhoto.id, ...owner.publicPhotos], ...action } },
      { path: '/api/photos/bulk', json: { filter: { from: owner.privateFolder.id }, ...action } },
    ]),

  'POST /api/photos/downloads': ({ owner }) => [
    { path: '/api/photos/downloads', json: { ids: [owner.privatePhoto.id, ...owner.publicPhotos], name: 'Mallory' } },
    ...[owner.privateFolder.id, owner.publicFolder.id].map((id) => ({
      path: '/api/photos/downloads',
      json: { filter: { folder: String(id) } },
    })),
  ],
  'POST /api/photos/downloads/:id/:size': ({ downloadId }) => [
    { path: `/api/photos/downloads/${downloadId}/original`, json: {} },
  ],
  'GET /api/photos/downloads/:id/:size': ({ downloadId }) => [{ path: `/api/photos/downloads/${downloadId}/original` }],

  'POST /api/upload-sessions': ({ owner, hash }) =>
    [owner.privateFolder.id, owner.publicFolder.id].map((folderId) => ({
      path: '/api/upload-sessions',
      json: {
        files: [{ name: 'a.jpg', size: 1000, sha256: hash, partBytes: 5_242_880, parts: [hash] }],
        folderId,
        description: 'Mallory',
      },
    })),
  'GET /api/upload-sessions/:id': ofUploadSession(''),
  'POST /api/upload-sessions/:id/urls': ofUploadSession('/urls', { parts: [1] }),
  'PUT /api/upload-sessions/:id/parts/:number': ({ uploadSession: { id, part } }) => [
    { path: `/api/upload-sessions/${id}/parts/1`, bytes: part },
  ],
  'POST /api/upload-sessions/:id/complete': ofUploadSession('/complete', { etags: { 1: 'mallory' } }),
  'DELETE /api/upload-sessions/:id': ofUploadSession(''),

  'GET /api/folders/:id': ofFolders(''),
  'PUT /api/folders/:id': ofFolders('', { name: 'Mallory was here', description: 'Mallory', isPublic: true }),
  'DELETE /api/folders/:id': ofFolders(''),
  'PATCH /api/folders/:id/toggle-public': ofFolders('/toggle-public', { isPublic: true }),
  'GET /api/folders/:id/voters': ofFolders('/voters'),
  'PATCH /api/folders/:id/voters': ofFolders('/voters', { excluded: true, flagged: true }),
  'PATCH /api/folders/:id/voters/:voter': (ids) => ofFolders(`/voters/${ids.voter}`, { excluded: true })(ids),
  'DELETE /api/folders/:id/votes': ofFolders('/votes'),
  'PATCH /api/folders/:id/voting': ofFolders('/voting', { open: false }),
  'GET /api/folders/:id/voting-log': ofFolders('/voting-log'),
  'POST /api/folders/:id/share-code': ofFolders('/share-code'),
  'GET /api/folders/:id/rankings.csv': ofFolders('/rankings.csv'),
  'GET /api/folders/:id/rankings': ({ owner }) => [
    { path: `/api/folders/${owner.privateFolder.id}/rankings` },
    { path: `/api/folders/${owner.publicFolder.id}/rankings` },
    { path: `/api/folders/${owner.privateFolder.id}/rankings?fingerprint=strangers-fingerprint` },
  ],
  'GET /api/share/:shareCode': ({ owner }) => [{ path: `/api/share/${owner.privateFolder.shareCode}` }],
  'GET /api/share/:shareCode/photos/:id': ({ owner }) => [
    { path: `/api/share/${owner.privateFolder.shareCode}/photos/${owner.privatePhoto.id}` },
    { path: `/api/share/${owner.publicFolder.shareCode}/photos/${owner.privatePhoto.id}` },
  ],
  'GET /api/folders/share/:shareCode': ({ owner }) => [{ path: `/api/folders/share/${owner.privateFolder.shareCode}` }],
  'GET /api/folders/share/:shareCode/photos': ({ owner }) => [
    { path: `/api/folders/share/${owner.privateFolder.shareCode}/photos` },
  ],
  'POST /api/photos/:id/rank': ({ owner }) =>
    [owner.privateFolder.id, owner.publicFolder.id].map((folderId) => ({
      path: `/api/photos/${owner.privatePhoto.id}/rank`,
      json: {
        rank: 'first',
        folderId,
        fingerprint: 'strangers-fingerprint',
        shareCode: 'Mallory',
        voterToken: 'Mallory',
      },
    })),

  'POST /api/walgreens/prepare-images': ({ owner }) => [
    { path: '/api/walgreens/prepare-images', json: { images: [{ photoId: owner.privatePhoto.id }] } },
  ],
  'GET /api/walgreens/orders/:id': ({ orderId }) => [{ path: `/api/walgreens/orders/${orderId}` }],
  'POST /api/walgreens/orders/:id/resolve': ({ orderId }) => [
    { path: `/api/walgreens/orders/${orderId}/resolve`, json: { placed: false } },
  ],
}

/** Routes whose responses may succeed although they name the owner's ids: they must contain and do nothing. */
export const LISTS = new Set([
  'POST /api/photos/known',
  'POST /api/photos/status',
  'POST /api/photos/count',
  'POST /api/photos/bulk',
  'POST /api/walgreens/prepare-images',
  'GET /api/photos/map/:z/:x/:y',
  'GET /api/photos/map/extent',
  'GET /api/photos/track',
  'DELETE /api/upload-sessions/:id',
])

const PRINTS = [{ productId: '6560001', qty: '1' }]
const CUSTOMER = { firstName: 'Mallory', lastName: 'Moore', email: 'mallory@example.com', phone: '2185550100' }
const PASSWORDS = { password: 'not the password 1', confirmPassword: 'not the password 1' }
const TOKEN = 'a-token-of-a-mail'

/**
 * Writes, and tiles of the base map, that name nothing of anybody: the session or the token says whose it is. The tests of their
 * services cover them. The JSON has every text that the route takes; null: it takes none.
 */
export const OWN_ONLY: Record<string, object | null> = {
  'POST /api/register': { username: 'mallory-moore', email: 'mallory@example.com', ...PASSWORDS },
  'POST /api/login': { username: 'mallory-moore', password: PASSWORDS.password },
  'POST /api/logout': null,
  'PUT /api/user': { firstName: 'Mallory', lastName: 'Moore', email: 'mallory@example.com' },
  'DELETE /api/user': { password: PASSWORDS.password },
  'POST /api/user/restore': null,
  'PUT /api/user/settings': { units: 'metric', sort: 'newest', view: 'grid' },
  'POST /api/user/password': {
    currentPassword: PASSWORDS.password,
    newPassword: 'another one 2',
    confirmPassword: 'another one 2',
  },
  'DELETE /api/user/sessions': null,
  'POST /api/user/email/confirmation': null,
  'POST /api/user/email/confirm': { token: TOKEN, password: PASSWORDS.password },
  'POST /api/user/email/revert': { token: TOKEN },
  'POST /api/user/confirm-password': { password: PASSWORDS.password },
  'POST /api/password-reset': { email: 'mallory@example.com' },
  'POST /api/password-reset/confirm': { token: TOKEN, ...PASSWORDS },
  'POST /api/upload-photo': null,
  'POST /api/upload-photos': null,
  'POST /api/walgreens/upload-image': null,
  'DELETE /api/photos/metadata': null,
  'POST /api/photos/geocode-update': null,
  'POST /api/geocode': { query: 'Duluth, MN' },
  'GET /api/map/base/:version/:z/:x/:y': null,
  'POST /api/user/export': null,
  'POST /api/folders': { name: 'Of Mallory', description: 'Of Mallory' },
  'POST /api/walgreens/products': { productGroupId: 'STDPR', act: 'a', appVer: '1', devInf: 'a' },
  'POST /api/walgreens/store-search': { latitude: '46.78', longitude: '-92.1', productDetails: PRINTS },
  'POST /api/walgreens/validate-coupon': { couponCode: 'MALLORY', productDetails: PRINTS },
  'POST /api/walgreens/v3/fetch-credentials': { act: 'a' },
  'POST /api/walgreens/product-details': { productGroupId: 'STDPR' },
  'POST /api/walgreens/validate-coupon-official': { couponCode: 'MALLORY', productDetails: PRINTS },
  'POST /api/walgreens/submit-order-official': { latitude: '46.78', longitude: '-92.1', productId: '6560001' },
  'POST /api/walgreens/submit-order': {
    ...CUSTOMER,
    storeNum: '1',
    promiseTime: 'Same Day',
    productDetails: [{ productId: '6560001', productPrice: '1', imageDetails: [{ photoId: 1, qty: '1' }] }],
    couponCode: 'MALLORY',
    subtotal: '1.00',
    orderTotal: '1.00',
    termsAccepted: true,
  },
  'POST /api/walgreens/refresh-order-status': null,
  'PUT /api/walgreens/customer': CUSTOMER,
  'DELETE /api/walgreens/customer': null,
  'POST /api/admin/environment': { environment: 'sandbox' },
}

/** Live events do not end. */
const STREAMS = new Set(['GET /api/events'])

/** What a stranger sends to a route; reads without parameters are sent as they are. Null: the list above does not know it. */
export function requestsTo(route: PublicRoute, ids: OwnersIds): StrangersRequest[] | null {
  const key = keyOf(route)
  const requests = STRANGERS_REQUESTS[key]
  if (requests) return requests(ids)
  if (STREAMS.has(key) || key in OWN_ONLY) return []
  return route.method === 'GET' && !route.path.includes(':') ? [{ path: route.path }] : null
}

/** Whether the lists above say what a stranger would send to the route. */
export function isCovered(route: PublicRoute): boolean {
  const key = keyOf(route)
  const readsOwn = route.method === 'GET' && !route.path.includes(':')
  return key in STRANGERS_REQUESTS || key in OWN_ONLY || readsOwn
}
