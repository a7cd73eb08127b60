import { describe, expect, test } from 'vitest'
import { failureOf } from '../src/features/upload/queue/failure.ts'
import { storeError } from '../src/features/upload/transport/send-part.ts'
import { ApiError, parseErrorBody } from '../src/lib/http.ts'

const failure = (status: number, text: string, retryAfter = 0) =>
  failureOf(new ApiError(status, text, parseErrorBody(text), retryAfter))

describe('a failed request of the upload', () => {
  test('has its sentence when it rejects the file', () => {
    const text = '{"message":"Failed to upload photo","issues":["a is too small."]}'
    expect(failure(415, text)).toEqual({ kind: 'rejected', reason: 'a is too small.', isTooLarge: false })
    const reason = 'An error occurred during upload'
    expect(failure(413, '<html>')).toEqual({ kind: 'rejected', reason, isTooLarge: true })
  })

  test('has the sentence of the file when it names the quota', () => {
    const issue = '"a.jpg" does not fit into your storage: 0.10 GB of 5.00 GB left. Delete photos to upload more.'
    const text = JSON.stringify({ code: 'quota_exceeded', message: 'It does not fit', issues: [issue] })
    expect(failure(413, text)).toEqual({ kind: 'no-room', reason: issue })
  })

  test('is no reason to send again soon when the store is full', () => {
    const reason = 'There is no room to store this at the moment.'
    const text = JSON.stringify({ code: 'storage_full', message: reason })
    expect(failure(507, text)).toEqual({ kind: 'store-full', reason })
  })

  test('concerns the session of the user when it is 401', () => {
    expect(failure(401, '{"message":"Please log in"}')).toEqual({ kind: 'signed-out' })
  })

  test('is retryable after the time that a busy or failing server sets', () => {
    expect(failure(503, '{"message":"Full"}', 7)).toEqual({
      kind: 'retryable',
      why: 'busy',
      reason: 'Full',
      afterMs: 7000,
    })
    expect(failure(429, '')).toMatchObject({ kind: 'retryable', why: 'busy', afterMs: null })
    expect(failure(500, '')).toMatchObject({ why: 'broken', reason: 'An error occurred during upload' })
    expect(failureOf(new ApiError(0, '', null))).toMatchObject({
      why: 'connection',
      reason: 'A network error occurred during upload',
    })
  })

  test('is one of the connection when it did not reach the server in time', () => {
    const timeout = failure(408, '{"code":"request_timeout","message":"Slow"}')
    expect(timeout).toMatchObject({ kind: 'retryable', why: 'connection' })
    expect(failure(425, '')).toEqual(timeout)
  })

  test('says when to ask again when another request forestalls it', () => {
    const [busy, superseded] = ['upload_busy', 'part_superseded'].map((code) =>
      JSON.stringify({ code, message: 'Wait' }),
    )
    expect(failure(409, busy ?? '', 30)).toEqual({ kind: 'taken', reason: 'Wait', afterMs: 30_000 })
    expect(failure(409, superseded ?? '')).toMatchObject({ kind: 'taken', afterMs: 2000 })
  })

  test('is retryable when it met a server of an earlier release, or a proxy without one', () => {
    const noRoute = '{"code":"not_found","message":"There is nothing at POST /api/upload-sessions."}'
    const reason = 'An error occurred during upload'
    for (const text of [noRoute, 'default backend - 404', ''])
      expect(failure(404, text)).toEqual({ kind: 'retryable', why: 'busy', reason, afterMs: null })
  })

  test('about the upload session, the hash of a part or a URL is told apart', () => {
    expect(failure(404, '{"message":"Not found"}')).toEqual({ kind: 'closed', reason: 'Not found' })
    expect(failure(409, '{"code":"parts_missing","message":"Missing"}')).toMatchObject({ kind: 'closed' })
    expect(failure(422, '{"code":"part_checksum","message":"Other bytes"}')).toEqual({ kind: 'changed' })
    expect(failure(403, '{"code":"url_expired","message":"x"}')).toEqual({ kind: 'url-expired' })
  })

  test('is unreadable when its response has no JSON', () => {
    const reason = 'The server response could not be understood'
    expect(failureOf(new SyntaxError('Unexpected token'))).toEqual({ kind: 'failed', reason })
  })
})

describe('a part that the object store does not take', () => {
  const failureAtStore = (status: number, responseText = '') => {
    const error = storeError({ status, responseText })
    return error && failureOf(error)
  }

  test('has other bytes, no upload, or needs a new URL', () => {
    expect(failureAtStore(200)).toBeNull()
    expect(failureAtStore(400, '<Error><Code>BadDigest</Code></Error>')).toEqual({ kind: 'changed' })
    expect(failureAtStore(404, '<Error><Code>NoSuchUpload</Code></Error>')).toMatchObject({ kind: 'closed' })
    expect(failureAtStore(403, '<Error><Code>AccessDenied</Code></Error>')).toEqual({ kind: 'url-expired' })
  })

  test('may be taken later, also where a proxy responds or the store is full', () => {
    for (const status of [404, 500, 502, 503, 507])
      expect(failureAtStore(status, '<html>')).toMatchObject({ kind: 'retryable', why: 'busy' })
  })
})
