import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { advance, batch, photos, UploadFixture } from './upload-fixture.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('cancelling', () => {
  test('a file in flight aborts its request; the other files are sent again', async () => {
    const upload = new UploadFixture()
    let open = () => {}
    upload.blockedBy = new Promise<void>((resolve) => {
      open = resolve
    })
    upload.queue.add(photos(30), batch)
    await advance(1000)
    const [name = ''] = upload.requests.findLast((names) => names.length > 1) ?? []
    upload.queue.cancel(upload.item(name))
    open()
    await advance()
    expect(upload.states()).toEqual({ ready: 29, cancelled: 1 })
    expect(upload.photos.has(name)).toBe(false)
  })

  test('all files keeps what is stored and sends nothing more', async () => {
    const upload = new UploadFixture()
    upload.queue.add(photos(5), batch)
    await advance()
    upload.blockedBy = new Promise(() => {})
    upload.queue.add(photos(50, { from: 100 }), batch)
    await advance(1000)
    upload.queue.cancelAll()
    await advance()
    expect(upload.states()).toEqual({ cancelled: 50 })
    expect(upload.photos.size).toBe(5)
    expect(upload.running).toBe(0)
    expect(upload.queue.hasUnsent).toBe(false)
  })
})
