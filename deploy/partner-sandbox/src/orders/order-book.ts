import { isOpen, type Order } from './order.ts'

/** All orders, oldest first. When there are too many, the oldest finished one is forgotten, or the oldest. */
export class OrderBook {
  readonly #orders = new Map<string, Order>()
  readonly #maximum: number

  constructor(maximum: number) {
    this.#maximum = maximum
  }

  add(order: Order): void {
    this.#orders.set(order.vendorOrderId, order)
    if (this.#orders.size <= this.#maximum) return
    const forgotten = this.list().find((other) => !isOpen(other)) ?? this.list()[0]
    if (forgotten) this.#orders.delete(forgotten.vendorOrderId)
  }

  get(vendorOrderId: string): Order | undefined {
    return this.#orders.get(vendorOrderId)
  }

  list(): Order[] {
    return [...this.#orders.values()]
  }

  values(): Iterable<Order> {
    return this.#orders.values()
  }

  get size(): number {
    return this.#orders.size
  }

  clear(): void {
    this.#orders.clear()
  }

  replace(orders: Order[]): void {
    this.clear()
    for (const order of orders.slice(-this.#maximum)) this.#orders.set(order.vendorOrderId, order)
  }
}
