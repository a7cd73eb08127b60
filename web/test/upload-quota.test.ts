import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { readUploadResponse } from '../src/features/upload/transport/upload-response.ts'
import { advance, batch, photos, UploadFixture } from './upload-fixture.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const FULL = 'Your storage is full: 4.90 GB of 5.00 GB are used. Delete photos to upload more.'

describe('files that do not fit into the storage', () => {
  test('are told before they are sent, and the others are sent', async () => {
    const upload = new UploadFixture()
    upload.quota = { used: 0, limit: 1000 }
    upload.queue.add([...photos(4, { bytes: 300 }), ...photos(1, { from: 5, bytes: 50 })], batch)
    await advance()
    expect(upload.states()).toEqual({ ready: 4, 'no-room': 1 })
    expect(upload.requests.flat()).not.toContain('DJI_4.JPG')
    expect(upload.item('DJI_4.JPG').state).toMatchObject({
      reason: 'This photo does not fit into your storage: 300 Bytes of 1000 Bytes used. Delete photos to upload more.',
    })
  })

  test('take nothing when the user already has them', async () => {
    const upload = new UploadFixture()
    upload.quota = { used: 1000, limit: 1000 }
    upload.photos.set('DJI_1.JPG', 1)
    upload.queue.add(photos(2), batch)
    await advance()
    expect(upload.states()).toEqual({ known: 1, 'no-room': 1 })
    expect(upload.requests).toEqual([])
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

  test('are found by sending the files of a rejected request one by one', async () => {
    const upload = new UploadFixture()
    upload.override = (names) =>
      names.length > 1 || names[0] === 'DJI_2.JPG' ? { kind: 'no-room', reason: FULL } : null
    upload.queue.add(photos(5), batch)
    await advance()
    expect(upload.states()).toEqual({ ready: 4, 'no-room': 1 })
    expect(upload.item('DJI_2.JPG').state).toMatchObject({ reason: FULL })
  })
})

describe('a response that names the quota', () => {
  const body = (fields: object) => JSON.stringify({ code: 'quota_exceeded', message: FULL, ...fields })

  test('rejects the whole request, with the sentence of the only file', () => {
    expect(readUploadResponse(413, body({}), 3)).toEqual({ kind: 'no-room', reason: FULL })
    const issue = `"a.jpg" was not stored. ${FULL}`
    expect(readUploadResponse(413, body({ issues: [issue] }), 1)).toEqual({ kind: 'no-room', reason: issue })
  })

  test('marks the files that did not fit', () => {
    const stored = { photoId: 7, duplicate: false, issue: null }
    const files = [stored, { photoId: null, duplicate: false, issue: FULL, code: 'quota_exceeded' }]
    const response = JSON.stringify({ photos: [{ id: 7, status: 'ready' }], issues: [FULL], files })
    expect(readUploadResponse(201, response, 2)).toMatchObject({
      outcomes: [{ photo: { id: 7 } }, { issue: FULL, noRoom: true }],
      notes: [],
    })
  })
})
