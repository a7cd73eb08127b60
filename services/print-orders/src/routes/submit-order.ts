import { type App, errorFieldResponses, requireUser } from '@skyfolio/kit'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { Submitter } from '../orders/submit-order.ts'
import { SubmitBody } from '../orders/submit-request.ts'
import type { RequestOf } from './schemas.ts'

export interface SubmitRouteDeps {
  submitter: Submitter
}

const Figures = Type.Object({
  subtotalAmount: Type.String(),
  discountAmount: Type.String(),
  totalAmount: Type.String(),
  promiseTime: Type.String(),
})
const Environment = Type.Union([Type.Literal('sandbox'), Type.Literal('production')], {
  description: 'In the sandbox nothing is printed',
})
const Submitted = Type.Object({
  orderId: Type.Integer(),
  vendorOrderId: Type.String(),
  orderStatus: Type.Literal('submitted'),
  environment: Environment,
  ...Figures.properties,
})
const Unknown = Type.Object({
  orderId: Type.Integer(),
  vendorOrderId: Type.Null(),
  orderStatus: Type.Literal('unknown'),
  environment: Environment,
  message: Type.String(),
})
const Conflict = Type.Object({
  ...errorFieldResponses['4xx'].properties,
  current: Type.Optional(Type.Object(Figures.properties, { description: 'With `order_changed`: what holds now' })),
})

const KEY = 'An Idempotency-Key has 8 to 128 characters.'

const SUBMIT_ORDER = {
  summary: 'Orders prints, once for each Idempotency-Key and once for identical orders in progress',
  headers: Type.Object({
    'idempotency-key': Type.Optional(
      Type.String({ minLength: 8, maxLength: 128, pattern: '^[\\x21-\\x7e]+$', 'x-message': KEY }),
    ),
  }),
  body: SubmitBody,
  response: { 200: Submitted, 201: Submitted, 202: Unknown, 409: Conflict, ...errorFieldResponses },
}

export function submitRoutes(app: App, deps: SubmitRouteDeps): void {
  const config = { access: 'user' } as const
  app.post('/api/walgreens/submit-order', { config, schema: SUBMIT_ORDER }, (request, reply) =>
    submit(deps, request, reply),
  )
}

async function submit({ submitter }: SubmitRouteDeps, request: RequestOf<typeof SUBMIT_ORDER>, reply: FastifyReply) {
  const { status, body } = await submitter.submit({
    userId: requireUser(request).userId,
    idempotencyKey: request.headers['idempotency-key'] ?? null,
    body: request.body,
  })
  if (status === 409) Object.assign(reply.request, { errorCode: body.code })
  return reply.code(status).send(body)
}
