import { statusText } from '../orders/order.ts'
import { SIMULATED, simulatedError } from '../state/business-error.ts'
import { type Call, COMMON_FIELDS, SUCCESS } from './call.ts'
import type { Fields } from './fields.ts'

/** `/api/photo/order/status/v3`: the status of a batch of orders. */
export function orderStatuses(call: Call): Fields {
  const { request, profile, faults } = call
  request.expectOnly(...COMMON_FIELDS, 'orders')
  const ids = request.list('orders').map(String)
  if (ids.length > profile.idsPerStatusCall && profile.idsOverLimit === 'error') {
    throw simulatedError('tooManyIds', `a call takes at most ${profile.idsPerStatusCall} orders`)
  }
  const missing = faults.get('missing-ids')
  const skipped = missing ? (missing.count ?? Math.ceil(ids.length / 2)) : 0
  const statuses = ids.slice(0, profile.idsPerStatusCall).slice(skipped)
  return { ...SUCCESS, statuses: statuses.map((id) => describe(call, id)) }
}

function describe({ state, affId, profile, faults }: Call, orderId: string): Fields {
  const order = state.orders.get(orderId)
  if (order?.affId !== affId) return { valid: 'false', code: SIMULATED.unknownOrder, orderId, orderStatus: '' }
  const strange = faults.get('unknown-status')
  const orderStatus = strange ? (strange.text ?? 'Awaiting Lab Review') : statusText(order, profile)
  return { valid: 'true', code: '', orderId, orderStatus }
}
