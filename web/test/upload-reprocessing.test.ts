import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { advance, batch, photos, UploadFixture } from './upload-fixture.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a photo whose failed processing is retried by its card', () => {
  async function failedOne(): Promise<UploadFixture> {
    const upload = new UploadFixture()
    upload.statuses.set(1, { id: 1, status: 'failed', statusMessage: 'The file is damaged' })
    upload.queue.add(photos(1), batch)
    await advance()
    expect(upload.states()).toEqual({ unprocessed: 1 })
    return upload
  }

  test('is tracked until processing ends, and the end is reported', async () => {
    const upload = await failedOne()
    upload.statuses.set(1, { id: 1, status: 'processing', statusMessage: null })
    upload.queue.hint(1)
    await advance(600)
    expect(upload.states()).toEqual({ processing: 1 })
    upload.statuses.set(1, { id: 1, status: 'ready', statusMessage: null })
    upload.queue.hint(1)
    await advance(600)
    expect(upload.states()).toEqual({ ready: 1 })
    expect(upload.finished.map((items) => items.length)).toEqual([1, 1])
  })

  test('becomes ready even if its processing was never observed', async () => {
    const upload = await failedOne()
    upload.statuses.set(1, { id: 1, status: 'ready', statusMessage: null })
    upload.queue.hint(1)
    await advance(600)
    expect(upload.states()).toEqual({ ready: 1 })
    expect(upload.finished.map((items) => items.length)).toEqual([1, 1])
  })

  test('stays failed without another report when a live event brings nothing new', async () => {
    const upload = await failedOne()
    upload.queue.hint(1)
    await advance()
    expect(upload.states()).toEqual({ unprocessed: 1 })
    expect(upload.finished).toHaveLength(1)
  })

  test('is no longer a problem after it was deleted', async () => {
    const upload = await failedOne()
    upload.statuses.clear()
    upload.queue.hint(1)
    await advance(600)
    expect(upload.states()).toEqual({ deleted: 1 })
  })

  test('is ignored after the queue was dismissed', async () => {
    const upload = await failedOne()
    upload.queue.dismiss()
    upload.statuses.set(1, { id: 1, status: 'ready', statusMessage: null })
    upload.queue.hint(1)
    await advance()
    expect(upload.states()).toEqual({})
    expect(upload.queue.isActive).toBe(false)
    expect(upload.finished).toHaveLength(1)
  })
})
