import type { Intention } from './order-load.ts'
import type { OrderRow, SandboxOrder } from './order-records.ts'

/** An order in a list of the API. */
export interface ListedOrder {
  id: number
  orderStatus: string
}

/** Whether customers see an order. */
export const isListed = ({ status }: OrderRow) => status !== 'claimed' && status !== 'rejected'

/** Each order at the partner has exactly one row, and each number in a row is one of the partner's. */
export function compareWithPartner(orders: SandboxOrder[], rows: OrderRow[]): string[] {
  const numbers = rows.flatMap(({ vendorOrderId }) => vendorOrderId ?? [])
  const stored = new Set(numbers)
  const atPartner = new Set(orders.map(({ vendorOrderId }) => vendorOrderId))
  const lost = [...atPartner].filter((number) => !stored.has(number))
  const invented = numbers.filter((number) => !atPartner.has(number))
  const twice = numbers.filter((number, index) => numbers.indexOf(number) !== index)
  return [
    ...lost.map((number) => `no row has the partner's order ${number}`),
    ...invented.map((number) => `a row has the number ${number}, which the partner does not have`),
    ...twice.map((number) => `the number ${number} is stored twice`),
  ]
}

/** Finds intentions of which more orders came than there may be. */
export function findDuplicates(intentions: Intention[], orders: SandboxOrder[]): string[] {
  const byEmail = Map.groupBy(orders, ({ customer }) => customer.email)
  return intentions.flatMap(({ id, email, keys, mostOrders }) => {
    const placed = byEmail.get(email) ?? []
    if (placed.length <= mostOrders) return []
    const ids = placed.map(({ vendorOrderId }) => vendorOrderId).join(', ')
    return [`intention ${id} (keys ${keys.join(', ')}) was ordered ${placed.length} times: ${ids}`]
  })
}

/** Compares what customers were told with the rows. */
export function checkAnswers(intentions: Intention[], rows: OrderRow[]): string[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const byKey = new Map(rows.map((row) => [`${row.userId} ${row.key}`, row]))
  const isTrue = (userId: number, { key, outcome, orderId, vendorOrderId }: Intention['answers'][number]) => {
    const row = orderId === null ? byKey.get(`${userId} ${key}`) : byId.get(orderId)
    // An identical order that was sent under another key may be the one.
    if (outcome === 'accepted') return row?.vendorOrderId === vendorOrderId
    if (outcome === 'unknown') return orderId === null || (row !== undefined && isListed(row))
    return outcome !== 'refused' || !row || row.status === 'rejected'
  }
  return intentions.flatMap(({ id, userId, answers }) => {
    const wrong = answers.filter((answer) => !isTrue(userId, answer))
    const accepted = Map.groupBy(
      answers.filter(({ outcome }) => outcome === 'accepted'),
      ({ key }) => key,
    )
    const several = [...accepted].filter(([, some]) => new Set(some.map(({ orderId }) => orderId)).size > 1)
    return [
      ...wrong.map((answer) => `intention ${id} was answered ${JSON.stringify(answer)}, which is not what is stored`),
      ...several.map(([key]) => `intention ${id} has several orders under ${key}`),
    ]
  })
}

/** Compares a user's list of orders with the rows that it should have. */
export function compareList(name: string, listed: ListedOrder[], rows: OrderRow[]): string[] {
  const describe = (some: { id: number; status: string }[]) => some.map(({ id, status }) => `${id} ${status}`).sort()
  const shown = describe(listed.map(({ id, orderStatus }) => ({ id, status: orderStatus })))
  const stored = describe(rows)
  return shown.join() === stored.join() ? [] : [`${name} sees the orders ${shown} instead of ${stored}`]
}

const STATUS_OF_STAGE: Record<string, string> = {
  submitting: 'submitted',
  downloading: 'processing',
  ready: 'ready',
  sold: 'picked_up',
  cancelled: 'cancelled',
}

/** Orders whose status is not that of the partner. */
export function findStaleStatuses(orders: SandboxOrder[], rows: OrderRow[]): string[] {
  const stages = new Map(orders.map(({ vendorOrderId, stage }) => [vendorOrderId, stage]))
  return rows.flatMap(({ id, status, vendorOrderId }) => {
    const stage = vendorOrderId === null ? undefined : stages.get(vendorOrderId)
    return stage && STATUS_OF_STAGE[stage] !== status ? [`order ${id} is ${status}, at the partner ${stage}`] : []
  })
}
