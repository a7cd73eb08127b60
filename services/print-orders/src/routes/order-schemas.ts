import { errorFieldResponses, Nullable } from '@skyfolio/kit'
import { Type } from 'typebox'
import { OrderBody, OrderWithHistoryBody } from '../orders/order-body.ts'
import { IdParams } from './schemas.ts'

const exact = { additionalProperties: false }

export const LIST_ORDERS = {
  summary: "Lists the user's orders, newest first",
  description:
    'In pages with a `Link` to the next one where the query has a `limit`. `X-Total-Count` is the number of all.',
  querystring: Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, description: 'Orders per page; all if absent' })),
    cursor: Type.Optional(Type.String({ maxLength: 100, description: 'From the Link header of the previous page' })),
  }),
  response: { 200: Type.Array(OrderBody), ...errorFieldResponses },
}

export const GET_ORDER = {
  summary: 'Returns an order with its history',
  params: IdParams,
  response: { 200: OrderWithHistoryBody, ...errorFieldResponses },
}

export const REFRESH_ORDERS = {
  summary: 'Makes the open orders of the user due for a check of their status; does not wait for it',
  body: Nullable(Type.Object({}, exact)),
  response: { 202: Type.Object({ queued: Type.Integer() }), ...errorFieldResponses },
}

export const RESOLVE_ORDER = {
  summary: 'Decides an order whose outcome is unknown',
  params: IdParams,
  body: Type.Object(
    {
      vendorOrderId: Type.Optional(
        Type.Union([Type.String({ maxLength: 64, pattern: '^[ -~]*$' }), Type.Integer({ minimum: 1 })], {
          description: "It was placed: the partner's number",
        }),
      ),
      placed: Type.Optional(Type.Boolean({ description: 'false: it was not placed' })),
    },
    exact,
  ),
  response: { 200: OrderWithHistoryBody, ...errorFieldResponses },
}

export const LIST_UNRESOLVED = {
  summary: 'Lists the orders of all users whose outcome is unknown, oldest first, at most 500',
  response: { 200: Type.Array(OrderBody), ...errorFieldResponses },
}
