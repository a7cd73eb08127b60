import type { Item, State, StateName } from './item.ts'

/** How often listeners hear of changes at most: thousands of files may change in one breath. */
const NOTIFY_MS = 100

interface Tally {
  count: number
  bytes: number
}

/** All files of the queue, with tallies by state that cost nothing to read, and changes told in gathered steps. */
export class Board {
  items: Item[] = []
  /** Grows with every told change. */
  version = 0
  /** Bytes of running requests that have left the browser. */
  sentInFlight = 0
  readonly #tallies = new Map<StateName, Tally>()
  readonly #listeners = new Set<() => void>()
  #timer: ReturnType<typeof setTimeout> | undefined

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  add(items: Item[]): void {
    for (const item of items) {
      this.items.push(item)
      this.#count(item, item.state, 1)
    }
    this.changed()
  }

  set(item: Item, state: State): void {
    this.#count(item, item.state, -1)
    item.state = state
    this.#count(item, state, 1)
    this.changed()
  }

  /** Takes the files in these states off the list. */
  remove(names: readonly StateName[]): void {
    const gone = new Set(names)
    this.items = this.items.filter((item) => {
      if (!gone.has(item.state.name)) return true
      this.#count(item, item.state, -1)
      return false
    })
    this.changed()
  }

  count(names: readonly StateName[]): number {
    return names.reduce((sum, name) => sum + (this.#tallies.get(name)?.count ?? 0), 0)
  }

  bytes(names: readonly StateName[]): number {
    return names.reduce((sum, name) => sum + (this.#tallies.get(name)?.bytes ?? 0), 0)
  }

  /** Something that listeners show has changed. */
  changed(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.version += 1
      for (const listener of this.#listeners) listener()
    }, NOTIFY_MS)
  }

  #count(item: Item, state: State, by: 1 | -1): void {
    const tally = this.#tallies.get(state.name) ?? { count: 0, bytes: 0 }
    tally.count += by
    tally.bytes += by * item.bytes
    this.#tallies.set(state.name, tally)
    if (state.name === 'sending') this.sentInFlight += by * state.sent
  }
}
