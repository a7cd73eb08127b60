import { vi } from 'vitest'
import type { PhotoStatus, SendResult, UploadApi } from '../src/features/upload/queue/deps.ts'
import type { Batch, Item, StateName } from '../src/features/upload/queue/item.ts'
import { UploadQueue } from '../src/features/upload/queue/upload-queue.ts'
import { ApiError } from '../src/lib/http.ts'
import type { StorageQuota } from '../src/lib/storage-quota.ts'

export const batch: Batch = { description: '', folderId: null, isPublic: false, single: false, filesPerRequest: 10 }

export function photos(count: number, { from = 1, bytes = 100 } = {}): { file: File; bytes: number; path: string }[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `DJI_${from + index}.JPG`
    return { file: new File(['x'.repeat(bytes)], name), bytes, path: '' }
  })
}

/** A server and the connection to it, as the queue sees them; a file's hash is its name. */
export class UploadFixture implements UploadApi {
  readonly photos = new Map<string, number>()
  readonly statuses = new Map<number, PhotoStatus>()
  readonly requests: string[][] = []
  readonly checks: string[][] = []
  readonly moves: { ids: number[]; folderId: number }[] = []
  readonly finished: Item[][] = []
  running = 0
  mostRunning = 0
  isDown = false
  signedOut = false
  unreadable = new Set<string>()
  quota: StorageQuota | null = null
  /** Results that replace the server's own. */
  override: (names: string[]) => SendResult | null = () => null
  /** The requests wait for this. */
  blockedBy: Promise<unknown> = Promise.resolve()
  readonly queue = new UploadQueue(this, {
    onFinished: (items) => this.finished.push(items),
    onSignedOut: () => {
      this.sessionEndCount += 1
    },
  })
  sessionEndCount = 0

  hash = async (file: File) => {
    if (this.unreadable.has(file.name)) throw new Error('gone')
    return file.name
  }
  isReadable = async (file: File) => !this.unreadable.has(file.name)

  findKnown = async (hashes: string[]) => {
    this.#connect()
    this.checks.push(hashes)
    const known = Object.fromEntries([...this.photos].filter(([hash]) => hashes.includes(hash)))
    return { known, quota: this.quota }
  }
  move = async (ids: number[], folderId: number) => {
    this.moves.push({ ids, folderId })
    return []
  }
  status = async (ids: number[]) => {
    this.#connect()
    return ids.flatMap((id) => this.statuses.get(id) ?? [])
  }
  reprocess = async (id: number) => {
    const photo: PhotoStatus = { id, status: 'processing', statusMessage: null }
    this.statuses.set(id, { ...photo, status: 'ready' })
    return photo
  }

  send: UploadApi['send'] = async (files, _batch, onProgress, signal) => {
    const names = files.map(({ name }) => name)
    this.requests.push(names)
    this.running += 1
    this.mostRunning = Math.max(this.mostRunning, this.running)
    onProgress(50 * files.length, 200 * files.length)
    const aborted = new Promise<'aborted'>((resolve) => signal.addEventListener('abort', () => resolve('aborted')))
    const end = await Promise.race([this.blockedBy, aborted])
    this.running -= 1
    if (end === 'aborted') return { kind: 'aborted' }
    const special = this.override(names)
    if (special) return special
    if (this.isDown)
      return { kind: 'retryable', why: 'network', reason: 'A network error occurred during upload', afterMs: null }
    if (this.signedOut) return { kind: 'signed-out' }
    if (this.quota)
      this.quota = { ...this.quota, used: this.quota.used + files.reduce((sum, { size }) => sum + size, 0) }
    return this.store(names)
  }

  store(names: string[], reject: (name: string) => string | null = () => null): SendResult {
    const outcomes = names.map((name) => {
      const issue = reject(name)
      return issue === null ? { photo: this.#photoOf(name), duplicate: false } : { issue }
    })
    return { kind: 'completed', outcomes, notes: [], message: null }
  }

  #photoOf(name: string): PhotoStatus {
    const id = this.photos.get(name) ?? this.photos.size + 1
    this.photos.set(name, id)
    if (!this.statuses.has(id)) this.statuses.set(id, { id, status: 'ready', statusMessage: null })
    return { id, status: 'processing', statusMessage: null }
  }

  #connect(): void {
    if (this.isDown) throw new ApiError(0, 'unreachable', null)
    if (this.signedOut) throw new ApiError(401, 'no session', null)
  }

  states(): Partial<Record<StateName, number>> {
    const counts: Partial<Record<StateName, number>> = {}
    for (const { state } of this.queue.store.items) counts[state.name] = (counts[state.name] ?? 0) + 1
    return counts
  }

  item(name: string): Item {
    const item = this.queue.store.items.find(({ file }) => file.name === name)
    if (!item) throw new Error(`no ${name}`)
    return item
  }
}

/** Advances the fake clock and runs all that is due. */
export const advance = (ms = 20_000) => vi.advanceTimersByTimeAsync(ms)
