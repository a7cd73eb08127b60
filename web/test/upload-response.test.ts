import { describe, expect, test } from 'vitest'
import { readUploadResponse } from '../src/features/upload/transport/upload-response.ts'

const photo = (id: number, status = 'processing') => ({ id, status, statusMessage: null })

describe('reading the response to an upload', () => {
  test('a single upload returns the photo', () => {
    expect(readUploadResponse(201, JSON.stringify(photo(5)), 1)).toEqual({
      kind: 'completed',
      outcomes: [{ photo: photo(5), duplicate: false }],
      notes: [],
      message: null,
    })
    expect(readUploadResponse(200, JSON.stringify({ ...photo(5, 'ready'), duplicate: true }), 1)).toMatchObject({
      outcomes: [{ photo: photo(5, 'ready'), duplicate: true }],
    })
  })

  test('several results are assigned to the files in order', () => {
    const body = {
      photos: [photo(7, 'ready'), photo(8)],
      issues: ['b.jpg is too small.', 'The folder was deleted meanwhile.'],
      files: [
        { photoId: 8, duplicate: false, issue: null },
        { photoId: null, duplicate: false, issue: 'b.jpg is too small.' },
        { photoId: 7, duplicate: true, issue: null },
      ],
    }
    expect(readUploadResponse(201, JSON.stringify(body), 3)).toEqual({
      kind: 'completed',
      outcomes: [
        { photo: photo(8), duplicate: false },
        { issue: 'b.jpg is too small.' },
        { photo: photo(7, 'ready'), duplicate: true },
      ],
      notes: ['The folder was deleted meanwhile.'],
      message: null,
    })
  })

  test('a success without JSON, or with another number of files, is a failure', () => {
    const unreadable = { kind: 'failed', reason: 'The server response could not be understood' }
    expect(readUploadResponse(201, '<html>', 2)).toEqual(unreadable)
    expect(readUploadResponse(201, '{"photos":[],"issues":[],"files":[]}', 2)).toEqual(unreadable)
    expect(readUploadResponse(200, 'null', 1)).toEqual(unreadable)
  })

  test('each file has its own issue when none was stored', () => {
    const text = '{"message":"Failed to upload photos","issues":["a is too small.","b is no photo."]}'
    expect(readUploadResponse(415, text, 2)).toEqual({
      kind: 'completed',
      outcomes: [{ issue: 'a is too small.' }, { issue: 'b is no photo.' }],
      notes: [],
      message: 'Failed to upload photos',
    })
  })

  test('a 413 of a proxy is a result for the whole request', () => {
    expect(readUploadResponse(413, '<html>', 3).kind).toBe('too-large')
  })

  test('401 means that the session has ended, a missing folder fails', () => {
    expect(readUploadResponse(401, '{"message":"Please log in"}', 1)).toEqual({ kind: 'signed-out' })
    expect(readUploadResponse(404, '{"message":"Folder not found"}', 1)).toEqual({
      kind: 'failed',
      reason: 'Folder not found',
    })
  })

  test('busy and failing servers are retryable after the time that they set', () => {
    expect(readUploadResponse(503, '{"message":"Full"}', 1, '7')).toEqual({
      kind: 'retryable',
      why: 'busy',
      reason: 'Full',
      afterMs: 7000,
    })
    expect(readUploadResponse(429, '', 1)).toMatchObject({ kind: 'retryable', why: 'busy', afterMs: null })
    expect(readUploadResponse(500, '', 1)).toMatchObject({ why: 'broken', reason: 'An error occurred during upload' })
  })
})
