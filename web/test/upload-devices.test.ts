import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { LOST, NEEDS_FILE } from '../src/features/upload/queue/failure.ts'
import { headline, overviewOf } from '../src/features/upload/texts.ts'
import { advance, apiError, batch, noResponse, photos, UploadFixture } from './upload-fixture.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const large = photos(1, { bytes: 10_000 })
const superseded = () => apiError(409, { code: 'part_superseded' }, 2)
const busy = (seconds: number) => apiError(409, { code: 'upload_busy', message: 'Wait' }, seconds)

describe('a file that another device is sending, too', () => {
  test('goes on with other parts, from its end, and what the other device brings is not sent again', async () => {
    const upload = new UploadFixture()
    upload.failPart = (name, number) => {
      if (number > 3) return null
      setTimeout(() => upload.store(name, [number]), 1500)
      return superseded()
    }
    upload.queue.add(large, batch)
    await advance(1000)
    expect(upload.item('DJI_1.JPG').state).toEqual({ name: 'sending', stored: 7000, inFlight: 0 })
    expect(upload.queue.hold).toBeNull()
    expect(headline(upload.queue, overviewOf(upload.queue))).toBe('Uploading 1 photo')
    await advance()
    expect(upload.states()).toEqual({ ready: 1 })
    const parts = [1, 2, 3, 4, 10, 9, 8, 7, 6, 5]
    expect(upload.sent).toEqual(parts.map((number) => `DJI_1.JPG/${number}`))
  })

  test('is sent from here as a whole when the other device brings nothing, and other files do not wait', async () => {
    const upload = new UploadFixture()
    let lost = 0
    upload.failPart = (_name, number) => {
      if (number !== 2 || lost === 3) return null
      lost += 1
      return superseded()
    }
    upload.queue.add([...large, ...photos(5, { from: 2 })], batch)
    await advance(1500)
    expect(upload.photos.size).toBe(5)
    await advance()
    expect(upload.states()).toEqual({ ready: 6 })
    expect(upload.sent.filter((part) => part === 'DJI_1.JPG/2')).toHaveLength(4)
  })

  test('fails alone when another device sends a part for half an hour and it does not arrive', async () => {
    const upload = new UploadFixture()
    upload.failPart = (name, number) => (name === 'DJI_1.JPG' && number === 2 ? superseded() : null)
    upload.queue.add([...large, ...photos(5, { from: 2 })], batch)
    await advance(25 * 60_000)
    expect(upload.states()).toEqual({ sending: 1, ready: 5 })
    await advance(10 * 60_000)
    expect(upload.item('DJI_1.JPG').state).toEqual({ name: 'failed', reason: 'A test' })
    expect(upload.sent.filter((part) => part === 'DJI_1.JPG/2').length).toBeLessThan(70)
  })

  test('stays sent while another request makes its photo, and is asked for after the time that the server sets', async () => {
    const upload = new UploadFixture()
    let isBusy = true
    upload.failCompleting = (name) => (isBusy && name === 'DJI_1.JPG' ? busy(30) : null)
    upload.queue.add([...large, ...photos(5, { from: 2 })], batch)
    await advance(25_000)
    expect(upload.states()).toEqual({ sending: 1, ready: 5 })
    expect(upload.item('DJI_1.JPG').state).toEqual({ name: 'sending', stored: 10_000, inFlight: 0 })
    expect(upload.queue.hold).toBeNull()
    isBusy = false
    await advance()
    expect(upload.states()).toEqual({ ready: 6 })
    expect(upload.completed.filter((name) => name === 'DJI_1.JPG')).toHaveLength(2)
    expect(upload.sent).toHaveLength(15)
  })

  test('fails alone when another request does not finish its photo in half an hour, with what the server says', async () => {
    const upload = new UploadFixture()
    upload.failCompleting = () => busy(2)
    upload.queue.add(large, batch)
    await advance(25 * 60_000)
    expect(upload.states()).toEqual({ sending: 1 })
    expect(upload.completed.length).toBeLessThan(60)
    await advance(10 * 60_000)
    expect(upload.item('DJI_1.JPG').state).toEqual({ name: 'failed', reason: 'Wait' })
  })

  test('is sent again from its beginning when it is discarded there, and the list says why', async () => {
    const upload = new UploadFixture()
    upload.failPart = (_name, number) => {
      if (number < 9) return null
      upload.failPart = () => null
      upload.sessions.clear()
      return apiError(404)
    }
    upload.queue.add(large, batch)
    await advance()
    expect(upload.states()).toEqual({ ready: 1 })
    expect(upload.opened).toEqual([['DJI_1.JPG'], ['DJI_1.JPG']])
    expect([...upload.queue.notes]).toEqual([LOST])
  })
})

