export interface FairQueue<T> {
  /** Adds the item unless the queue is full, or `key` has its share of it. */
  add(key: string, item: T): 'added' | 'full' | 'key_full'
  /** Returns false when the item is not in the queue. */
  delete(key: string, item: T): boolean
  /** Takes the next item: each key in turn, the items of a key in their order. */
  take(): T | undefined
}

/** A queue of items of many keys, in which one key neither takes all the room nor holds up the others. */
export function createFairQueue<T>(maxItems: number, maxOfKey: number): FairQueue<T> {
  /** The keys in the order of their turns. */
  const itemsOf = new Map<string, Set<T>>()
  let size = 0

  function remove(key: string, items: Set<T>, item: T): boolean {
    if (!items.delete(item)) return false
    size -= 1
    if (items.size === 0) itemsOf.delete(key)
    return true
  }

  return {
    add(key, item) {
      const items = itemsOf.get(key) ?? new Set()
      if (items.size >= maxOfKey) return 'key_full'
      if (size >= maxItems) return 'full'
      itemsOf.set(key, items.add(item))
      size += 1
      return 'added'
    },
    delete(key, item) {
      const items = itemsOf.get(key)
      return items !== undefined && remove(key, items, item)
    },
    take() {
      const [turn] = itemsOf
      if (!turn) return undefined
      const [key, items] = turn
      const [item] = items
      remove(key, items, item as T)
      // Its next turn comes after those of all others.
      if (itemsOf.delete(key)) itemsOf.set(key, items)
      return item
    },
  }
}
