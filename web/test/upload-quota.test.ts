import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { advice, details, overviewOf } from '../src/features/upload/progress-texts.ts'
import { readUploadResponse } from '../src/features/upload/transport/upload-response.ts'
import { advance, batch, photos, UploadFixture } from './upload-fixture.ts'

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
    expect(upload.requests.flat()).not.toContain('DJI_4.JPG')
    expect(upload.item('DJI_4.JPG').state).toMatchObject({
      reason:
        'This photo does not fit into your storage: 100 Bytes of 1000 Bytes left after the photos before it. Delete photos to upload more.',
    })
  })

  test('wait for what is being sent when only its result tells whether they fit', async () => {
    const upload = new UploadFixture()
    upload.quota = { used: 0, limit: 1000 }
    let open = () => {}
    upload.blockedBy = new Promise<void>((resolve) => {
      open = resolve
    })
    upload.queue.add([...photos(1, { bytes: 700 }), ...photos(1, { from: 2, bytes: 500 })], batch)
    await advance(5000)
    expect(upload.states()).toEqual({ sending: 1, checking: 1 })
    open()
    await advance()
    expect(upload.states()).toEqual({ ready: 1, 'no-room': 1 })
    expect(upload.requests).toEqual([['DJI_1.JPG']])
  })

  test('are sent when those before them were not stored', async () => {
    const upload = new UploadFixture()
    upload.quota = { used: 0, limit: 1000 }
    let open = () => {}
    upload.blockedBy = new Promise<void>((resolve) => {
      open = resolve
    })
    upload.override = ([name]) => (name === 'DJI_1.JPG' ? upload.store([name], () => 'not a photo') : null)
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
    const issue = '"a.jpg" does not fit into your storage: 0.10 GB of 5.00 GB left. Delete photos to upload more.'
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