describe('uploads that are stored completely', () => {
  /** Upload sessions of other visits whose parts are all stored. */
  function storeAll(upload: UploadFixture, count: number) {
    for (const { file, bytes } of photos(count)) {
      upload.open(file.name, bytes, batch.parts.partBytes)
      upload.store(file.name, [1])
    }
    return [...upload.sessions.values()]
  }

  test('become photos without their files, two at a time, and end as other files do', async () => {
    const upload = new UploadFixture()
    const stored = storeAll(upload, 5)
    const { complete } = upload
    let [running, most] = [0, 0]
    upload.complete = async (id) => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setTimeout(resolve, 500))
      running -= 1
      return complete(id)
    }
    upload.queue.finish(stored)
    await advance(200)
    expect(upload.states()).toEqual({ sending: 5 })
    expect(upload.queue.canCancel(upload.item('DJI_5.JPG'))).toBe(false)
    // They are listed again while they are being completed, and after that.
    upload.queue.finish(stored)
    upload.queue.cancelAll()
    await advance()
    upload.queue.finish(stored)
    await advance()
    expect(upload.states()).toEqual({ ready: 5 })
    expect(most).toBe(2)
    expect(upload.completed).toHaveLength(5)
    expect(upload.sent).toEqual([])
    expect(upload.finished.map((items) => items.length)).toEqual([5])
    expect(upload.queue.couldNotFinish('session of DJI_1.JPG')).toBe(false)
    // The notice does not offer them again.
    expect(upload.queue.store.hashes).toContain('DJI_1.JPG')
  })

  test('say why they could not become photos, and Retry tries again', async () => {
    const upload = new UploadFixture()
    const stored = storeAll(upload, 4)
    const full = 'This upload does not fit into your storage.'
    const failures = new Map([
      ['DJI_1.JPG', apiError(413, { code: 'quota_exceeded', issues: [full] })],
      ['DJI_2.JPG', apiError(415, { issues: ['DJI_2.JPG is not a photo.'] })],
      ['DJI_3.JPG', apiError(409, { code: 'parts_missing' })],
    ])
    upload.failCompleting = (name) => failures.get(name) ?? null
    upload.queue.finish(stored)
    await advance()
    expect(upload.item('DJI_1.JPG').state).toEqual({ name: 'no-room', reason: full })
    expect(upload.item('DJI_2.JPG').state).toEqual({ name: 'rejected', reason: 'DJI_2.JPG is not a photo.' })
    expect(upload.item('DJI_3.JPG').state).toEqual({ name: 'failed', reason: NEEDS_FILE })
    expect(upload.item('DJI_4.JPG').state.name).toBe('ready')
    expect(upload.queue.couldNotFinish('session of DJI_1.JPG')).toBe(true)
    failures.delete('DJI_1.JPG')
    upload.queue.retryFailed()
    await advance()
    expect(upload.states()).toEqual({ ready: 2, rejected: 1, failed: 1 })
    // The file is listed once when it is chosen again.
    failures.clear()
    upload.queue.add(photos(1, { from: 3 }), batch)
    await advance()
    expect(upload.states()).toEqual({ ready: 1, rejected: 1 })
    expect(upload.sent).toEqual([])
  })

  test('are completed by one request at a time, also when they are tried again while they wait for another one', async () => {
    const upload = new UploadFixture()
    const stored = storeAll(upload, 1)
    const item = () => upload.item('DJI_1.JPG')
    const retryAfterSigningOut = () => {
      upload.queue.cancelAll({ keep: true })
      upload.queue.retry(item())
    }
    upload.failCompleting = () => busy(30)
    upload.queue.finish(stored)
    await advance(100)
    upload.failCompleting = () => null
    const { complete } = upload
    upload.complete = async (id) => {
      await new Promise((resolve) => setTimeout(resolve, 40_000))
      return complete(id)
    }
    retryAfterSigningOut()
    await advance(100)
    retryAfterSigningOut()
    await advance(60_000)
    expect(upload.states()).toEqual({ ready: 1 })
    await advance(60_000)
    expect(upload.completed).toHaveLength(2)
  })

  test('wait for the connection, for the end of another request, and for signing in', async () => {
    const upload = new UploadFixture()
    const stored = storeAll(upload, 2)
    const responses = [noResponse(), busy(30), null]
    upload.failCompleting = (name) => (name === 'DJI_1.JPG' ? (responses.shift() ?? null) : null)
    upload.queue.signedIn(1)
    upload.queue.finish(stored)
    await advance(100)
    expect(upload.queue.hold).toBe('connection')
    await advance(25_000)
    expect(upload.states()).toEqual({ sending: 1, ready: 1 })
    upload.signedOut = true
    await advance()
    expect(upload.queue.hold).toBe('signed-out')
    upload.signedOut = false
    upload.queue.signedIn(1)
    await advance()
    expect(upload.states()).toEqual({ ready: 2 })
  })
})
