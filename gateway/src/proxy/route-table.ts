export type ServiceName = 'auth' | 'media' | 'folders' | 'print-orders'

/** A service's route that the gateway exposes. */
export interface ProxiedRoute {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The full pattern, in Fastify's notation. */
  path: string
  service: ServiceName
  /** Kind of body, which determines its maximum size; JSON by default. */
  body?: 'json' | 'upload' | 'part' | 'vote'
  /** A hot path: successful requests are sampled in logs and traces. */
  quiet?: true
  /** Waiting requests are sent to the service in one request batch; the service declares it with `batchRoute`. */
  batch?: true
  /** Counts against the rate limit of pictures. `memory`: the gateway responds with whole renditions itself. */
  picture?: 'memory' | 'streamed'
  /** Sends a file that is not a picture. */
  download?: true
  /** A picture of some KB from a file of the service itself, which takes no slot of downloads. */
  small?: true
  /** While sessions cannot be read, and for an account that is to be deleted, everybody is a visitor instead of an error. */
  allowsVisitors?: true
  /** Open to the session of an account that is to be deleted: what ends or revokes that, and what needs no session. */
  whileDeleting?: true
}

/** All routes of services that the gateway exposes. A test compares them with the services' OpenAPI documents. */
export const PROXIED_ROUTES: ProxiedRoute[] = [
  { method: 'POST', path: '/api/register', service: 'auth', whileDeleting: true },
  { method: 'POST', path: '/api/login', service: 'auth', whileDeleting: true },
  { method: 'POST', path: '/api/logout', service: 'auth', whileDeleting: true },
  { method: 'GET', path: '/api/user', service: 'auth', whileDeleting: true },
  { method: 'PUT', path: '/api/user', service: 'auth' },
  { method: 'DELETE', path: '/api/user', service: 'auth' },
  { method: 'POST', path: '/api/user/restore', service: 'auth', whileDeleting: true },
  { method: 'GET', path: '/api/user/statistics', service: 'auth' },
  { method: 'GET', path: '/api/user/settings', service: 'auth' },
  { method: 'PUT', path: '/api/user/settings', service: 'auth' },
  { method: 'POST', path: '/api/user/password', service: 'auth' },
  { method: 'GET', path: '/api/user/sessions', service: 'auth' },
  { method: 'DELETE', path: '/api/user/sessions', service: 'auth' },
  { method: 'DELETE', path: '/api/user/sessions/:id', service: 'auth' },
  { method: 'POST', path: '/api/user/email/confirmation', service: 'auth' },
  { method: 'POST', path: '/api/user/email/confirm', service: 'auth', whileDeleting: true },
  { method: 'POST', path: '/api/user/email/revert', service: 'auth', whileDeleting: true },
  { method: 'GET', path: '/api/admin/stats', service: 'auth' },
  { method: 'GET', path: '/api/admin/audit', service: 'auth' },
  { method: 'POST', path: '/api/user/confirm-password', service: 'auth' },
  { method: 'POST', path: '/api/password-reset', service: 'auth', whileDeleting: true },
  { method: 'POST', path: '/api/password-reset/confirm', service: 'auth', whileDeleting: true },
  { method: 'GET', path: '/api/admin/users', service: 'auth' },
  { method: 'GET', path: '/api/admin/users/:id', service: 'auth' },
  { method: 'PATCH', path: '/api/admin/users/:id', service: 'auth' },
  { method: 'POST', path: '/api/admin/users/:id/password-reset', service: 'auth' },

  { method: 'POST', path: '/api/upload-photo', service: 'media', body: 'upload' },
  { method: 'POST', path: '/api/upload-photos', service: 'media', body: 'upload' },
  { method: 'POST', path: '/api/upload-sessions', service: 'media' },
  { method: 'GET', path: '/api/upload-sessions', service: 'media' },
  { method: 'GET', path: '/api/upload-sessions/:id', service: 'media' },
  { method: 'POST', path: '/api/upload-sessions/:id/urls', service: 'media' },
  { method: 'PUT', path: '/api/upload-sessions/:id/parts/:number', service: 'media', body: 'part' },
  { method: 'POST', path: '/api/upload-sessions/:id/complete', service: 'media' },
  { method: 'DELETE', path: '/api/upload-sessions/:id', service: 'media' },
  { method: 'POST', path: '/api/walgreens/upload-image', service: 'media', body: 'upload' },
  { method: 'GET', path: '/api/photos', service: 'media' },
  { method: 'GET', path: '/api/photos/places', service: 'media' },
  { method: 'GET', path: '/api/photos/cameras', service: 'media' },
  { method: 'GET', path: '/api/photos/months', service: 'media' },
  { method: 'GET', path: '/api/photos/:id/index', service: 'media' },
  { method: 'GET', path: '/api/photos/track', service: 'media', download: true },
  { method: 'GET', path: '/api/flights', service: 'media' },
  { method: 'GET', path: '/api/flights/:id', service: 'media' },
  { method: 'GET', path: '/api/photos/map/extent', service: 'media' },
  { method: 'GET', path: '/api/photos/map/:z/:x/:y', service: 'media', quiet: true },
  { method: 'GET', path: '/api/photos/storage', service: 'media' },
  { method: 'GET', path: '/api/photos/metadata', service: 'media' },
  { method: 'GET', path: '/api/photos/metadata/:id', service: 'media' },
  { method: 'DELETE', path: '/api/photos/metadata', service: 'media' },
  { method: 'GET', path: '/api/folders/:id/photos', service: 'media' },
  { method: 'POST', path: '/api/photos/known', service: 'media' },
  { method: 'POST', path: '/api/photos/status', service: 'media' },
  { method: 'POST', path: '/api/photos/placed-before', service: 'media' },
  { method: 'POST', path: '/api/photos/count', service: 'media' },
  { method: 'POST', path: '/api/photos/bulk', service: 'media' },
  { method: 'PUT', path: '/api/photos/positions', service: 'media' },
  { method: 'POST', path: '/api/photos/downloads', service: 'media' },
  { method: 'POST', path: '/api/photos/downloads/:id/:size', service: 'media' },
  { method: 'GET', path: '/api/photos/downloads/:id/:size', service: 'media', download: true },
  { method: 'PATCH', path: '/api/photos/:id/folder', service: 'media' },
  { method: 'PATCH', path: '/api/photos/:id/privacy', service: 'media' },
  { method: 'POST', path: '/api/photos/:id/reprocess', service: 'media' },
  { method: 'PATCH', path: '/api/photos/:id', service: 'media' },
  { method: 'POST', path: '/api/photos/geocode-update', service: 'media' },
  { method: 'POST', path: '/api/geocode', service: 'media' },
  { method: 'DELETE', path: '/api/photos/:id', service: 'media' },
  { method: 'GET', path: '/api/photos/:id/image', service: 'media', picture: 'streamed', allowsVisitors: true },
  {
    method: 'GET',
    path: '/api/uploads/:filename',
    service: 'media',
    picture: 'memory',
    quiet: true,
    allowsVisitors: true,
  },
  {
    method: 'GET',
    path: '/api/map/base/:version/:z/:x/:y',
    service: 'media',
    picture: 'streamed',
    small: true,
    quiet: true,
    allowsVisitors: true,
  },
  { method: 'POST', path: '/api/user/export', service: 'media', whileDeleting: true },
  { method: 'GET', path: '/api/user/export', service: 'media', whileDeleting: true },
  { method: 'GET', path: '/api/user/export/:id', service: 'media', download: true, whileDeleting: true },

  { method: 'GET', path: '/api/folders', service: 'folders' },
  { method: 'POST', path: '/api/folders', service: 'folders' },
  { method: 'GET', path: '/api/folders/:id', service: 'folders' },
  { method: 'PUT', path: '/api/folders/:id', service: 'folders' },
  { method: 'DELETE', path: '/api/folders/:id', service: 'folders' },
  { method: 'PATCH', path: '/api/folders/:id/toggle-public', service: 'folders' },
  { method: 'GET', path: '/api/folders/:id/voters', service: 'folders' },
  { method: 'PATCH', path: '/api/folders/:id/voters', service: 'folders' },
  { method: 'PATCH', path: '/api/folders/:id/voters/:voter', service: 'folders' },
  { method: 'DELETE', path: '/api/folders/:id/votes', service: 'folders' },
  { method: 'PATCH', path: '/api/folders/:id/voting', service: 'folders' },
  { method: 'GET', path: '/api/folders/:id/voting-log', service: 'folders' },
  { method: 'POST', path: '/api/folders/:id/share-code', service: 'folders' },
  { method: 'GET', path: '/api/folders/:id/rankings.csv', service: 'folders' },
  { method: 'GET', path: '/api/folders/:id/rankings', service: 'folders', allowsVisitors: true },
  { method: 'GET', path: '/api/share/:shareCode', service: 'folders', batch: true, quiet: true, allowsVisitors: true },
  { method: 'GET', path: '/api/share/:shareCode/photos/:id', service: 'folders', quiet: true, allowsVisitors: true },
  { method: 'GET', path: '/api/share/:shareCode/cameras', service: 'folders', quiet: true, allowsVisitors: true },
  { method: 'GET', path: '/api/folders/share/:shareCode', service: 'folders', quiet: true, allowsVisitors: true },
  {
    method: 'GET',
    path: '/api/folders/share/:shareCode/photos',
    service: 'folders',
    quiet: true,
    allowsVisitors: true,
  },
  {
    method: 'POST',
    path: '/api/photos/:id/rank',
    service: 'folders',
    body: 'vote',
    batch: true,
    quiet: true,
    allowsVisitors: true,
  },

  { method: 'POST', path: '/api/walgreens/products', service: 'print-orders' },
  { method: 'POST', path: '/api/walgreens/store-search', service: 'print-orders' },
  { method: 'POST', path: '/api/walgreens/validate-coupon', service: 'print-orders' },
  { method: 'POST', path: '/api/walgreens/v3/fetch-credentials', service: 'print-orders' },
  { method: 'POST', path: '/api/walgreens/product-details', service: 'print-orders' },
  { method: 'POST', path: '/api/walgreens/validate-coupon-official', service: 'print-orders' },
  { method: 'POST', path: '/api/walgreens/submit-order-official', service: 'print-orders' },
  { method: 'POST', path: '/api/walgreens/prepare-images', service: 'print-orders' },
  { method: 'POST', path: '/api/walgreens/submit-order', service: 'print-orders' },
  { method: 'GET', path: '/api/walgreens/orders', service: 'print-orders' },
  { method: 'GET', path: '/api/walgreens/orders/:id', service: 'print-orders' },
  { method: 'POST', path: '/api/walgreens/orders/:id/resolve', service: 'print-orders' },
  { method: 'GET', path: '/api/walgreens/unresolved-orders', service: 'print-orders' },
  { method: 'POST', path: '/api/walgreens/refresh-order-status', service: 'print-orders' },
  { method: 'GET', path: '/api/walgreens/customer', service: 'print-orders' },
  { method: 'PUT', path: '/api/walgreens/customer', service: 'print-orders' },
  { method: 'DELETE', path: '/api/walgreens/customer', service: 'print-orders' },
  { method: 'DELETE', path: '/api/admin/users/:id', service: 'auth' },
  { method: 'POST', path: '/api/admin/users/:id/restore', service: 'auth' },
  { method: 'GET', path: '/api/admin/deletions', service: 'auth' },
  { method: 'GET', path: '/api/admin/failed-jobs', service: 'media' },
  { method: 'POST', path: '/api/admin/failed-jobs/:queue/:id/retry', service: 'media' },
  { method: 'GET', path: '/api/admin/environment', service: 'print-orders' },
  { method: 'POST', path: '/api/admin/environment', service: 'print-orders' },
]
