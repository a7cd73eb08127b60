import type { AppConfig, UploadSession } from '../../../api/types.ts'
import { createStore } from '../../../lib/store.ts'
import { type PhotoOf, photosOf } from './photos.ts'
import { canFollow, NOT_STORED, RESENDABLE, type State, type StateName, UNSENT } from './states.ts'

/** An upload session of which the server has all parts. */
export type StoredUpload = Pick<UploadSession, 'id' | 'name' | 'sha256' | 'size'>

/** The sizes of parts that the server accepts, and the one that it recommends. */
export type PartLimits = Pick<AppConfig['uploads'], 'partBytes' | 'minPartBytes' | 'maxPartBytes'>

/** SHA-256 of a file and of its parts, in hexadecimal. */
export interface FileHashes {
  sha256: string
  partBytes: number
  parts: string[]
}

/** The settings shared by all files of one upload. */
export interface Batch {
  description: string
  folderId: number | null
  isPublic: boolean
  parts: PartLimits
  /** Milliseconds since 1970 by the server's clock: the time of upload of an item with the id 0, once the first session is open. */
  origin?: number
}

export interface ChosenFile {
  readonly file: File
  /** Its size; reading it from the file may access the disk each time. */
  readonly bytes: number
  /** The folder it was chosen from, '' for a single file. */
  readonly path: string
}

export interface Item extends ChosenFile {
  /** Grows in the order of selection. */
  readonly id: number
  readonly batch: Batch
  state: State
  hashes: FileHashes | null
  /** How often its upload session was lost. */
  losses: number
  /** Its upload session has to be opened by a request of its own. */
  openAlone: boolean
  /** The upload session of a file that is stored completely and was not chosen here: `file` has only its name. */
  readonly session: string | null
}

let lastId = 0

export function itemOf(chosen: ChosenFile, batch: Batch): Item {
  lastId += 1
  const fresh = { id: lastId, state: { name: 'waiting' }, losses: 0, openAlone: false, session: null } as const
  return { ...chosen, ...fresh, batch, hashes: null }
}

/** A file that is stored completely, and is not at hand. What belongs to it was said when its upload session was opened. */
export function itemOfStored({ id: session, name, size, sha256 }: StoredUpload): Item {
  const parts = { partBytes: 0, minPartBytes: 0, maxPartBytes: 0 }
  const batch = { description: '', folderId: null, isPublic: false, parts }
  const item = itemOf({ file: new File([], name), bytes: size, path: '' }, batch)
  return { ...item, session, state: { name: 'open' }, hashes: { sha256, partBytes: size, parts: [] } }
}

/** The hash of a file that has been read. */
export function hashOf({ hashes }: Item): string {
  return hashes?.sha256 ?? ''
}

/** Its name with all that the files of a pair have in common: where it was chosen, and where it goes. */
export function nameInUpload({ batch, path, file }: Item): string {
  return [batch.folderId, batch.isPublic, path, file.name].join('/')
}

/** True when a file is in one of these states. */
export function isAnyIn(files: readonly Item[], names: readonly StateName[]): boolean {
  return files.some(({ state }) => names.includes(state.name))
}

/** True until the server has the file or its upload has ended otherwise. */
export function isUnsent({ state }: Item): boolean {
  return UNSENT.includes(state.name)
}

export function canRetry({ state }: Item): boolean {
  return state.name === 'cancelled' || RESENDABLE.includes(state.name)
}

/** Minimum time between two notifications: thousands of files may change at once. */
const NOTIFY_INTERVAL_MS = 100

/** All files of the queue, also by state, with throttled notifications. */
export class ItemStore {
  items: Item[] = []
  /** Null when the files have to be paired again. */
  #photos: readonly PhotoOf<Item>[] | null = null
  readonly #groups = new Map<StateName, { items: Set<Item>; bytes: number }>()
  /** Grows with every notification; follow it to show the items. */
  readonly version = createStore(0)
  #timer: ReturnType<typeof setTimeout> | undefined

