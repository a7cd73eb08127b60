import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { advice, details, overviewOf } from '../src/features/upload/progress.ts'
import type { PhotoStatus, SendResult, UploadApi } from '../src/features/upload/queue/deps.ts'
import type { Batch, Item, StateName } from '../src/features/upload/queue/item.ts'
import { UploadQueue } from '../src/features/upload/queue/upload-queue.ts'
import { ApiError } from '../src/lib/http.ts'

const batch: Batch = { description: '', folderId: null, isPublic: false, single: false, filesPerRequest: 10 }

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function photos(count: number, { from = 1, bytes = 100 } = {}): { file: File; bytes: number; path: string }[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `DJI_${from + index}.JPG`
    return { file: new File(['x'.repeat(bytes)], name), bytes, path: '' }
  })
}

/** A server and the connection to it, as the queue sees them; a file's hash is its name. */
class World implements UploadApi {
  readonly photos = new Map<string, number>()
  readonly statuses = new Map<number, PhotoStatus>()
  readonly requests: string[][] = []
  readonly questions: string[][] = []
  readonly moves: { ids: number[]; folderId: number }[] = []
  readonly finished: Item[][] = []
  running = 0
  mostRunning = 0
  down = false
  signedOut = false
  gone = new Set<string>()
  /** Results that replace the server's own. */
  answer: (names: string[]) => SendResult | null = () => null
  /** The requests wait for this. */
  gate: Promise<unknown> = Promise.resolve()
  readonly queue = new UploadQueue(this, {
    onFinished: (items) => this.finished.push(items),
    onSignedOut: () => {
      this.signedOutTold += 1
    },
  })
  signedOutTold = 0

  hash = async (file: File) => {
    if (this.gone.has(file.name)) throw new Error('gone')
    return file.name
  }
  isReadable = async (file: File) => !this.gone.has(file.name)

  findKnown = async (hashes: string[]) => {
    this.#reach()
    this.questions.push(hashes)
    return Object.fromEntries([...this.photos].filter(([hash]) => hashes.includes(hash)))
  }
  move = async (ids: number[], folderId: number) => {
    this.moves.push({ ids, folderId })
    return []
  }
  status = async (ids: number[]) => {
    this.#reach()
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
    const end = await Promise.race([this.gate, aborted])
    this.running -= 1
    if (end === 'aborted') return { kind: 'aborted' }
    const special = this.answer(names)
    if (special) return special
    if (this.down)
      return { kind: 'later', why: 'network', reason: 'A network error occurred during upload', afterMs: null }
    if (this.signedOut) return { kind: 'signed-out' }
    return this.store(names)
  }

  store(names: string[], refuse: (name: string) => string | null = () => null): SendResult {
    const outcomes = names.map((name) => {
      const issue = refuse(name)
      return issue === null ? { photo: this.#photoOf(name), duplicate: false } : { issue }
    })
    return { kind: 'answered', outcomes, notes: [], message: null }
  }

  #photoOf(name: string): PhotoStatus {
    const id = this.photos.get(name) ?? this.photos.size + 1
    this.photos.set(name, id)
    if (!this.statuses.has(id)) this.statuses.set(id, { id, status: 'ready', statusMessage: null })
    return { id, status: 'processing', statusMessage: null }
  }

