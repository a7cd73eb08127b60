import { vi } from 'vitest'
import type { UploadSession } from '../src/api/types.ts'
import type { PartToSend, PhotoStatus, UploadApi } from '../src/features/upload/queue/deps.ts'
import type { Batch, Item } from '../src/features/upload/queue/items.ts'
import type { StateName } from '../src/features/upload/queue/states.ts'
import { UploadQueue } from '../src/features/upload/queue/upload-queue.ts'
import { ApiError, type ErrorBody } from '../src/lib/http.ts'
import type { StorageQuota } from '../src/lib/storage-quota.ts'

/** A file of up to 1,000 bytes is one part. */
export const batch: Batch = {
  description: '',
  folderId: null,
  isPublic: false,
  parts: { partBytes: 1000, minPartBytes: 400, maxPartBytes: 4000 },
}

export function photos(count: number, { from = 1, bytes = 100 } = {}): { file: File; bytes: number; path: string }[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `DJI_${from + index}.JPG`
    return { file: new File(['x'.repeat(bytes)], name), bytes, path: '' }
  })
}

export const apiError = (status: number, body: Partial<ErrorBody> = {}, retryAfter = 0) =>
  new ApiError(status, '', { code: 'test', message: 'A test', ...body }, retryAfter)
export const noResponse = () => new ApiError(0, 'unreachable', null)

interface SimulatedSession extends UploadSession {
  stored: Set<number>
  declared: number
}

/** A server and the connection to it, as the queue sees them; a file's hash is its name. */
export class UploadFixture implements UploadApi {
  /** Ids by hash. */
  readonly photos = new Map<string, number>()
  readonly statuses = new Map<number, PhotoStatus>()
  readonly sessions = new Map<string, SimulatedSession>()
  /** The parts that were sent, as 'DJI_1.JPG/1', also those that did not arrive. */
  readonly sent: string[] = []
  /** The parts of `sent` that went to the object store. */
  readonly sentDirectly: string[] = []
  /** The names of the files of each request that opened upload sessions. */
  readonly opened: string[][] = []
  readonly cancelled: string[] = []
  /** The names of the files of each request that completed an upload session, also of those that failed. */
  readonly completed: string[] = []
  readonly checks: string[][] = []
  readonly moves: { ids: number[]; folderId: number }[] = []
  readonly finished: Item[][] = []
  running = 0
  mostRunning = 0
  isDown = false
  signedOut = false
  isDirect = false
  unreadable = new Set<string>()
  changed = new Set<string>()
  /** Upload sessions that another tab has, until this resolves. */
  heldElsewhere = new Map<string, Promise<void>>()
  quota: StorageQuota | null = null
  /** What parts fail with; they may be stored nevertheless. */
  failPart: (name: string, number: number, isDirect: boolean) => ApiError | null = () => null
  failOpening: (names: string[]) => ApiError | null = () => null
  failCompleting: (name: string) => ApiError | null = () => null
  /** Parts wait for this when half of them is sent. */
  blockedBy: Promise<unknown> = Promise.resolve()
  rate: number | null = null
  readonly queue = new UploadQueue(
    this,
    {
      read: () => this.rate,
      write: (rate) => {
        this.rate = rate
      },
    },
    {
      onFinished: (items) => this.finished.push(items),
      onSignedOut: () => {
        this.sessionEndCount += 1
      },
    },
  )
  sessionEndCount = 0

  hash = async (file: File, partBytes: number) => {
    if (this.unreadable.has(file.name)) throw new Error('gone')
    return { sha256: file.name, partBytes, parts: Array.from({ length: Math.ceil(file.size / partBytes) }, () => '0') }
  }
  problemOf = async (file: File) => {
    if (this.changed.has(file.name)) return 'changed'
    return this.unreadable.has(file.name) ? 'unreadable' : null
  }
  /** Tabs of one browser: they wait for each other. */
  holdSession: UploadApi['holdSession'] = async (id, work) => {
    const other = this.heldElsewhere.get(id)
    if (other) await other
    await work(other !== undefined)
  }

