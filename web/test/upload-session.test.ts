import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { advice, details, overviewOf } from '../src/features/upload/texts.ts'
import { advance, batch, photos, UploadFixture } from './upload-fixture.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('the session', () => {
  test('pauses the upload when it ends, until the user has signed in again', async () => {
    const upload = new UploadFixture()
    upload.queue.signedIn(1)
    upload.signedOut = true
    upload.queue.add(photos(12), batch)
    await advance(3_600_000)
    expect(upload.queue.hold).toBe('signed-out')
    expect(upload.sessionEndCount).toBe(1)
    expect(advice(upload.queue, overviewOf(upload.queue))).toMatch(/^Nothing is lost .* Log in/)
    expect(details(upload.queue, overviewOf(upload.queue))).toBe('0 of 12 · continues when you log in')
    upload.signedOut = false
    upload.queue.signedIn(1)
    await advance()
    expect(upload.states()).toEqual({ ready: 12 })
  })

  test('stops what is on the way when it ends elsewhere, and the progress shows what is stored', async () => {
    const upload = new UploadFixture()
    upload.queue.signedIn(1)
    const open = upload.block()
    upload.queue.add(photos(2), batch)
    await advance()
    expect(upload.running).toBeGreaterThan(0)
    upload.signedOut = true
    upload.queue.signedOut()
    await advance()
    expect(upload.running).toBe(0)
    expect(overviewOf(upload.queue).percent).toBe(0)
    open()
    upload.signedOut = false
    upload.queue.signedIn(1)
    await advance()
    expect(upload.states()).toEqual({ ready: 2 })
  })

  test('is tried again later, not in a loop, when it has not ended after all', async () => {
    const upload = new UploadFixture()
    upload.queue.signedIn(1)
    upload.signedOut = true
    upload.queue.add(photos(1), batch)
    await advance()
    expect(upload.queue.hold).toBe('signed-out')
    upload.queue.sessionKept()
    expect(upload.queue.hold).toBe('busy')
    upload.signedOut = false
    await advance(60_000)
    expect(upload.states()).toEqual({ ready: 1 })
  })

  test('does not give the files to another user', async () => {
    const upload = new UploadFixture()
    upload.queue.signedIn(1)
    upload.signedOut = true
    upload.queue.add(photos(12), batch)
    await advance()
    upload.signedOut = false
    expect(upload.queue.signedIn(2)).toBe(true)
    await advance()
    expect(upload.states()).toEqual({})
    expect(upload.sent).toEqual([])
  })
})