  #reach(): void {
    if (this.down) throw new ApiError(0, 'unreachable', null)
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

const settle = (ms = 20_000) => vi.advanceTimersByTimeAsync(ms)

describe('sending', () => {
  test('every file of 500 is sent once, in requests of at most ten, two at a time, and followed until it is processed', async () => {
    const world = new World()
    world.queue.add(photos(500), batch)
    await settle()
    expect(world.states()).toEqual({ ready: 500 })
    expect(world.requests.flat()).toHaveLength(500)
    expect(new Set(world.requests.flat()).size).toBe(500)
    expect(Math.max(...world.requests.map((names) => names.length))).toBeLessThanOrEqual(10)
    expect(world.mostRunning).toBe(2)
    expect(world.finished.map((items) => items.length)).toEqual([500])
  })

  test('sending begins with the first fingerprint, not with the last', async () => {
    const world = new World()
    world.queue.add(photos(50), batch)
    await settle(1)
    expect(world.requests.length).toBeGreaterThan(0)
  })

  test('a file that is not ready at once is told when the live events name it', async () => {
    const world = new World()
    world.queue.add(photos(1), batch)
    await settle(500)
    world.statuses.set(1, { id: 1, status: 'processing', statusMessage: null })
    await settle(60_000)
    expect(world.states()).toEqual({ processing: 1 })
    expect(world.finished).toEqual([])
    world.statuses.set(1, { id: 1, status: 'ready', statusMessage: null })
    world.queue.hint(1)
    await settle(600)
    expect(world.states()).toEqual({ ready: 1 })
    expect(world.finished).toHaveLength(1)
  })

  test('a second upload joins the running one with fields of its own', async () => {
    const world = new World()
    world.gate = new Promise((resolve) => setTimeout(resolve, 500))
    world.queue.add(photos(3), batch)
    await settle(100)
    world.queue.add(photos(3, { from: 10 }), { ...batch, folderId: 7 })
    await settle()
    expect(world.states()).toEqual({ ready: 6 })
    for (const names of world.requests) {
      expect(new Set(names.map((name) => world.item(name).batch.folderId)).size).toBe(1)
    }
    expect(world.finished.map((items) => items.length)).toEqual([6])
  })

  test('a refused file leaves the others of its request alone', async () => {
    const world = new World()
    world.answer = (names) => world.store(names, (name) => (name === 'DJI_2.JPG' ? 'DJI_2.JPG is too small' : null))
    world.queue.add(photos(5), batch)
    await settle()
    expect(world.states()).toEqual({ ready: 4, refused: 1 })
    expect(world.item('DJI_2.JPG').state).toEqual({ name: 'refused', reason: 'DJI_2.JPG is too small' })
  })

  test('a request that is too large as a whole is sent file by file', async () => {
    const world = new World()
    world.answer = (names) => (names.length > 1 ? { kind: 'too-large', reason: 'Too large' } : null)
    world.queue.add(photos(12), batch)
    await settle()
    expect(world.states()).toEqual({ ready: 12 })
  })

  test('processing that failed says why and can be tried again', async () => {
    const world = new World()
    world.statuses.set(1, { id: 1, status: 'failed', statusMessage: 'The file is damaged' })
    world.queue.add(photos(1), batch)
    await settle()
    const item = world.item('DJI_1.JPG')
    expect(item.state).toEqual({ name: 'unprocessed', photoId: 1, reason: 'The file is damaged' })
    await world.queue.reprocess(item)
    await settle()
    expect(world.states()).toEqual({ ready: 1 })
    expect(world.finished.map((items) => items.length)).toEqual([1, 1])
  })
})

describe('a photo whose processing failed and that is tried again by its card', () => {
  async function failedOne(): Promise<World> {
    const world = new World()
    world.statuses.set(1, { id: 1, status: 'failed', statusMessage: 'The file is damaged' })
    world.queue.add(photos(1), batch)
    await settle()
    expect(world.states()).toEqual({ unprocessed: 1 })
    return world
  }

  test('is followed to its end, which is told', async () => {
    const world = await failedOne()
    world.statuses.set(1, { id: 1, status: 'processing', statusMessage: null })
    world.queue.hint(1)
    await settle(600)
    expect(world.states()).toEqual({ processing: 1 })
    world.statuses.set(1, { id: 1, status: 'ready', statusMessage: null })
    world.queue.hint(1)
    await settle(600)
    expect(world.states()).toEqual({ ready: 1 })
    expect(world.finished.map((items) => items.length)).toEqual([1, 1])
  })

  test('is ready also when its processing was never seen', async () => {
    const world = await failedOne()
    world.statuses.set(1, { id: 1, status: 'ready', statusMessage: null })
    world.queue.hint(1)
    await settle(600)
    expect(world.states()).toEqual({ ready: 1 })
    expect(world.finished.map((items) => items.length)).toEqual([1, 1])
  })

  test('stays failed, and nothing is told again, when a live event says nothing new', async () => {
    const world = await failedOne()
    world.queue.hint(1)
    await settle()
    expect(world.states()).toEqual({ unprocessed: 1 })
    expect(world.finished).toHaveLength(1)
  })

  test('is no longer a problem when it was deleted', async () => {
    const world = await failedOne()
    world.statuses.clear()
    world.queue.hint(1)
    await settle(600)
    expect(world.states()).toEqual({ deleted: 1 })
  })

  test('is nothing to the queue that has been dismissed', async () => {
    const world = await failedOne()
    world.queue.dismiss()
    world.statuses.set(1, { id: 1, status: 'ready', statusMessage: null })
    world.queue.hint(1)
    await settle()
    expect(world.states()).toEqual({})
    expect(world.queue.isActive).toBe(false)
    expect(world.finished).toHaveLength(1)
  })
})

describe('what the server has already', () => {
  test('is not sent, and filed into the chosen folder', async () => {
    const world = new World()
    for (let id = 1; id <= 290; id += 1) world.photos.set(`DJI_${id}.JPG`, id)
    world.queue.add(photos(300), { ...batch, folderId: 7 })
    await settle()
    expect(world.states()).toEqual({ known: 290, ready: 10 })
    expect(world.requests.flat().toSorted()).toEqual(
      photos(10, { from: 291 })
        .map(({ file }) => file.name)
        .toSorted(),
    )
    expect(new Set(world.moves.flatMap(({ ids }) => ids)).size).toBe(290)
    expect(Math.max(...world.questions.map((hashes) => hashes.length))).toBeLessThanOrEqual(500)
  })

  test('5,000 files are asked about in few questions and none is missed', async () => {
    const world = new World()
    for (let id = 1; id <= 5000; id += 1) world.photos.set(`DJI_${id}.JPG`, id)
    world.queue.add(photos(5000, { bytes: 1 }), batch)
    await settle()
    expect(world.states()).toEqual({ known: 5000 })
    expect(world.requests).toEqual([])
    expect(world.questions.length).toBeLessThan(20)
  })

  test('of two equal files one is sent, the other is known afterwards', async () => {
    const world = new World()
    world.gate = new Promise((resolve) => setTimeout(resolve, 500))
    world.queue.add([...photos(1), ...photos(1)], batch)
    await settle()
    expect(world.requests.flat()).toEqual(['DJI_1.JPG'])
    expect(world.states()).toEqual({ ready: 1, known: 1 })
  })

  test('when the first of two equal files is cancelled, the second takes its place', async () => {
    const world = new World()
    let open = () => {}
    world.gate = new Promise<void>((resolve) => {
      open = resolve
    })
    world.queue.add([...photos(1), ...photos(1)], batch)
    await settle(1000)
    world.queue.cancel(world.queue.store.items[0] as Item)
    open()
    await settle()
    expect(world.states()).toEqual({ cancelled: 1, ready: 1 })
  })
})

describe('a bad connection', () => {
  test('nothing is lost: the upload waits, asks what arrived, and goes on when the browser is online again', async () => {
    const world = new World()
    world.queue.add(photos(40), batch)
    world.answer = (names) => {
      if (world.requests.length < 3) return null
      // The server has stored them, but its response is lost.
      world.store(names)
      world.down = true
      return { kind: 'later', why: 'network', reason: 'lost', afterMs: null }
    }
    await settle(300_000)
    expect(world.queue.hold).toBe('connection')
    expect(world.states().failed).toBeUndefined()
    world.down = false
    world.answer = () => null
    world.queue.online()
    await settle()
    expect(world.states()).toEqual({ ready: 40 })
    // Nothing that was stored is sent again.
    expect(world.requests.flat()).toHaveLength(40)
  })

  test('it tries again by itself, too', async () => {
    const world = new World()
    world.down = true
    world.queue.add(photos(3), batch)
    await settle(90_000)
    world.down = false
    await settle(40_000)
    expect(world.states()).toEqual({ ready: 3 })
  })

  test('after half an hour without an answer the files have failed, and Retry sends them', async () => {
    const world = new World()
    world.down = true
    world.queue.add(photos(3), batch)
    await settle(40 * 60_000)
    expect(world.states()).toEqual({ failed: 3 })
    expect(world.item('DJI_1.JPG').state).toEqual({ name: 'failed', reason: 'A network error occurred during upload' })
    world.down = false
    world.queue.retryFailed()
    await settle()
    expect(world.states()).toEqual({ ready: 3 })
  })

  test('Retry does not wait for the end of the pause: the failed file and those that wait are sent at once', async () => {
    const world = new World()
    // Checks succeed, only the requests with files break.
    const broken: SendResult = { kind: 'later', why: 'network', reason: 'broken pipe', afterMs: null }
    world.answer = () => broken
    world.queue.add(photos(8), batch)
    while (!world.states().failed) await settle(1000)
    expect(world.queue.hold).toBe('connection')
    const before = world.requests.length
    await settle(1000)
    expect(world.requests).toHaveLength(before)
    world.answer = () => null
    world.queue.retryFailed()
    await settle(2000)
    expect(world.queue.hold).toBeNull()
    expect(world.requests.slice(before).flat()).toHaveLength(8)
    await settle()
    expect(world.states()).toEqual({ ready: 8 })
    expect(world.finished.map((items) => items.length)).toEqual([8])
  })

  test('Retry does not sign anybody in', async () => {
    const world = new World()
    world.gone.add('DJI_1.JPG')
    world.queue.signedIn(1)
    world.signedOut = true
    world.queue.add(photos(3), batch)
    await settle()
    world.gone.clear()
    world.queue.retryFailed()
    await settle()
    expect(world.queue.hold).toBe('signed-out')
    expect(world.requests).toEqual([])
  })

  test('one file that breaks every request fails alone and blocks nobody', async () => {
    const world = new World()
    world.answer = (names) =>
      names.includes('DJI_5.JPG') ? { kind: 'later', why: 'network', reason: 'broken pipe', afterMs: null } : null
    world.queue.add(photos(30), batch)
    await settle(300_000)
    expect(world.states()).toEqual({ ready: 29, failed: 1 })
    expect(world.item('DJI_5.JPG').state).toEqual({ name: 'failed', reason: 'broken pipe' })
  })

  test('a busy server is asked again after the time that it names', async () => {
    const world = new World()
    let busy = true
    world.answer = () => (busy ? { kind: 'later', why: 'busy', reason: 'busy', afterMs: 60_000 } : null)
    world.queue.add(photos(1), batch)
    await settle(59_000)
    expect(world.requests).toHaveLength(1)
    expect(world.queue.hold).toBe('busy')
    busy = false
    await settle(5_000)
    expect(world.states().sending).toBeUndefined()
    await settle()
    expect(world.states()).toEqual({ ready: 1 })
  })

  test('a file that has changed on the disk fails with that reason', async () => {
    const world = new World()
    world.gone.add('DJI_2.JPG')
    world.queue.add(photos(3), batch)
    await settle()
    expect(world.states()).toEqual({ ready: 2, failed: 1 })
    expect(world.item('DJI_2.JPG').state).toMatchObject({ reason: expect.stringContaining('can no longer be read') })
  })
})

describe('cancelling', () => {
  test('one in flight ends its request; the others of it are sent again', async () => {
    const world = new World()
    let open = () => {}
    world.gate = new Promise<void>((resolve) => {
      open = resolve
    })
    world.queue.add(photos(30), batch)
    await settle(1000)
    const [name = ''] = world.requests.findLast((names) => names.length > 1) ?? []
    world.queue.cancel(world.item(name))
    open()
    await settle()
    expect(world.states()).toEqual({ ready: 29, cancelled: 1 })
    expect(world.photos.has(name)).toBe(false)
  })

  test('all of them leaves what is stored and sends nothing more', async () => {
    const world = new World()
    world.queue.add(photos(5), batch)
    await settle()
    world.gate = new Promise(() => {})
    world.queue.add(photos(50, { from: 100 }), batch)
    await settle(1000)
    world.queue.cancelAll()
    await settle()
    expect(world.states()).toEqual({ cancelled: 50 })
    expect(world.photos.size).toBe(5)
    expect(world.running).toBe(0)
    expect(world.queue.hasUnsent).toBe(false)
  })
})

describe('the bar', () => {
  test('tells of the bytes until all are sent, and of the processing afterwards', async () => {
    const world = new World()
    const work: PhotoStatus = { id: 0, status: 'processing', statusMessage: null }
    for (let id = 1; id <= 4; id += 1) world.statuses.set(id, { ...work, id })
    let open = () => {}
    world.gate = new Promise<void>((resolve) => {
      open = resolve
    })
    world.queue.add(photos(4), batch)
    await settle(1000)
    expect(overviewOf(world.queue)).toMatchObject({ unsent: 4, percent: 25 })
    open()
    await settle(1000)
    expect(overviewOf(world.queue)).toMatchObject({ processing: 4, percent: 0 })
    world.statuses.set(1, { ...work, id: 1, status: 'ready' })
    await settle()
    expect(overviewOf(world.queue)).toMatchObject({ processing: 3, percent: 25 })
  })
})

describe('the session', () => {
  test('when it ends the upload waits and goes on after signing in', async () => {
    const world = new World()
    world.queue.signedIn(1)
    world.signedOut = true
    world.queue.add(photos(12), batch)
    await settle(3_600_000)
    expect(world.queue.hold).toBe('signed-out')
    expect(world.signedOutTold).toBe(1)
    expect(advice(world.queue, overviewOf(world.queue))).toMatch(/^Nothing is lost .* Log in/)
    expect(details(world.queue, overviewOf(world.queue))).toBe('0 of 12 · goes on when you log in')
    world.signedOut = false
    world.queue.signedIn(1)
    await settle()
    expect(world.states()).toEqual({ ready: 12 })
  })

  test('another user gets none of the files', async () => {
    const world = new World()
    world.queue.signedIn(1)
    world.signedOut = true
    world.queue.add(photos(12), batch)
    await settle()
    world.signedOut = false
    world.queue.signedIn(2)
    await settle()
    expect(world.states()).toEqual({})
    expect(world.requests).toEqual([])
  })
})
