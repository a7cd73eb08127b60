import { createStore, type Store } from '../../../lib/store.ts'
import { type Chosen, type Item, NOT_STORED, type State, type StateName } from './item.ts'

/** Minimum time between two notifications: thousands of files may change at once. */
const NOTIFY_INTERVAL_MS = 100

interface StateTotal {
  count: number
  bytes: number
}

/** All files of the queue, with running totals by state and throttled notifications. */
export class ItemStore {
  items: Item[] = []
  /** Bytes of the files that are being sent: those that the server has confirmed, and those on the way. */
  sentOfUnfinished = 0
  readonly #tallies = new Map<StateName, StateTotal>()
  readonly #version = createStore(0)
  #timer: ReturnType<typeof setTimeout> | undefined

  /** Grows with every notification; follow it to show the items. */
  get version(): Pick<Store<number>, 'get' | 'subscribe'> {
    return this.#version
  }

  add(items: Item[]): void {
    for (const item of items) {
      this.items.push(item)
      this.#count(item, item.state, 1)
    }
    this.notify()
  }

  set(item: Item, state: State): void {
    this.#count(item, item.state, -1)
    item.state = state
    this.#count(item, state, 1)
    this.notify()
  }

  /** Removes the files in these states. */
  remove(names: readonly StateName[]): void {
    const removed = new Set(names)
    this.#keep((item) => !removed.has(item.state.name))
  }

  /** The SHA-256 of files that are to be sent, are stored, or need the user's attention. */
  get hashes(): ReadonlySet<string> {
    const listed = this.items.filter(({ state }) => state.name !== 'rejected' && state.name !== 'deleted')
    return new Set(listed.flatMap(({ hashes }) => hashes?.sha256 ?? []))
  }

  /** Removes files that were not stored and are chosen again: each is listed once. */
  removeChosenAgain(chosen: readonly Chosen[]): void {
    if (this.count(NOT_STORED) === 0) return
    const again = new Set(chosen.flatMap((file) => [identityOf(file), nameOf(file)]))
    const notStored = new Set<StateName>(NOT_STORED)
    const isAgain = (item: Item) => again.has(item.session === null ? identityOf(item) : nameOf(item))
    this.#keep((item) => !(notStored.has(item.state.name) && isAgain(item)))
  }

  #keep(isKept: (item: Item) => boolean): void {
    this.items = this.items.filter((item) => {
      if (isKept(item)) return true
      this.#count(item, item.state, -1)
      return false
    })
    this.notify()
  }

  count(names: readonly StateName[]): number {
    return names.reduce((sum, name) => sum + (this.#tallies.get(name)?.count ?? 0), 0)
  }

  bytes(names: readonly StateName[]): number {
    return names.reduce((sum, name) => sum + (this.#tallies.get(name)?.bytes ?? 0), 0)
  }

  /** Schedules a notification. */
  notify(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#version.set(this.#version.get() + 1)
    }, NOTIFY_INTERVAL_MS)
  }

  #count(item: Item, state: State, by: 1 | -1): void {
    const tally = this.#tallies.get(state.name) ?? { count: 0, bytes: 0 }
    tally.count += by
    tally.bytes += by * item.bytes
    this.#tallies.set(state.name, tally)
    if (state.name === 'sending') this.sentOfUnfinished += by * (state.stored + state.inFlight)
  }
}

function identityOf({ file, path }: Chosen): string {
  return [path, file.name, file.size, file.lastModified].join('\n')
}

/** All that is known of a file that was not chosen here. */
function nameOf({ file, bytes }: Chosen): string {
  return [file.name, bytes].join('\n')
}
