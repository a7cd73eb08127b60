import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { advance, batch, noResponse, photos, UploadFixture } from './upload-fixture.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('cancelling', () => {
  test('a file in flight aborts its parts and removes what was stored of it; other files are not affected', async () => {
    const upload = new UploadFixture()
    const open = upload.block()
    upload.queue.add([...photos(1, { bytes: 5000 }), ...photos(20, { from: 2 })], batch)
    await advance(1000)
    upload.queue.cancel(upload.item('DJI_1.JPG'))
    await advance(1000)
    expect(upload.cancelled).toEqual(['DJI_1.JPG'])
    open()
    await advance()
    expect(upload.states()).toEqual({ ready: 20, cancelled: 1 })
    expect(upload.photos.has('DJI_1.JPG')).toBe(false)
    expect(upload.sent.filter((part) => part.startsWith('DJI_2.JPG'))).toHaveLength(1)
  })

  test('all files keeps what is stored and sends nothing more', async () => {
    const upload = new UploadFixture()
    upload.queue.add(photos(5), batch)
    await advance()
    upload.block()
    upload.queue.add(photos(50, { from: 100 }), batch)
    await advance(1000)
    upload.queue.cancelAll()
    await advance()
    expect(upload.states()).toEqual({ cancelled: 50 })
    expect(upload.photos.size).toBe(5)
    expect(upload.running).toBe(0)
    expect(upload.queue.hasUnsent).toBe(false)
    expect([...upload.sessions.values()].filter(({ state }) => state === 'open')).toEqual([])
  })

  test('keeps what was sent of the files when it is by signing out', async () => {
    const upload = new UploadFixture()
    upload.block()
    upload.queue.add(photos(3), batch)
    await advance(1000)
    upload.queue.cancelAll({ keep: true })
    await advance()
    expect(upload.states()).toEqual({ cancelled: 3 })
    expect(upload.cancelled).toEqual([])
  })

  test('keeps what an earlier visit has sent when it is by signing out while upload sessions are opened', async () => {
    const upload = new UploadFixture()
    delayOpening(upload)
    upload.queue.add(photos(3), batch)
    await advance(100)
    upload.queue.cancelAll({ keep: true })
    await advance()
    expect(upload.states()).toEqual({ cancelled: 3 })
    expect(upload.opened).toHaveLength(1)
    expect(upload.cancelled).toEqual([])
  })

  test('a file that turns out to be in another folder stays cancelled', async () => {
    const upload = new UploadFixture()
    upload.openSessions = async () => [{ state: 'known', photoId: 7 }]
    upload.move = async () => {
      await new Promise((resolve) => setTimeout(resolve, 500))
      return [7]
    }
    upload.queue.add(photos(1), { ...batch, folderId: 3 })
    await advance(100)
    upload.queue.cancel(upload.item('DJI_1.JPG'))
    await advance()
    expect(upload.states()).toEqual({ cancelled: 1 })
  })

  test('all files leaves those that may be photos already, and asks again', async () => {
    const upload = new UploadFixture()
    upload.failCompleting = (name) => {
      if (name !== 'DJI_1.JPG') return null
      // The response is lost.
      upload.failCompleting = () => null
      upload.photoOf(name)
      return noResponse()
    }
    upload.queue.add(photos(1), batch)
    await advance(100)
    expect(upload.queue.hold).toBe('connection')
    expect(upload.queue.canCancel(upload.item('DJI_1.JPG'))).toBe(false)
    upload.queue.cancelAll()
    await advance()
    expect(upload.states()).toEqual({ ready: 1 })
  })

  test('a file while its upload session is being opened removes it, and Retry sends the file', async () => {
    const upload = new UploadFixture()
    delayOpening(upload)
    upload.queue.add(photos(1), batch)
    await advance(100)
    const item = upload.item('DJI_1.JPG')
    upload.queue.cancel(item)
    await advance(1000)
    expect(upload.cancelled).toEqual(['DJI_1.JPG'])
    upload.queue.retry(item)
    await advance()
    expect(upload.states()).toEqual({ ready: 1 })
  })
})

/** Upload sessions take half a second to be opened. */
function delayOpening(upload: UploadFixture): void {
  const { openSessions } = upload
  upload.openSessions = async (...request) => {
    await new Promise((resolve) => setTimeout(resolve, 500))
    return openSessions(...request)
  }
}
