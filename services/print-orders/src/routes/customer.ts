import { type App, errorFieldResponses, Nullable, requireUser } from '@skyfolio/kit'
import { Type } from 'typebox'
import { forget, readRemembered, remember } from '../customers/customer.ts'
import type { PrintOrdersDeps } from '../deps.ts'

const Customer = Type.Object({
  firstName: Type.String(),
  lastName: Type.String(),
  email: Type.String(),
  phone: Type.String({ description: 'Digits only' }),
})
const CustomerBody = Type.Object({ customer: Nullable(Customer) })

const text = (maxLength: number) => Type.Optional(Nullable(Type.String({ maxLength })))
const GET_CUSTOMER = {
  summary: "Returns the details that are remembered at the user's request",
  response: { 200: CustomerBody, ...errorFieldResponses },
}
const PUT_CUSTOMER = {
  summary: 'Remembers the details of the user for the next order; all four are required',
  body: Type.Object(
    { firstName: text(200), lastName: text(200), email: text(300), phone: text(60) },
    { additionalProperties: false },
  ),
  response: { 200: CustomerBody, ...errorFieldResponses },
}
const DELETE_CUSTOMER = { summary: 'Forgets these details', response: { 204: Type.Null(), ...errorFieldResponses } }

const PATH = '/api/walgreens/customer'

export function customerRoutes(app: App, { db }: PrintOrdersDeps): void {
  const config = { access: 'user' } as const
  app.get(PATH, { config, schema: GET_CUSTOMER }, async (request, reply) => {
    reply.header('cache-control', 'private, no-store')
    return { customer: await readRemembered(db, requireUser(request).userId) }
  })
  app.put(PATH, { config, schema: PUT_CUSTOMER }, async (request) => ({
    customer: await remember(db, requireUser(request).userId, request.body),
  }))
  app.delete(PATH, { config, schema: DELETE_CUSTOMER }, async (request, reply) => {
    await forget(db, requireUser(request).userId)
    return reply.code(204).send(null)
  })
}
