import Fastify, { type FastifyInstance } from 'fastify'
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
    return jsonResponse(distort(await run(call), profile, faults))
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
  const error = simulatedError('9429', 'too many requests')
  if (profile.overLimit === 'html-503') return htmlResponse(503)
  if (profile.overLimit === 'error-code') return errorResponse(error, route, profile)
  return { ...errorResponse(error, route, profile), status: 429, headers: { 'retry-after': '10' } }
}