  add(items: readonly Item[]): void {
    for (const item of items) {
      this.items.push(item)
      this.#enter(item)
    }
    this.#photos = null
    this.notify()
  }

  /** Changes the state of the file if it is in the list and may change so, and returns whether. The file is the last one in its new state. */
  set(item: Item, state: State): boolean {
    const isHere = this.#group(item.state.name).items.has(item)
    if (!isHere || !canFollow(item.state.name, state.name)) return false
    this.#leave(item)
    item.state = state
    this.#enter(item)
    this.notify()
    return true
  }

  /** The file is the first one in its state. */
  putFirst(item: Item): void {
    const group = this.#group(item.state.name)
    group.items = new Set([item, ...group.items])
  }

  /** The files in this state, in the order in which they came into it. */
  in(name: StateName): ReadonlySet<Item> {
    return this.#group(name).items
  }

  count(names: readonly StateName[]): number {
    return names.reduce((sum, name) => sum + this.#group(name).items.size, 0)
  }

  /** The photos with a file in one of these states, and with none in those of `without`. */
  photosIn(names: readonly StateName[], without: readonly StateName[] = []): readonly PhotoOf<Item>[] {
    this.#photos ??= photosOf(this.items, nameInUpload)
    return this.#photos.filter((files) => isAnyIn(files, names) && !isAnyIn(files, without))
  }

  bytes(names: readonly StateName[]): number {
    return names.reduce((sum, name) => sum + this.#group(name).bytes, 0)
  }

  /** Bytes of the files that are being sent: those that the server has confirmed, and those on the way. */
  get sentOfUnfinished(): number {
    let sum = 0
    for (const { state } of this.in('sending')) if (state.name === 'sending') sum += state.stored + state.inFlight
    return sum
  }

  /** The SHA-256 of files that are to be sent, are stored, or need the user's attention. */
  get hashes(): ReadonlySet<string> {
    const listed = this.items.filter(({ state }) => state.name !== 'rejected' && state.name !== 'deleted')
    return new Set(listed.flatMap(({ hashes }) => hashes?.sha256 ?? []))
  }

  remove(names: readonly StateName[]): void {
    this.#remove((item) => names.includes(item.state.name))
  }

  /** Removes files that were not stored and are chosen again: each is listed once. */
  removeChosenAgain(chosen: readonly ChosenFile[]): void {
    if (this.count(NOT_STORED) === 0) return
    const again = new Set(chosen.flatMap((file) => [identityOf(file), nameOf(file)]))
    const isAgain = (item: Item) => again.has(item.session === null ? identityOf(item) : nameOf(item))
    this.#remove((item) => NOT_STORED.includes(item.state.name) && isAgain(item))
  }

  notify(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.version.set(this.version.get() + 1)
    }, NOTIFY_INTERVAL_MS)
  }

  #remove(isRemoved: (item: Item) => boolean): void {
    this.items = this.items.filter((item) => {
      if (!isRemoved(item)) return true
      this.#leave(item)
      return false
    })
    this.#photos = null
    this.notify()
  }

  #enter(item: Item): void {
    const group = this.#group(item.state.name)
    group.items.add(item)
    group.bytes += item.bytes
  }

  #leave(item: Item): void {
    const group = this.#group(item.state.name)
    group.items.delete(item)
    group.bytes -= item.bytes
  }

  #group(name: StateName) {
    const group = this.#groups.get(name) ?? { items: new Set<Item>(), bytes: 0 }
    this.#groups.set(name, group)
    return group
  }
}

function identityOf({ file, path }: ChosenFile): string {
  return [path, file.name, file.size, file.lastModified].join('\n')
}

/** All that is known of a file that was not chosen here. */
function nameOf({ file, bytes }: ChosenFile): string {
  return [file.name, bytes].join('\n')
}
