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
  /** The main link of the public folder. */
  linkId: number
  /** SHA-256 of a private original. */
  hash: string
  /** An open upload session, and its only part. */
  uploadSession: { id: string; part: Buffer }
}

export interface StrangersRequest {
  path: string
  json?: object | undefined
  bytes?: Buffer
}

type Values = (string | number)[][]

const privateCode = ({ owner }: OwnersIds) => [[owner.privateFolder.shareCode]]
const privatePhoto = ({ owner }: OwnersIds) => [[owner.privatePhoto.id]]
const photos = ({ owner }: OwnersIds) => [[owner.privatePhoto.id], [owner.publicPhotos[0] ?? 0]]

/** The owner's ids for the parameters of a path, in their order, by its beginning: the first that fits. */
export const PARAMETERS: [string, (ids: OwnersIds) => Values][] = [
  ['/api/user/sessions/', ({ sessionId }) => [[sessionId]]],
  ['/api/user/export/', ({ exportId }) => [[exportId]]],
  ['/api/admin/users/', ({ owner }) => [[owner.id]]],
  ['/api/admin/failed-jobs/', ({ owner }) => [['photos', `photo-${owner.privatePhoto.id}-0`]]],
  ['/api/uploads/', ({ owner: { privatePhoto: one } }) => [one.url, one.thumbnailUrl, one.previewUrl].map(nameOf)],
  ['/api/photos/metadata/', ({ metadataPhoto, owner }) => [[metadataPhoto], [owner.privatePhoto.id]]],
  ['/api/photos/downloads/', ({ downloadId }) => [[downloadId, 'original']]],
  ['/api/photos/map/', () => [[0, 0, 0]]],
  ['/api/photos/:id/image', privatePhoto],
  ['/api/photos/:id/rank', privatePhoto],
  ['/api/photos/:id', photos],
  // The id of any photo names its flight.
  ['/api/flights/', photos],
  ['/api/upload-sessions/', ({ uploadSession }) => [[uploadSession.id, 1]]],
  ['/api/folders/share/', privateCode],
  [
    '/api/share/:shareCode/photos/',
    ({ owner }) => [owner.privateFolder, owner.publicFolder].map(({ shareCode }) => [shareCode, owner.privatePhoto.id]),
  ],
  ['/api/share/', privateCode],
  [
    '/api/folders/:id/links/',
    ({ owner, linkId }) => [owner.privateFolder, owner.publicFolder].map(({ id }) => [id, linkId]),
  ],
  ['/api/folders/:id', ({ owner, voter }) => [owner.privateFolder, owner.publicFolder].map(({ id }) => [id, voter])],
  ['/api/walgreens/orders/', ({ orderId }) => [[orderId]]],
]

const nameOf = (url: string | null) => [url?.split('/').at(-1) ?? '']

/** Reads of the gallery, which the owner's folders and flights may filter. */
const GALLERY = ['/api/photos/map/:z/:x/:y', '/api/photos/map/extent', '/api/photos/track?format=gpx']

function queriesTo({ method, path }: PublicRoute, { owner }: OwnersIds): string[] {
  const read = GALLERY.find((one) => one.split('?')[0] === path)
  if (method !== 'GET' || !read) return ['']
  const filters = [
    `folder=${owner.privateFolder.id}`,
    `folder=${owner.publicFolder.id}`,
    `flight=${owner.privatePhoto.id}`,
  ]
  const [, query] = read.split('?')
  return ['', ...filters].map((filter) => `?${[query, filter].filter(Boolean).join('&')}`)
}

/** Writes that take no body. */
const NONE = () => [undefined]

const folderIds = ({ owner }: OwnersIds) => [owner.privateFolder.id, owner.publicFolder.id]
const photoIds = ({ owner }: OwnersIds) => [owner.privatePhoto.id, ...owner.publicPhotos]

