import { describe, expect, test } from 'vitest'
import { type Answer, readAnswer } from '../src/features/upload/answer.ts'
import { announcedPercent, groupFiles, sendProgress } from '../src/features/upload/groups.ts'
import { failureNotice, refusalNotice, successNotice } from '../src/features/upload/notices.ts'
import { sendAll } from '../src/features/upload/send-all.ts'

const fields = { description: '', folderId: null, isPublic: false }

function files(count: number): File[] {
  return Array.from({ length: count }, (_, index) => new File(['x'.repeat(100)], `DJI_${index + 1}.JPG`))
}

/** Sends `count` files where the n-th request gets the n-th answer; tells the names each request carried. */
async function sendWith(count: number, answers: Answer[]) {
  const requests: string[][] = []
  const sent = await sendAll(files(count), fields, {
    filesPerRequest: 10,
    onProgress: () => {},
    signal: new AbortController().signal,
    send: async (group) => {
      requests.push(group.map((file) => file.name))
      return answers[requests.length - 1] ?? { kind: 'stored', photoIds: group.map((_, i) => i), issues: [] }
    },
  })
  return { sent, requests }
}

describe('grouping', () => {
  test('24 files go in requests of 10, 10 and 4, in the order of choice', () => {
    const groups = groupFiles(
      Array.from({ length: 24 }, (_, i) => i),
      10,
    )
    expect(groups.map((group) => group.length)).toEqual([10, 10, 4])
    expect(groups.flat()).toEqual(Array.from({ length: 24 }, (_, i) => i))
  })

  test('exactly ten files are one request, none are no request', () => {
    expect(groupFiles([...'abcdefghij'], 10)).toHaveLength(1)
    expect(groupFiles([], 10)).toEqual([])
  })
})

describe('progress', () => {
  test('counts the bytes of finished requests and the share of the running one', () => {
    const progress = sendProgress([1000, 500], 1, 260, 520)
    expect(progress).toEqual({ request: 2, requests: 2, requestFraction: 0.5, sentBytes: 1250, totalBytes: 1500 })
  })

  test('never passes the total, whatever the form fields add to the body', () => {
    expect(sendProgress([1000], 0, 1100, 1080).sentBytes).toBe(1000)
  })

  test('is announced in quarters', () => {
    expect(announcedPercent(sendProgress([1000], 0, 49, 100))).toBe(25)
    expect(announcedPercent(sendProgress([1000], 0, 50, 100))).toBe(50)
    expect(announcedPercent(sendProgress([1000], 0, 1, 1))).toBe(100)
  })
})

describe('sending', () => {
  test('a request whose files are all refused does not stop the next one', async () => {
    const { sent, requests } = await sendWith(11, [
      { kind: 'refused', message: 'No photo was stored', issues: ['DJI_1.JPG is not a JPEG'] },
      { kind: 'stored', photoIds: [7], issues: [] },
    ])
    expect(requests).toHaveLength(2)
    expect(sent).toEqual({
      photoIds: [7],
      issues: ['DJI_1.JPG is not a JPEG'],
      refusal: 'No photo was stored',
      unsent: [],
      failure: null,
    })
  })

  test('a lost connection stops the upload and keeps what was not sent', async () => {
    const { sent, requests } = await sendWith(24, [
      { kind: 'stored', photoIds: [1, 2], issues: [] },
      { kind: 'failed', failure: { reason: 'network' } },
    ])
    expect(requests).toHaveLength(2)
    expect(sent.photoIds).toEqual([1, 2])
    expect(sent.unsent.map((file) => file.name)).toEqual(Array.from({ length: 14 }, (_, i) => `DJI_${i + 11}.JPG`))
    expect(sent.failure).toEqual({ reason: 'network' })
  })
})

describe('reading the answer', () => {
  test('a single upload answers the photo, several answer the list with the issues', () => {
    expect(readAnswer(201, '{"id":5}')).toEqual({ kind: 'stored', photoIds: [5], issues: [] })
    expect(readAnswer(201, '{"photos":[{"id":5},{"id":6}],"issues":["a.txt is not a JPEG"]}')).toEqual({
      kind: 'stored',
      photoIds: [5, 6],
      issues: ['a.txt is not a JPEG'],
    })
  })

  test('a success that is no JSON is unreadable', () => {
    expect(readAnswer(201, '<html>')).toEqual({ kind: 'failed', failure: { reason: 'unreadable' } })
  })

  test('401 means that the session has ended', () => {
    expect(readAnswer(401, '{"message":"Please log in"}')).toEqual({
      kind: 'failed',
      failure: { reason: 'signed-out' },
    })
  })

  test('a missing folder fails the upload, bad files only refuse themselves', () => {
    expect(readAnswer(404, '{"message":"Folder not found"}').kind).toBe('failed')
    expect(readAnswer(415, '{"message":"No","issues":["a.txt is not a JPEG"]}').kind).toBe('refused')
  })
})

describe('notices', () => {
  test('success counts the photos', () => {
    expect(successNotice(1).description).toBe('Your photo has been uploaded and processed.')
    expect(successNotice(3)).toEqual({
      title: 'Upload successful',
      description: '3 photos have been uploaded and processed.',
    })
  })

  test('a refusal joins the server message and its issues by commas, each once', () => {
    expect(refusalNotice('No photo was stored.', ['a is too small.', 'b is no JPEG.'], 2).description).toBe(
      'No photo was stored, a is too small, b is no JPEG.',
    )
    expect(refusalNotice('a is too small', ['a is too small'], 1).description).toBe('a is too small')
    expect(refusalNotice(null, [], 2).description).toBe('Failed to upload photos')
    expect(refusalNotice(null, [], 1).description).toBe('Failed to upload photo')
  })

  test('network errors, cancelling and unreadable answers have their own words', () => {
    expect(failureNotice({ reason: 'network' }, 2)).toEqual({
      title: 'Upload failed',
      description: 'A network error occurred during upload',
    })
    expect(failureNotice({ reason: 'cancelled' }, 2)).toEqual({
      title: 'Upload cancelled',
      description: 'The upload was cancelled',
    })
    expect(failureNotice({ reason: 'unreadable' }, 2)).toEqual({
      title: 'Upload error',
      description: 'The server response could not be understood',
    })
  })
})
