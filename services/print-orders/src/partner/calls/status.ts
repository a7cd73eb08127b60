import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Call } from '../call.ts'
import { Loose, Scalar, textOf } from '../fields.ts'
import type { StatusEntry } from '../types.ts'

const Response = Type.Object({ statuses: Type.Array(Type.Unknown()) })
const Entry = Type.Object({ orderId: Scalar, valid: Loose, code: Loose, orderStatus: Loose })
const INVALID = /^(false|no?|0)$/i

export function statusCall(vendorOrderIds: string[]): Call<StatusEntry[]> {
  return {
    name: 'status',
    path: '/api/photo/order/status/v3',
    body: { act: 'orderstatus', orders: vendorOrderIds },
    read: readStatuses,
  }
}

/** Entries that name no order are left out. */
function readStatuses(response: unknown): StatusEntry[] | null {
  if (!Value.Check(Response, response)) return null
  return response.statuses.map(readEntry).filter((entry) => entry !== null)
}

function readEntry(entry: unknown): StatusEntry | null {
  if (!Value.Check(Entry, entry)) return null
  const vendorOrderId = textOf(entry.orderId)
  if (vendorOrderId === null) return null
  return {
    vendorOrderId,
    valid: !INVALID.test(textOf(entry.valid) ?? ''),
    code: textOf(entry.code),
    orderStatus: textOf(entry.orderStatus),
  }
}
