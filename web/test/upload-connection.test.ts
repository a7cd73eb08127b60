import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { advance, apiError, batch, noResponse, photos, UploadFixture } from './upload-fixture.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a bad connection', () => {
  test('loses nothing: the upload waits, reads what was stored, and continues when the browser is online again', async () => {
    const upload = new UploadFixture()
    upload.queue.add(photos(40), batch)
    upload.failCompleting = (name) => {
      if (upload.photos.size < 20) return null
      // The server has stored the photo, but its response is lost.
      upload.photoOf(name)
      Object.assign(upload.sessions.get(`session of ${name}`) ?? {}, { state: 'completed' })
      upload.isDown = true
      return noResponse()
    }
    await advance(300_000)
    expect(upload.queue.hold).toBe('connection')
    expect(upload.states().failed).toBeUndefined()
    upload.isDown = false
    upload.failCompleting = () => null
    upload.queue.wake()
    await advance()
    expect(upload.states()).toEqual({ ready: 40 })
    // Nothing that was stored is sent again.
    expect(new Set(upload.sent).size).toBe(40)
    expect(upload.sent.length).toBeLessThan(44)
  })

  test('is retried without any event, too', async () => {
    const upload = new UploadFixture()
    upload.isDown = true
    upload.queue.add(photos(3), batch)
    await advance(90_000)
    upload.isDown = false
    await advance(40_000)
    expect(upload.states()).toEqual({ ready: 3 })
  })

  test('fails the files after half an hour without a response, and Retry sends them', async () => {
    const upload = new UploadFixture()
    upload.isDown = true
    upload.queue.add(photos(3), batch)
    await advance(40 * 60_000)
    expect(upload.states()).toEqual({ failed: 3 })
    expect(upload.item('DJI_1.JPG').state).toEqual({ name: 'failed', reason: 'A network error occurred during upload' })
    upload.isDown = false
    upload.queue.retryFailed()
    await advance()
    expect(upload.states()).toEqual({ ready: 3 })
  })

  test('before and after the sleep of a closed laptop fails no file', async () => {
    const upload = new UploadFixture()
    upload.isDown = true
    upload.queue.add(photos(3), batch)
    await advance(100)
    vi.setSystemTime(Date.now() + 8 * 3_600_000)
    upload.queue.look()
    await advance(100)
    expect(upload.queue.hold).toBe('connection')
    // Nobody looks at it: its timer is late.
    vi.setSystemTime(Date.now() + 8 * 3_600_000)
    await advance(3_000)
    expect(upload.states()).toEqual({ checking: 3 })
    upload.isDown = false
    await advance()
    expect(upload.states()).toEqual({ ready: 3 })
  })

  test('does not delay Retry: the failed file and the waiting ones are sent at once', async () => {
    const upload = new UploadFixture()
    // Other requests succeed, only parts break.
    upload.failPart = noResponse
    upload.queue.add(photos(8), batch)
    while (!upload.states().failed) await advance(1000)
    expect(upload.queue.hold).toBe('connection')
    const before = upload.sent.length
    await advance(1000)
    expect(upload.sent).toHaveLength(before)
    upload.failPart = () => null
    upload.queue.retryFailed()
    await advance(2000)
    expect(upload.queue.hold).toBeNull()
    expect(upload.sent.slice(before)).toHaveLength(8)
    await advance()
    expect(upload.states()).toEqual({ ready: 8 })
    expect(upload.finished.map((items) => items.length)).toEqual([8])
  })

  test('Retry does not end the wait for signing in', async () => {
    const upload = new UploadFixture()
    upload.unreadable.add('DJI_1.JPG')
    upload.queue.signedIn(1)
    upload.signedOut = true
    upload.queue.add(photos(3), batch)
    await advance()
    upload.unreadable.clear()
    upload.queue.retryFailed()
    await advance()
    expect(upload.queue.hold).toBe('signed-out')
    expect(upload.sent).toEqual([])
  })

  test('a file whose parts break each time fails alone and blocks no others', async () => {
    const upload = new UploadFixture()
    upload.failPart = (name) => (name === 'DJI_5.JPG' ? apiError(500, { message: 'broken pipe' }) : null)
    upload.queue.add(photos(30), batch)
    await advance(300_000)
    expect(upload.states()).toEqual({ ready: 29, failed: 1 })
    expect(upload.item('DJI_5.JPG').state).toEqual({ name: 'failed', reason: 'broken pipe' })
    // However many others are stored between its attempts.
    expect(upload.sent.filter((part) => part === 'DJI_5.JPG/1')).toHaveLength(6)
  })

  test('a busy server gets the next request after the time that it sets', async () => {
    const upload = new UploadFixture()
    let busy = true
    upload.failPart = () => (busy ? apiError(503, {}, 60) : null)
    upload.queue.add(photos(1), batch)
    await advance(59_000)
    expect(upload.sent).toHaveLength(1)
    expect(upload.queue.hold).toBe('busy')
    busy = false
    await advance(1_500)
    expect(upload.sent).toHaveLength(2)
    await advance()
    expect(upload.states()).toEqual({ ready: 1 })
  })

  test('a server of an earlier release, which does not know the requests, is only met during an update', async () => {
    const upload = new UploadFixture()
    const noRoute = (path: string) => apiError(404, { code: 'not_found', message: `There is nothing at POST ${path}.` })
    let met = 0
    const meets = (path: string) => (met++ % 3 < 2 ? noRoute(path) : null)
    upload.failOpening = () => meets('/api/upload-sessions')
    upload.failCompleting = () => meets('/api/upload-sessions/id/complete')
    upload.queue.add(photos(2), batch)
    await advance(500)
    expect(upload.queue.hold).toBe('busy')
    await advance(60_000)
    expect(upload.states()).toEqual({ ready: 2 })
    expect(upload.sent).toHaveLength(2)
    upload.failOpening = () => noRoute('/api/upload-sessions')
    upload.queue.add(photos(1, { from: 3 }), batch)
    await advance(45 * 60_000)
    expect(upload.item('DJI_3.JPG').state.name).toBe('failed')
    expect(upload.opened.length).toBeLessThan(80)
  })

  test('a limit of photos per minute delays a full memory card, which is stored without a failed file', async () => {
    const upload = new UploadFixture()
    let inMinute = 0
    let minute = 0
    upload.failOpening = (names) => {
      const now = Math.floor(Date.now() / 60_000)
      if (now !== minute) inMinute = 0
      minute = now
      if (inMinute + names.length > 100) return apiError(429, {}, 60 - Math.floor((Date.now() % 60_000) / 1000))
      inMinute += names.length
      return null
    }
    upload.queue.add(photos(1000), batch)
    await advance(60_000)
    expect(upload.states().failed).toBeUndefined()
    expect(upload.states().ready).toBeLessThan(1000)
    expect(upload.queue.hold).toBe('busy')
    await advance(40 * 60_000)
    expect(upload.states()).toEqual({ ready: 1000 })
    expect(upload.finished.map((items) => items.length)).toEqual([1000])
  })

  test('a file that has changed on the disk fails with that reason', async () => {
    const upload = new UploadFixture()
    upload.unreadable.add('DJI_2.JPG')
    upload.failPart = (name) => {
      if (name !== 'DJI_3.JPG') return null
      upload.unreadable.add(name)
      return noResponse()
    }
    upload.queue.add(photos(3), batch)
    await advance()
    expect(upload.states()).toEqual({ ready: 1, failed: 2 })
    // What is stored of it stays: a memory card may have been pulled.
    expect(upload.cancelled).toEqual([])
    for (const name of ['DJI_2.JPG', 'DJI_3.JPG'])
      expect(upload.item(name).state).toMatchObject({ reason: expect.stringContaining('can no longer be read') })
  })
})
