import Fastify, { type FastifyInstance } from 'fastify'
import { type Answer, distort, errorAnswer, htmlAnswer, jsonAnswer } from './answers.ts'
import type { Handler } from './calls/call.ts'
import { checkCoupon } from './calls/coupon.ts'
import { fetchCredentials } from './calls/credentials.ts'
import { RequestFields } from './calls/fields.ts'
import { listProducts } from './calls/products.ts'
import { orderStatuses } from './calls/status.ts'
import { searchStores } from './calls/stores.ts'
import { submitOrder } from './calls/submit.ts'
import { type Exchange, sendAnswer, serve } from './exchange.ts'
import { BusinessError, simulatedError } from './state/business-error.ts'
import type { Route } from './state/faults.ts'
import type { Profile } from './state/profile.ts'
import type { SandboxState } from './state/state.ts'
import { addUploadRoutes } from './upload.ts'

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
    if (request.headers.origin !== undefined) return sendAnswer(reply, htmlAnswer(403))
  })
  app.setNotFoundHandler((_request, reply) => sendAnswer(reply, htmlAnswer(404)))
  app.setErrorHandler((error: { statusCode?: number }, request, reply) => {
    if (!error.statusCode || error.statusCode >= 500) console.error(request.method, request.url.split('?')[0], error)
    return sendAnswer(reply, htmlAnswer(error.statusCode ?? 500))
  })
  for (const operation of OPERATIONS) {
    const execute = (exchange: Exchange) => runOperation(operation, exchange)
    app.post(operation.path, (request, reply) => serve(state, operation.route, { request, reply }, execute))
  }
  addUploadRoutes(app, state)
  return app
}

async function runOperation({ route, act, run }: Operation, exchange: Exchange): Promise<Answer> {
  const { state, request, faults, profile, affId, body, warnings } = exchange
  if (!state.limits.admit(state.profiles.get(affId) ? affId : '', route, profile)) return overLimit(exchange)
  try {
    if (!body) throw simulatedError('notJson', 'the body must be a JSON object')
    const fields = new RequestFields(body, warnings)
    const known = state.profiles.authenticate(fields.text('affId'), fields.text('apiKey'))
    checkAct(fields, act)
    const origin = `${request.protocol}://${request.host}`
    const call = { state, request: fields, affId, profile: known, faults, now: state.clock.now(), origin }
    return jsonAnswer(distort(await run(call), known, faults, state.random))
  } catch (error) {
    if (error instanceof BusinessError) return errorAnswer(error, route, profile)
    throw error
  }
}

/** @throws BusinessError */
function checkAct(request: RequestFields, act: string | null): void {
  const [name, expected] = act ? ['act', act] : ['transaction', 'photocheckoutv2']
  if (request.text(name) !== expected) throw simulatedError('wrongAct', `${name} must be ${expected}`)
}

function overLimit({ state, route, profile }: Exchange): Answer {
  state.log.countLimited()
  const error = simulatedError('overLimit', 'too many requests', 429)
  if (profile.overLimit === 'html-503') return htmlAnswer(503)
  if (profile.overLimit === 'error-code') return errorAnswer(error, route, profile)
  const inHttp: Profile = { ...profile, errorStyle: 'http-4xx' }
  return { ...errorAnswer(error, route, inHttp), headers: { 'retry-after': '10' } }
}
