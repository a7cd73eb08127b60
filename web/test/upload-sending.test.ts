import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { advance, batch, photos, UploadFixture } from './upload-fixture.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('sending', () => {
  test('sends each of 500 files once, in at most two parallel requests of at most ten, and tracks it until it is processed', async () => {
    const upload = new UploadFixture()
    upload.queue.add(photos(500), batch)
    await advance()
    expect(upload.states()).toEqual({ ready: 500 })
    expect(upload.requests.flat()).toHaveLength(500)
    expect(new Set(upload.requests.flat()).size).toBe(500)
    expect(Math.max(...upload.requests.map((names) => names.length))).toBeLessThanOrEqual(10)
    expect(upload.mostRunning).toBe(2)
    expect(upload.finished.map((items) => items.length)).toEqual([500])
  })

  test('starts with the first hash, not with the last', async () => {
    const upload = new UploadFixture()
    upload.queue.add(photos(50), batch)
    await advance(1)
    expect(upload.requests.length).toBeGreaterThan(0)
  })

  test('notices the end of a long processing when a live event names the photo', async () => {
    const upload = new UploadFixture()
    upload.queue.add(photos(1), batch)
    await advance(500)
    upload.statuses.set(1, { id: 1, status: 'processing', statusMessage: null })
    await advance(60_000)
    expect(upload.states()).toEqual({ processing: 1 })
    expect(upload.finished).toEqual([])
    upload.statuses.set(1, { id: 1, status: 'ready', statusMessage: null })
    upload.queue.hint(1)
    await advance(600)
    expect(upload.states()).toEqual({ ready: 1 })
    expect(upload.finished).toHaveLength(1)
  })

  test('adds a second upload with its own fields to the running one', async () => {
    const upload = new UploadFixture()
    upload.blockedBy = new Promise((resolve) => setTimeout(resolve, 500))
    upload.queue.add(photos(3), batch)
    await advance(100)
    upload.queue.add(photos(3, { from: 10 }), { ...batch, folderId: 7 })
    await advance()
    expect(upload.states()).toEqual({ ready: 6 })
    for (const names of upload.requests) {
      expect(new Set(names.map((name) => upload.item(name).batch.folderId)).size).toBe(1)
    }
    expect(upload.finished.map((items) => items.length)).toEqual([6])
  })

  test('a rejected file does not affect the others of its request', async () => {
    const upload = new UploadFixture()
    upload.override = (names) => upload.store(names, (name) => (name === 'DJI_2.JPG' ? 'DJI_2.JPG is too small' : null))
    upload.queue.add(photos(5), batch)
    await advance()
    expect(upload.states()).toEqual({ ready: 4, rejected: 1 })
    expect(upload.item('DJI_2.JPG').state).toEqual({ name: 'rejected', reason: 'DJI_2.JPG is too small' })
  })

  test('sends a request that is too large as a whole file by file', async () => {
    const upload = new UploadFixture()
    upload.override = (names) => (names.length > 1 ? { kind: 'too-large', reason: 'Too large' } : null)
    upload.queue.add(photos(12), batch)
    await advance()
    expect(upload.states()).toEqual({ ready: 12 })
  })

  test('failed processing has a reason and can be retried', async () => {
    const upload = new UploadFixture()
    upload.statuses.set(1, { id: 1, status: 'failed', statusMessage: 'The file is damaged' })
    upload.queue.add(photos(1), batch)
    await advance()
    const item = upload.item('DJI_1.JPG')
    expect(item.state).toEqual({ name: 'unprocessed', photoId: 1, reason: 'The file is damaged' })
    await upload.queue.reprocess(item)
    await advance()
    expect(upload.states()).toEqual({ ready: 1 })
    expect(upload.finished.map((items) => items.length)).toEqual([1, 1])
  })
})
