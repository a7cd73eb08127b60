import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { advice, details, overviewOf, roomSentence } from '../src/features/upload/texts.ts'
import { advance, apiError, batch, photos, UploadFixture } from './upload-fixture.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const FULL = 'This upload does not fit into your storage: 0.10 GB of 5.00 GB left. Delete photos to upload more.'

describe('files that do not fit into the storage', () => {
  test('are told before they are sent, and the others are sent', async () => {
    const upload = new UploadFixture()
    upload.quota = { used: 0, limit: 1000 }
    upload.queue.add([...photos(4, { bytes: 300 }), ...photos(1, { from: 5, bytes: 50 })], batch)
    await advance()
    expect(upload.states()).toEqual({ ready: 4, 'no-room': 1 })
    expect(upload.sent).not.toContain('DJI_4.JPG/1')
    expect(upload.item('DJI_4.JPG').state).toMatchObject({
      reason:
        'This photo does not fit into your storage: 100 Bytes of 1000 Bytes left after the photos before it. Delete photos to upload more.',
    })
  })

  test('wait for what is being sent when only its result tells whether they fit', async () => {
    const upload = new UploadFixture()
    upload.quota = { used: 0, limit: 1000 }
    const open = upload.block()
    upload.queue.add([...photos(1, { bytes: 700 }), ...photos(1, { from: 2, bytes: 500 })], batch)
    await advance(5000)
    expect(upload.states()).toEqual({ sending: 1, checking: 1 })
    open()
    await advance()
    expect(upload.states()).toEqual({ ready: 1, 'no-room': 1 })
    expect(upload.sent).toEqual(['DJI_1.JPG/1'])
  })

  test('are sent when those before them were not stored', async () => {
    const upload = new UploadFixture()
    upload.quota = { used: 0, limit: 1000 }
    const open = upload.block()
    upload.failCompleting = (name) => (name === 'DJI_1.JPG' ? apiError(415, { issues: ['not a photo'] }) : null)
    upload.queue.add([...photos(1, { bytes: 700 }), ...photos(1, { from: 2, bytes: 500 })], batch)
    await advance(5000)
    open()
    await advance()
    expect(upload.states()).toEqual({ rejected: 1, ready: 1 })
  })

  test('are listed once when they are chosen again', async () => {
    const upload = new UploadFixture()
    upload.quota = { used: 1000, limit: 1000 }
    const chosen = photos(2)
    upload.queue.add(chosen, batch)
    await advance()
    upload.queue.add(chosen.slice(1), batch)
    await advance()
    expect(upload.states()).toEqual({ 'no-room': 2 })
  })

  test('are not among those that are told to be stored', async () => {
    const upload = new UploadFixture()
    upload.quota = { used: 0, limit: 100 }
    upload.statuses.set(1, { id: 1, status: 'processing', statusMessage: null })
    upload.queue.add(photos(3), batch)
    await advance(3000)
    const now = overviewOf(upload.queue)
    expect(now).toMatchObject({ processing: 1, notStored: 2 })
    expect(details(upload.queue, now)).toBe('1 stored, 2 not. Reading place and date, making previews')
    expect(advice(upload.queue, now)).toBe('Files that are not stored stay in this list while the page is open.')
  })

  test('take nothing when the user already has them', async () => {
    const upload = new UploadFixture()
    upload.quota = { used: 1000, limit: 1000 }
    upload.photos.set('DJI_1.JPG', 1)
    upload.queue.add(photos(2), batch)
    await advance()
    expect(upload.states()).toEqual({ known: 1, 'no-room': 1 })
    expect(upload.sent).toEqual([])
  })

  test('are sent by a retry after photos were deleted', async () => {
    const upload = new UploadFixture()
    upload.quota = { used: 950, limit: 1000 }
    upload.queue.add(photos(2), batch)
    await advance()
    expect(upload.states()).toEqual({ 'no-room': 2 })
    upload.quota = { used: 0, limit: 1000 }
    upload.queue.retryFailed()
    await advance()
    expect(upload.states()).toEqual({ ready: 2 })
  })

  test('are told by the server when the room has become less meanwhile, and keep what is stored of them', async () => {
    const upload = new UploadFixture()
    let isFull = true
    upload.failCompleting = (name) =>
      isFull && name === 'DJI_2.JPG' ? apiError(413, { code: 'quota_exceeded', message: FULL, issues: [FULL] }) : null
    upload.queue.add(photos(5), batch)
    await advance()
    expect(upload.states()).toEqual({ ready: 4, 'no-room': 1 })
    expect(upload.item('DJI_2.JPG').state).toMatchObject({ reason: FULL })
    isFull = false
    upload.queue.retryFailed()
    await advance()
    expect(upload.states()).toEqual({ ready: 5 })
    expect(upload.sent).toHaveLength(5)
  })

  test('are told when their upload sessions are opened', async () => {
    const upload = new UploadFixture()
    const { openSessions } = upload
    upload.openSessions = async (files, ...rest) => {
      const results = await openSessions(files, ...rest)
      const rejected = { state: 'rejected', issue: FULL, code: 'quota_exceeded' } as const
      return results.map((result, index) => (files[index]?.name === 'DJI_2.JPG' ? rejected : result))
    }
    upload.queue.add(photos(3), batch)
    await advance()
    expect(upload.states()).toEqual({ ready: 2, 'no-room': 1 })
  })
})

describe('the form', () => {
  const quota = { used: 600, limit: 1000 }

  test('says nothing while the chosen files fit beside the uploads that are not finished', () => {
    expect(roomSentence(quota, 0, 400)).toBeNull()
    expect(roomSentence(quota, 300, 100)).toBeNull()
  })

  test('counts what is reserved for uploads as taken', () => {
    expect(roomSentence(quota, 300, 200)).toBe(
      'These photos take 200 Bytes, more than the 100 Bytes that are left. What does not fit is not sent; photos that you already have, or whose upload has begun, take nothing.',
    )
    expect(roomSentence(quota, 0, 500)).toMatch(/^These photos .*; photos that you already have take nothing\.$/)
  })

  test('tells a full storage from one that uploads fill', () => {
    expect(roomSentence({ used: 1000, limit: 1000 }, 50, 0)).toBe('Your storage is full. Delete photos to upload more.')
    expect(roomSentence(quota, 400, 0)).toMatch(/^Unfinished uploads take the rest of your storage\./)
  })
})
