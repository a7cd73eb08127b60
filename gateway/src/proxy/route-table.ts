export type ServiceName = 'auth' | 'media' | 'folders' | 'print-orders'

/** A service's route that the gateway exposes. */
export interface ProxiedRoute {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The full pattern, in Fastify's notation. */
  path: string
  service: ServiceName
  /** Kind of body, which determines its maximum size; JSON by default. */
  body?: 'json' | 'upload' | 'vote'
  /** A hot path: successful requests are sampled in logs and traces. */
  quiet?: true
  /** Waiting requests are sent to the service in one request batch; the service declares it with `batchRoute`. */
  batch?: true
  /** While sessions cannot be read, everybody is treated as a visitor instead of getting 503. */
  allowsVisitors?: true
}

/** All routes of services that the gateway exposes. A test compares them with the services' OpenAPI documents. */
export const PROXIED_ROUTES: ProxiedRoute[] = [
  { method: 'POST', path: '/api/register', service: 'auth' },
  { method: 'POST', path: '/api/login', service: 'auth' },
  { method: 'POST', path: '/api/logout', service: 'auth' },
  { method: 'GET', path: '/api/user', service: 'auth' },
  { method: 'PUT', path: '/api/user', service: 'auth' },
  { method: 'GET', path: '/api/user/statistics', service: 'auth' },
  { method: 'GET', path: '/api/user/settings', service: 'auth' },
  { method: 'PUT', path: '/api/user/settings', service: 'auth' },
  { method: 'POST', path: '/api/user/password', service: 'auth' },
  { method: 'GET', path: '/api/user/sessions', service: 'auth' },
  { method: 'DELETE', path: '/api/user/sessions', service: 'auth' },
  { method: 'DELETE', path: '/api/user/sessions/:id', service: 'auth' },
  { method: 'POST', path: '/api/user/email/confirmation', service: 'auth' },
  { method: 'POST', path: '/api/user/email/confirm', service: 'auth' },
  { method: 'POST', path: '/api/user/email/revert', service: 'auth' },
  { method: 'POST', path: '/api/password-reset', service: 'auth' },
  { method: 'POST', path: '/api/password-reset/confirm', service: 'auth' },

  { method: 'POST', path: '/api/upload-photo', service: 'media', body: 'upload' },
  { method: 'POST', path: '/api/upload-photos', service: 'media', body: 'upload' },
  { method: 'POST', path: '/api/walgreens/upload-image', service: 'media', body: 'upload' },
  { method: 'GET', path: '/api/photos', service: 'media' },
  { method: 'GET', path: '/api/photos/places', service: 'media' },
  { method: 'GET', path: '/api/photos/storage', service: 'media' },
  { method: 'GET', path: '/api/photos/metadata', service: 'media' },
  { method: 'GET', path: '/api/photos/metadata/:id', service: 'media' },
  { method: 'DELETE', path: '/api/photos/metadata', service: 'media' },
  { method: 'GET', path: '/api/folders/:id/photos', service: 'media' },
  { method: 'POST', path: '/api/photos/known', service: 'media' },
  { method: 'POST', path: '/api/photos/status', service: 'media' },
  { method: 'POST', path: '/api/photos/count', service: 'media' },
  { method: 'POST', path: '/api/photos/bulk', service: 'media' },
  { method: 'PATCH', path: '/api/photos/:id/folder', service: 'media' },
  { method: 'PATCH', path: '/api/photos/:id/privacy', service: 'media' },
  { method: 'POST', path: '/api/photos/:id/reprocess', service: 'media' },
  { method: 'PATCH', path: '/api/photos/:id', service: 'media' },
  { method: 'POST', path: '/api/photos/geocode-update', service: 'media' },
  { method: 'POST', path: '/api/geocode', service: 'media' },
  { method: 'DELETE', path: '/api/photos/:id', service: 'media' },
  { method: 'GET', path: '/api/photos/:id/image', service: 'media', allowsVisitors: true },
  { method: 'GET', path: '/api/uploads/:filename', service: 'media', allowsVisitors: true },

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
  { method: 'GET', path: '/api/admin/environment', service: 'print-orders' },
  { method: 'POST', path: '/api/admin/environment', service: 'print-orders' },
]
