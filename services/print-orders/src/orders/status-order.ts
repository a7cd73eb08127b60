/** The statuses of an order. Users never see `claimed` and `rejected`. */
export const ORDER_STATUSES = [
  'claimed',
  'rejected',
  'unknown',
  'submitted',
  'processing',
  'ready',
  'picked_up',
  'cancelled',
] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]

/** The statuses that users and events have. */
export type ListedStatus = Exclude<OrderStatus, 'claimed' | 'rejected'>

/** The statuses whose orders are checked at the partner. */
export const OPEN_STATUSES = ['submitted', 'processing', 'ready'] as const satisfies OrderStatus[]

/** Whether orders with this status are checked at the partner. */
export function isOpen(status: OrderStatus): boolean {
  return (OPEN_STATUSES as readonly OrderStatus[]).includes(status)
}

/** Where each status may lead. An order never returns, and what is over stays as it is. */
const NEXT: Record<OrderStatus, readonly OrderStatus[]> = {
  claimed: ['rejected', 'unknown', 'submitted'],
  rejected: [],
  unknown: ['submitted', 'processing', 'ready', 'picked_up', 'cancelled'],
  submitted: ['processing', 'ready', 'picked_up', 'cancelled'],
  processing: ['ready', 'picked_up', 'cancelled'],
  ready: ['picked_up', 'cancelled'],
  picked_up: [],
  cancelled: [],
}

/** Whether an order may go from one status to another. */
export function mayFollow(from: OrderStatus, to: OrderStatus): boolean {
  return NEXT[from].includes(to)
}

/** Whether users see orders with this status. */
export function isListed(status: OrderStatus): status is ListedStatus {
  return status !== 'claimed' && status !== 'rejected'
}
