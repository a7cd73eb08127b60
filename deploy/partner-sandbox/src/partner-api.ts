import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import {
  checkCoupon,
  fetchCredentials,
  type Handler,
  listProducts,
  orderStatuses,
  searchStores,
} from './calls/calls.ts'
import { RequestFields } from './calls/request-fields.ts'
import { submitOrder } from './calls/submit.ts'
import { type Exchange, sendResponse, serve } from './exchange.ts'
import { CONTAINER } from './orders/blobs.ts'
import { distort, errorResponse, htmlResponse, jsonResponse, type PartnerResponse } from './responses.ts'
import { BusinessError, simulatedError } from './state/errors.ts'
import type { Route } from './state/faults.ts'
import type { SandboxState } from './state/state.ts'

interface Operation {
  route: Route
  path: string
  /** What the request's `act` must be; credentials have a `transaction` instead. */
  act: string | null
  run: Handler
}

const OPERATIONS: Operation[] = [
  { route: 'creds', path: '/api/photo/creds/v3', act: null, run: fetchCredentials },
  { route: 'products', path: '/api/photo/products/v3', act: 'getphotoprods', run: listProducts },
  { route: 'stores', path: '/api/photo/store/v3', act: 'photoStores', run: searchStores },
  { route: 'coupon', path: '/api/photo/order/coupon/v3', act: 'getdiscount', run: checkCoupon },
  { route: 'submit', path: '/api/photo/order/submit/v3', act: 'submitphotoorder', run: submitOrder },
  { route: 'status', path: '/api/photo/order/status/v3', act: 'orderstatus', run: orderStatuses },
]

const MAX_BODY_BYTES = 2 * 1024 * 1024
const MAX_IMAGE_BYTES = 32 * 1024 * 1024

/** The partner's public API. */
export function buildPartnerApi(state: SandboxState): FastifyInstance {
  const app = Fastify({ bodyLimit: MAX_BODY_BYTES })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  // Programs send no Origin: a page in somebody's browser must not place orders here.
  app.addHook('onRequest', async (request, reply) => {
    if (request.headers.origin !== undefined) return sendResponse(reply, htmlResponse(403))
  })
  app.setNotFoundHandler((_request, reply) => sendResponse(reply, htmlResponse(404)))
  app.setErrorHandler((error: { statusCode?: number }, request, reply) => {
    if (!error.statusCode || error.statusCode >= 500) console.error(request.method, request.url.split('?')[0], error)
    return sendResponse(reply, htmlResponse(error.statusCode ?? 500))
  })
  for (const operation of OPERATIONS) {
    const execute = (exchange: Exchange) => runOperation(operation, exchange)
    app.post(operation.path, (request, reply) => serve(state, operation.route, { request, reply }, execute))
  }
  // The container for uploads, which cannot be read back.
  const blob = `/${CONTAINER}/:name`
  app.get(blob, (_request, reply) => sendResponse(reply, storageError(403, 'AuthorizationPermissionMismatch')))
  app.put(blob, { bodyLimit: MAX_IMAGE_BYTES }, (request, reply) => serve(state, 'upload', { request, reply }, upload))
  return app
}

async function runOperation({ route, act, run }: Operation, exchange: Exchange): Promise<PartnerResponse> {
  const { state, request, faults, body } = exchange
  const { profile } = state
  if (!state.limits.admit(route, profile)) return overLimit(exchange)
  try {
    if (!body) throw simulatedError('9001', 'the body must be a JSON object')
    const fields = new RequestFields(body)
    state.authenticate(fields.text('affId'), fields.text('apiKey'))
    checkAct(fields, act)
    const origin = `${request.protocol}://${request.host}`
    const call = { state, request: fields, profile, faults, now: state.clock.now(), origin }
    return jsonResponse(distort(await run(call), profile, faults, state.random))
  } catch (error) {
    if (error instanceof BusinessError) return errorResponse(error, route, profile)
    throw error
  }
}

/** @throws BusinessError */
function checkAct(request: RequestFields, act: string | null): void {
  const [name, expected] = act ? ['act', act] : ['transaction', 'photocheckoutv2']
  if (request.text(name) !== expected) throw simulatedError('9002', `${name} must be ${expected}`)
}

function overLimit({ state, route }: Exchange): PartnerResponse {
  const { profile } = state
  state.log.countLimited()
  const error = simulatedError('9429', 'too many requests', 429)
  if (profile.overLimit === 'html-503') return htmlResponse(503)
  if (profile.overLimit === 'error-code') return errorResponse(error, route, profile)
  return { ...errorResponse(error, route, { ...profile, errorStyle: 'http-4xx' }), headers: { 'retry-after': '10' } }
}

/** `PUT /qpcontainerin/Image-{affId}-{uuid}.jpg?{signature}` */
async function upload({ state, request }: Exchange): Promise<PartnerResponse> {
  const { name } = request.params as { name: string }
  const rejection = state.blobs.rejection(request.query as Record<string, string>, state.clock.now())
  if (rejection) return storageError(403, 'AuthenticationFailed', rejection)
  if (!/^Image-[\w.-]{1,150}\.jpg$/.test(name)) return storageError(400, 'InvalidUri')
  const missing = missingHeader(request)
  if (missing) return storageError(400, 'MissingRequiredHeader', missing)
  if (!(request.body instanceof Buffer)) return storageError(411, 'MissingContentLengthHeader')
  state.blobs.put(name, request.body)
  return { status: 201, type: 'application/xml', body: '' }
}

function missingHeader({ headers }: FastifyRequest): string | undefined {
  if (headers['x-ms-blob-type'] !== 'BlockBlob') return 'x-ms-blob-type'
  return ['content-type', 'content-length', 'x-ms-client-request-id'].find((name) => !headers[name])
}

function storageError(status: number, code: string, message = code): PartnerResponse {
  const body = `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`
  return { status, type: 'application/xml', body }
}
