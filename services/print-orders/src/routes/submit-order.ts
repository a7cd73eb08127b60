import { type App, errorFieldResponses, requireUser } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { PrintOrdersDeps } from '../deps.ts'
import { CurrentBody } from '../orders/figures.ts'
import { SubmitBody } from '../orders/submit-request.ts'
import { SubmittedBody, UnknownBody } from '../orders/submit-response.ts'

const Conflict = Type.Object({
  ...errorFieldResponses['4xx'].properties,
  current: Type.Optional(Type.Object(CurrentBody.properties, { description: 'With `order_changed`: what holds now' })),
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
  response: { 200: SubmittedBody, 201: SubmittedBody, 202: UnknownBody, 409: Conflict, ...errorFieldResponses },
}

export function submitRoutes(app: App, { submitter }: PrintOrdersDeps): void {
  const config = { access: 'user' } as const
  app.post('/api/walgreens/submit-order', { config, schema: SUBMIT_ORDER }, async (request, reply) => {
    const { status, body } = await submitter.submit({
      userId: requireUser(request).userId,
      idempotencyKey: request.headers['idempotency-key'] ?? null,
      body: request.body,
    })
    if (status === 409) Object.assign(reply.request, { errorCode: body.code })
    return reply.code(status).send(body)
  })
}
