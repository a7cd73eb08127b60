import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { PhotoStatus } from '../src/features/upload/queue/deps.ts'
import { overviewOf, timeLeft } from '../src/features/upload/texts.ts'
import { advance, batch, photos, UploadFixture } from './upload-fixture.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('the progress bar', () => {
  test('shows sent bytes until all are sent, then processed photos', async () => {
    const upload = new UploadFixture()
    const work: PhotoStatus = { id: 0, status: 'processing', statusMessage: null }
    for (let id = 1; id <= 4; id += 1) upload.statuses.set(id, { ...work, id })
    const open = upload.block()
    upload.queue.add(photos(4), batch)
    await advance(1000)
    expect(overviewOf(upload.queue)).toMatchObject({ unsent: 4, percent: 50 })
    open()
    await advance(1000)
    expect(overviewOf(upload.queue)).toMatchObject({ processing: 4, percent: 0 })
    upload.statuses.set(1, { ...work, id: 1, status: 'ready' })
    await advance()
    expect(overviewOf(upload.queue)).toMatchObject({ processing: 3, percent: 25 })
  })
})

describe('the time left', () => {
  test('is rounded to coarse steps', () => {
    expect([4, 33, 50, 61, 754, 3600, 5500].map(timeLeft)).toEqual([
      'a few seconds left',
      'about 40 s left',
      'about 50 s left',
      'about 1 min left',
      'about 13 min left',
      'about 1 h left',
      'about 1 h 30 min left',
    ])
  })
})