/** Writes that name what belongs to somebody in their path or body: the bodies that a stranger sends to them. */
export const BODIES: Record<string, (ids: OwnersIds) => (object | undefined)[]> = {
  'PATCH /api/admin/users/:id': () => [{ firstName: 'Mallory', isAdmin: true }],
  'POST /api/admin/users/:id/password-reset': NONE,
  'POST /api/admin/users/:id/restore': NONE,
  'POST /api/admin/failed-jobs/:queue/:id/retry': NONE,

  'PATCH /api/photos/:id/folder': () => [{ folderId: null }],
  'PATCH /api/photos/:id/privacy': () => [{ isPublic: true }],
  'POST /api/photos/:id/reprocess': NONE,
  'PATCH /api/photos/:id': () => [
    { title: 'Mallory was here', description: 'Mallory', city: 'Mallory', state: 'Mallory' },
  ],
  'POST /api/photos/known': ({ hash }) => [{ hashes: [hash] }],
  'POST /api/photos/status': (ids) => [{ ids: photoIds(ids) }],
  'POST /api/photos/placed-before': (ids) => [{ ids: photoIds(ids) }],
  'POST /api/photos/count': () => [{ filter: {} }, { filter: { q: 'Mallory', location: 'Mallory' } }],
  'POST /api/photos/bulk': (ids) =>
    [
      { action: 'delete' },
      { action: 'privacy', isPublic: true },
      { action: 'move' },
      { action: 'position', latitude: 0, longitude: 0 },
    ].flatMap((action) => [
      { ids: photoIds(ids), ...action },
      { filter: { from: ids.owner.privateFolder.id }, ...action },
    ]),
  'PUT /api/photos/positions': (ids) => [
    { positions: photoIds(ids).map((id) => ({ id, position: { latitude: 0, longitude: 0 } })) },
  ],
  'POST /api/photos/downloads': (ids) => [
    { ids: photoIds(ids), name: 'Mallory' },
    ...folderIds(ids).map((id) => ({ filter: { folder: String(id) } })),
  ],
  'POST /api/photos/downloads/:id/:size': () => [{}],
  'POST /api/photos/:id/rank': (ids) =>
    folderIds(ids).map((folderId) => ({
      ...{ rank: 'first', folderId, fingerprint: 'strangers-fingerprint' },
      ...{ shareCode: 'Mallory', voterToken: 'Mallory' },
    })),

  'POST /api/upload-sessions': (ids) =>
    folderIds(ids).map((folderId) => ({
      files: [{ name: 'a.jpg', size: 1000, sha256: ids.hash, partBytes: 5_242_880, parts: [ids.hash] }],
      folderId,
      description: 'Mallory',
    })),
  'POST /api/upload-sessions/:id/urls': () => [{ parts: [1] }],
  'PUT /api/upload-sessions/:id/parts/:number': ({ uploadSession }) => [uploadSession.part],
  'POST /api/upload-sessions/:id/complete': () => [{}],

  'PUT /api/folders/:id': () => [{ name: 'Mallory was here', description: 'Mallory', isPublic: true }],
  'PUT /api/folders/:id/order': (ids) => [{ ids: [] }, { ids: photoIds(ids), before: null }],
  'PATCH /api/folders/:id/toggle-public': () => [{ isPublic: true }],
  'PATCH /api/folders/:id/voters': () => [{ excluded: true, flagged: true }],
  'PATCH /api/folders/:id/voters/:voter': () => [{ excluded: true }],
  'PATCH /api/folders/:id/voting': () => [{ open: false }],
  'POST /api/folders/:id/share-code': NONE,
  'POST /api/folders/:id/links': () => [{ name: 'Mallory', kind: 'view', password: 'of Mallory' }],
  'PATCH /api/folders/:id/links/:linkId': () => [{ name: 'Mallory', password: 'of Mallory', downloads: 'original' }],
  'PUT /api/folders/:id/contest': () => [{ closesAt: '2020-01-01T00:00:00Z' }, { resultsPublic: true, show: 'always' }],
  'POST /api/folders/:id/invitations': () => [{ names: ['Mallory'] }],
  'POST /api/share/:shareCode/invitation': () => [{ secret: 'of Mallory' }],
  'POST /api/share/:shareCode/unlock': () => [{ password: 'of Mallory' }],
  'POST /api/share/:shareCode/download': (ids) => [{}, { ids: photoIds(ids), size: 'original' }],

  'POST /api/walgreens/prepare-images': ({ owner }) => [{ images: [{ photoId: owner.privatePhoto.id }] }],
  'POST /api/walgreens/orders/:id/resolve': () => [{ placed: false }],
}

/** Routes whose responses may succeed although they name the owner's ids: they must contain and do nothing. */
export const LISTS = new Set([
  'POST /api/photos/known',
  'POST /api/photos/status',
  'POST /api/photos/placed-before',
  'POST /api/photos/count',
  'POST /api/photos/bulk',
  'PUT /api/photos/positions',
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

/** What a stranger sends to a route with the owner's ids; reads without parameters are sent as they are. */
export function requestsTo(route: PublicRoute, ids: OwnersIds): StrangersRequest[] {
  const key = keyOf(route)
  if (STREAMS.has(key) || key in OWN_ONLY) return []
  const bodies = BODIES[key]?.(ids) ?? [undefined]
  return valuesFor(route, ids).flatMap((values) => {
    const given = [...values]
    const path = route.path.replaceAll(/:\w+/g, () => String(given.shift()))
    return queriesTo(route, ids).flatMap((query) =>
      bodies.map((body) => ({ path: path + query, ...(Buffer.isBuffer(body) ? { bytes: body } : { json: body }) })),
    )
  })
}

const parametersOf = ({ path }: PublicRoute) => PARAMETERS.find(([beginning]) => path.startsWith(beginning))

function valuesFor(route: PublicRoute, ids: OwnersIds): Values {
  return route.path.includes(':') ? (parametersOf(route)?.[1](ids) ?? []) : [[]]
}

/** Whether the lists above say what a stranger would send to the route. */
export function isCovered(route: PublicRoute): boolean {
  const key = keyOf(route)
  if (key in OWN_ONLY) return true
  const hasBody = ['GET', 'DELETE'].includes(route.method) || key in BODIES
  return hasBody && (!route.path.includes(':') || parametersOf(route) !== undefined)
}
