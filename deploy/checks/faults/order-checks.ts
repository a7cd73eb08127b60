import type { OrderEvent, OrderRow } from './order-records.ts'
import type { Intention } from './order-report.ts'
import type { SandboxOrder } from './sandbox-control.ts'

/** An order in a list of the API. */
export interface ListedOrder {
  id: number
  orderStatus: string
}

const isListed = ({ status }: OrderRow) => status !== 'claimed' && status !== 'rejected'

/**
 * Compares the orders at the partner with the rows. An order without a row of its number must belong to a row that is
 * marked as unknown, of the same intention.
 */
export function compareWithPartner(orders: SandboxOrder[], rows: OrderRow[]): string[] {
  const atPartner = new Set(orders.map(({ vendorOrderId }) => vendorOrderId))
  const numbers = rows.flatMap(({ vendorOrderId }) => vendorOrderId ?? [])
  const stored = new Set(numbers)
  const invented = rows.filter(({ vendorOrderId }) => vendorOrderId !== null && !atPartner.has(vendorOrderId))
  const twice = numbers.filter((number, index) => numbers.indexOf(number) !== index)
  const unknown = Map.groupBy(
    rows.filter(({ status }) => status === 'unknown'),
    ({ email }) => email,
  )
  const withoutRow = Map.groupBy(
    orders.filter(({ vendorOrderId }) => !stored.has(vendorOrderId)),
    ({ customer }) => customer.email,
  )
  const lost = [...withoutRow].filter(([email, some]) => some.length > (unknown.get(email)?.length ?? 0))
  return [
    ...invented.map(
      ({ id, vendorOrderId }) => `order ${id} has the number ${vendorOrderId}, which the partner does not have`,
    ),
    ...twice.map((number) => `the number ${number} is stored twice`),
    ...lost.map(([email, some]) => {
      const ids = some.map(({ vendorOrderId }) => vendorOrderId).join(', ')
      return `${email}: the partner has ${ids}, and no row has the number or is marked as unknown`
    }),
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
  const wrong: string[] = []
  for (const { id, userId, answers } of intentions) {
    for (const { key, outcome, orderId, vendorOrderId, status } of answers) {
      const about = `intention ${id}, ${key}, answered with ${status}`
      const row = orderId === null ? byKey.get(`${userId} ${key}`) : byId.get(orderId)
      if (outcome === 'accepted') {
        if (!row) wrong.push(`${about}: order ${orderId} does not exist`)
        else if (row.vendorOrderId !== vendorOrderId) {
          wrong.push(`${about}: order ${orderId} has the number ${row.vendorOrderId} instead of ${vendorOrderId}`)
        }
      }
      if (outcome === 'unknown' && orderId !== null && (!row || !isListed(row))) {
        wrong.push(`${about}: order ${orderId} is ${row?.status ?? 'missing'}`)
      }
      if (outcome === 'refused' && row && row.status !== 'rejected') {
        wrong.push(`${about}: order ${row.id} is ${row.status}`)
      }
    }
    const accepted = Map.groupBy(
      answers.filter(({ outcome }) => outcome === 'accepted'),
      ({ key }) => key,
    )
    for (const [key, some] of accepted) {
      if (new Set(some.map(({ orderId }) => orderId)).size > 1) wrong.push(`intention ${id}, ${key}: several orders`)
    }
  }
  return wrong
}

/** Compares the events that a consumer receives with the rows. */
export function checkEvents(events: OrderEvent[], rows: OrderRow[]): string[] {
  const byOrder = Map.groupBy(
    events.filter(({ type }) => type === 'changed'),
    ({ orderId }) => orderId,
  )
  const submitted = Map.groupBy(
    events.filter(({ type }) => type === 'submitted'),
    ({ orderId }) => orderId,
  )
  const wrong: string[] = []
  for (const row of rows) {
    const changes = byOrder.get(row.id) ?? []
    const last = changes.reduce<OrderEvent | null>(
      (newest, event) => (event.revision > (newest?.revision ?? 0) ? event : newest),
      null,
    )
    if (!isListed(row)) {
      if (last) wrong.push(`order ${row.id} is ${row.status} and has an event`)
      continue
    }
    if (last?.revision !== row.revision || last.status !== row.status || last.vendorOrderId !== row.vendorOrderId) {
      wrong.push(`the last event of order ${row.id} (${row.status}, ${row.revision}) is ${JSON.stringify(last)}`)
    }
    const numbers = new Set((submitted.get(row.id) ?? []).map(({ revision }) => revision)).size
    if (numbers !== (row.vendorOrderId === null ? 0 : 1)) {
      wrong.push(`order ${row.id} (${row.vendorOrderId}) has ${numbers} events that it was submitted`)
    }
  }
  return wrong
}

/** Finds changes whose revision is not above that of the change before. */
export function findDisorder(changes: { orderId: number; revision: number }[]): string[] {
  const newest = new Map<number, number>()
  return changes.flatMap(({ orderId, revision }) => {
    const before = newest.get(orderId) ?? 0
    newest.set(orderId, revision)
    return revision > before ? [] : [`order ${orderId}: revision ${revision} was committed after ${before}`]
  })
}

/** Compares an order list of a user, or of the administrators, with the rows that it should have. */
export function compareList(name: string, listed: ListedOrder[], rows: OrderRow[]): string[] {
  const shown = new Map(listed.map(({ id, orderStatus }) => [id, orderStatus]))
  const ids = new Set(rows.map(({ id }) => id))
  return [
    ...rows
      .filter(({ id, status }) => shown.get(id) !== status)
      .map(({ id, status }) => {
        return `${name} sees order ${id} as ${shown.get(id) ?? 'missing'} instead of ${status}`
      }),
    ...listed.filter(({ id }) => !ids.has(id)).map(({ id }) => `${name} sees order ${id}, which is not in this list`),
  ]
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
