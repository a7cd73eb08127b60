import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { UploadApi } from '../src/features/upload/queue/deps.ts'
import { advance, apiError, batch, noResponse, photos, UploadFixture } from './upload-fixture.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Random numbers from 0 to 1, the same ones for each seed. */
function randomsOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** A server that is slow and fails in every way, until it is `calm`. */
function chaoticUpload(random: () => number) {
  const upload = new UploadFixture()
  upload.isDirect = random() < 0.3
  let isCalm = false
  const failureRate = random() / 2
  const overlaps: string[] = []
  const sending = new Set<{ name: string }>()
  const oneOf = <T>(choices: T[]) => choices[Math.floor(random() * choices.length)] as T
  const usual = () => oneOf([noResponse(), noResponse(), apiError(500), apiError(503, {}, 2), apiError(429)])
  const isFailure = () => !isCalm && random() < failureRate
  const slowly = async <T>(work: () => Promise<T>) => {
    await new Promise((resolve) => setTimeout(resolve, random() * 400))
    return work()
  }

  for (const name of ['hash', 'findKnown', 'openSessions', 'session', 'complete', 'cancel', 'status'] as const) {
    const request = upload[name] as (...given: unknown[]) => Promise<unknown>
    Object.assign(upload, { [name]: (...given: unknown[]) => slowly(() => request(...given)) })
  }
  const { sendPart } = upload
  const send: UploadApi['sendPart'] = async (part, onProgress, signal) => {
    const name = `${part.session}/${part.number}`
    if (sending.size === 4 || [...sending].some((other) => other.name === name)) overlaps.push(name)
    const request = { name }
    sending.add(request)
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => {
        sending.delete(request)
        reject(noResponse())
      })
    })
    const sent = slowly(() => (signal.aborted ? aborted : sendPart(part, onProgress, signal)))
    await Promise.race([sent, aborted]).finally(() => sending.delete(request))
  }
  upload.sendPart = send
  upload.failPart = (name, number) => {
    if (!isFailure()) return null
    const store = () => upload.sessions.has(`session of ${name}`) && upload.store(name, [number])
    return oneOf([
      usual,
      usual,
      // The response is lost, not the part.
      () => {
        store()
        return noResponse()
      },
      () => {
        setTimeout(store, 1000)
        return apiError(409, { code: 'part_superseded' })
      },
      () => apiError(403, { code: 'url_expired' }),
      () => {
        upload.sessions.delete(`session of ${name}`)
        return apiError(404)
      },
    ])()
  }
  upload.failOpening = () => (isFailure() ? usual() : null)
  upload.failCompleting = (name) => {
    if (!isFailure()) return null
    if (random() < 0.5) return oneOf([usual(), apiError(409, { code: 'upload_busy' }, 1)])
    Object.assign(upload.sessions.get(`session of ${name}`) ?? {}, {
      state: 'completed',
      photoId: upload.photoOf(name).id,
    })
    return noResponse()
  }
  const calm = () => {
    isCalm = true
    Object.assign(upload, { isDown: false, signedOut: false })
    upload.queue.signedIn(1)
  }
  return { upload, overlaps, calm }
}

/** What users and devices do meanwhile. */
function disturb({ queue, ...upload }: UploadFixture, random: () => number, set: (change: object) => void): void {
  const item = queue.store.items[Math.floor(random() * queue.store.items.length)]
  const disturbances = [
    () => item && queue.cancel(item),
    () => item && queue.retry(item),
    () => queue.cancelAll({ keep: random() < 0.5 }),
    () => queue.retryFailed(),
    () => queue.wake(),
    () => queue.look(),
    () => set({ isDown: !upload.isDown }),
    () => set({ signedOut: true }),
    () => queue.signedOut(),
  ]
  disturbances[Math.floor(random() * disturbances.length)]?.()
  if (random() < 0.5) return
  set({ signedOut: false })
  queue.signedIn(1)
}

test.each(Array.from({ length: 30 }, (_, index) => index + 1))(
  'whatever happens, no file is lost (%i)',
  async (seed) => {
    const random = randomsOf(seed)
    const { upload, overlaps, calm } = chaoticUpload(random)
    upload.queue.signedIn(1)
    for (let number = 1; number <= 12; number += 1) {
      // Each third file is another one's equal.
      const from = number % 3 === 0 ? number - 1 : number
      upload.queue.add(photos(1, { from, bytes: 500 + from * 700 }), batch)
    }
    const stored = ['A.JPG', 'B.JPG', 'C.JPG'].map((name) => upload.open(name, 1000, 1000))
    for (const { name } of stored) upload.store(name, [1])
    upload.queue.finish(stored)
    for (let step = 0; step < 40; step += 1) {
      await advance(random() * 5000)
      disturb(upload, random, (change) => Object.assign(upload, change))
    }
    calm()
    for (let round = 0; round < 3; round += 1) {
      await advance(40 * 60_000)
      for (const item of upload.queue.store.items) upload.queue.retry(item)
    }
    expect(upload.queue.isActive).toBe(false)
    const { ready = 0, known = 0, ...others } = upload.states()
    expect([others, ready + known]).toEqual([{}, 15])
    expect(upload.photos.size).toBe(8 + 3)
    expect(overlaps).toEqual([])
    expect(upload.finished.length).toBeGreaterThan(0)
  },
)
