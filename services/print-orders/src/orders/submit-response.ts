import { AppError, conflict } from '@skyfolio/kit'
import { type Static, Type } from 'typebox'
import type { Order } from '../generated/client.ts'
import { type CurrentFigures, FiguresBody, figuresOf } from './figures.ts'

export const CHECKING = 'We are checking with the store. Do not order again yet.'
const UNRESOLVED = `You have already ordered the same prints, and the store has not confirmed that order yet. ${CHECKING}`
const OTHER_BODY = 'This order was already sent with other contents. Please start a new order.'
const NOT_PLACED = 'This order did not reach the store. Please order again.'
const REJECTED = 'The store did not accept the order.'
const UNREACHABLE = 'The store cannot be reached at the moment, and nothing was ordered. Please try again.'

const Environment = Type.Union([Type.Literal('sandbox'), Type.Literal('production')], {
  description: 'In the sandbox nothing is printed',
})
export const SubmittedBody = Type.Object({
  orderId: Type.Integer(),
  vendorOrderId: Type.String(),
  orderStatus: Type.Literal('submitted'),
  environment: Environment,
  ...FiguresBody.properties,
})
export const UnknownBody = Type.Object({
  orderId: Type.Integer(),
  vendorOrderId: Type.Null(),
  orderStatus: Type.Literal('unknown'),
  environment: Environment,
  message: Type.String(),
})

export type SubmitResponse =
  | { status: 200 | 201; body: Static<typeof SubmittedBody> }
  | { status: 202; body: Static<typeof UnknownBody> }
  | { status: 409; body: { code: 'order_changed'; message: string; error: string; current: CurrentFigures } }

/**
 * What the customer gets of an order, now and whenever the request is repeated.
 * @throws AppError 422 for an order that the partner rejected, 409 for one that it does not have
 */
export function responseTo(order: Order, isNew: boolean): SubmitResponse {
  const { id, vendorOrderId, orderStatus, rejection } = order
  const environment = order.environment as Static<typeof Environment>
  if (vendorOrderId !== null) {
    const placed = { orderId: id, vendorOrderId, orderStatus: 'submitted' as const, environment }
    return { status: isNew ? 201 : 200, body: { ...placed, ...figuresOf(order) } }
  }
  if (orderStatus === 'rejected') throw rejected(rejection ?? REJECTED)
  if (orderStatus === 'cancelled') throw conflict(NOT_PLACED, 'order_not_placed')
  const body = { orderId: id, vendorOrderId: null, orderStatus: 'unknown' as const, environment, message: CHECKING }
  return { status: 202, body }
}

/** 422: the partner does not take the order. */
export function rejected(message: string): AppError {
  return new AppError(422, 'partner_refused', message)
}

/** 502: nothing was sent to the partner. */
export function notSent(retryAfterMs?: number): AppError {
  const retryAfter = Math.max(1, Math.ceil((retryAfterMs ?? 2_000) / 1000))
  return new AppError(502, 'partner_failed', UNREACHABLE, { retryAfter })
}

/** 409: the key belongs to an order with other contents. */
export const otherBody = () => conflict(OTHER_BODY, 'idempotency_conflict')

/** 409: an identical order may exist. */
export const unresolved = () => conflict(UNRESOLVED, 'order_unresolved')

/** 409 with the figures that hold now. */
export function changed(message: string, current: CurrentFigures): SubmitResponse {
  return { status: 409, body: { code: 'order_changed', message, error: message, current } }
}