  findKnown = async (hashes: string[]) => {
    this.#connect()
    this.checks.push(hashes)
    const known = Object.fromEntries([...this.photos].filter(([hash]) => hashes.includes(hash)))
    return { known, quota: this.quota }
  }
  move: UploadApi['move'] = async (ids, folderId) => {
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

  openSessions: UploadApi['openSessions'] = async (files) => {
    this.#connect()
    this.opened.push(files.map(({ name }) => name))
    const error = this.failOpening(files.map(({ name }) => name))
    if (error) throw error
    return files.map(({ name, size, hashes, selectedAt }) => {
      const session = this.open(name, size, hashes.partBytes, selectedAt)
      return { state: session.state === 'completed' ? 'completed' : 'open', session }
    })
  }

  /** Opens or finds the upload session of a file. */
  open(name: string, size: number, partBytes: number, createdAt = new Date().toISOString()): UploadSession {
    const id = `session of ${name}`
    const declared = Math.ceil(size / partBytes)
    const times = { createdAt, expiresAt: '', uploadsExpireAt: null }
    const session = this.sessions.get(id) ?? {
      ...{ id, name, sha256: name, size, partBytes, state: 'open', missing: null, uploads: null, photoId: null },
      ...{ message: null, stored: new Set(), declared, ...times },
    }
    this.sessions.set(id, session)
    return this.#describe(session)
  }

  /** Another device has sent these parts of a file. */
  store(name: string, parts: number[]): void {
    for (const number of parts) this.#find(`session of ${name}`).stored.add(number)
  }

  #describe(session: SimulatedSession): UploadSession {
    const numbers = Array.from({ length: session.declared }, (_, index) => index + 1)
    const missing = numbers.filter((number) => !session.stored.has(number))
    if (!this.isDirect) return { ...session, missing }
    return { ...session, missing, ...this.#sign(missing.slice(0, 8)) }
  }

  #sign(parts: number[]) {
    const uploads = parts.map((number) => ({ number, url: `https://store/${number}`, headers: {} }))
    return { uploads, uploadsExpireAt: new Date(Date.now() + 600_000).toISOString() }
  }

  #find(id: string): SimulatedSession {
    const session = this.sessions.get(id)
    if (!session) throw apiError(404)
    return session
  }

  session = async (id: string) => {
    this.#connect()
    return this.#describe(this.#find(id))
  }
  sign = async (_id: string, parts: number[]) => this.#sign(parts)
  cancel = async (id: string) => {
    this.#connect()
    this.cancelled.push(this.#find(id).name)
    this.sessions.delete(id)
  }

  sendPart: UploadApi['sendPart'] = async ({ session: id, number, body, signed }: PartToSend, onProgress, signal) => {
    const { name } = this.#find(id)
    this.sent.push(`${name}/${number}`)
    if (signed) this.sentDirectly.push(`${name}/${number}`)
    this.running += 1
    this.mostRunning = Math.max(this.mostRunning, this.running)
    onProgress(body.size / 2)
    const aborted = new Promise<'aborted'>((resolve) => signal.addEventListener('abort', () => resolve('aborted')))
    const end = await Promise.race([this.blockedBy, aborted])
    this.running -= 1
    if (end === 'aborted') throw noResponse()
    const error = this.failPart(name, number, signed !== null)
    if (error) throw error
    this.#connect()
    this.#find(id).stored.add(number)
  }

  complete = async (id: string) => {
    this.#connect()
    const session = this.#find(id)
    this.completed.push(session.name)
    const error = this.failCompleting(session.name)
    if (error) throw error
    if (session.stored.size < session.declared) throw apiError(409)
    if (this.quota && session.state === 'open') this.quota = { ...this.quota, used: this.quota.used + session.size }
    const photo = this.photoOf(session.name)
    Object.assign(session, { state: 'completed', photoId: photo.id })
    return photo
  }

  /** Stores the photo. */
  photoOf(name: string): PhotoStatus {
    const id = this.photos.get(name) ?? this.photos.size + 1
    this.photos.set(name, id)
    if (!this.statuses.has(id)) this.statuses.set(id, { id, status: 'ready', statusMessage: null })
    return { id, status: 'processing', statusMessage: null }
  }

  #connect(): void {
    if (this.isDown) throw noResponse()
    if (this.signedOut) throw apiError(401)
  }

  /** Lets parts wait until the returned function is called. */
  block(): () => void {
    let open = () => {}
    this.blockedBy = new Promise<void>((resolve) => {
      open = resolve
    })
    return () => {
      this.blockedBy = Promise.resolve()
      open()
    }
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
