import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { SendResult } from '../src/features/upload/queue/deps.ts'
import { advance, batch, photos, UploadFixture } from './upload-fixture.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a bad connection', () => {
  test('loses nothing: the upload waits, checks what was stored, and continues when the browser is online again', async () => {
    const upload = new UploadFixture()
    upload.queue.add(photos(40), batch)
    upload.override = (names) => {
      if (upload.requests.length < 3) return null
      // The server has stored them, but its response is lost.
      upload.store(names)
      upload.isDown = true
      return { kind: 'retryable', why: 'network', reason: 'lost', afterMs: null }
    }
    await advance(300_000)
    expect(upload.queue.hold).toBe('connection')
    expect(upload.states().failed).toBeUndefined()
    upload.isDown = false
    upload.override = () => null
    upload.queue.online()
    await advance()
    expect(upload.states()).toEqual({ ready: 40 })
    // Nothing that was stored is sent again.
    expect(upload.requests.flat()).toHaveLength(40)
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

  test('does not delay Retry: the failed file and the waiting ones are sent at once', async () => {
    const upload = new UploadFixture()
    // Checks succeed, only the requests with files break.
    const broken: SendResult = { kind: 'retryable', why: 'network', reason: 'broken pipe', afterMs: null }
    upload.override = () => broken
    upload.queue.add(photos(8), batch)
    while (!upload.states().failed) await advance(1000)
    expect(upload.queue.hold).toBe('connection')
    const before = upload.requests.length
    await advance(1000)
    expect(upload.requests).toHaveLength(before)
    upload.override = () => null
    upload.queue.retryFailed()
    await advance(2000)
    expect(upload.queue.hold).toBeNull()
    expect(upload.requests.slice(before).flat()).toHaveLength(8)
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
    expect(upload.requests).toEqual([])
  })

  test('a file that breaks every request fails alone and blocks no others', async () => {
    const upload = new UploadFixture()
    upload.override = (names) =>
      names.includes('DJI_5.JPG') ? { kind: 'retryable', why: 'network', reason: 'broken pipe', afterMs: null } : null
    upload.queue.add(photos(30), batch)
    await advance(300_000)
    expect(upload.states()).toEqual({ ready: 29, failed: 1 })
    expect(upload.item('DJI_5.JPG').state).toEqual({ name: 'failed', reason: 'broken pipe' })
  })

  test('a busy server gets the next request after the time that it sets', async () => {
    const upload = new UploadFixture()
    let busy = true
    upload.override = () => (busy ? { kind: 'retryable', why: 'busy', reason: 'busy', afterMs: 60_000 } : null)
    upload.queue.add(photos(1), batch)
    await advance(59_000)
    expect(upload.requests).toHaveLength(1)
    expect(upload.queue.hold).toBe('busy')
    busy = false
    await advance(5_000)
    expect(upload.states().sending).toBeUndefined()
    await advance()
    expect(upload.states()).toEqual({ ready: 1 })
  })

  test('a file that has changed on the disk fails with that reason', async () => {
    const upload = new UploadFixture()
    upload.unreadable.add('DJI_2.JPG')
    upload.queue.add(photos(3), batch)
    await advance()
    expect(upload.states()).toEqual({ ready: 2, failed: 1 })
    expect(upload.item('DJI_2.JPG').state).toMatchObject({ reason: expect.stringContaining('can no longer be read') })
  })
})
