import { describe, expect, test } from 'vitest'
import { finishNotice, joinSentences, sessionNotice } from '../src/features/upload/notices.ts'
import { timeLeft } from '../src/features/upload/progress.ts'
import type { Batch, Item, State } from '../src/features/upload/queue/item.ts'
import { bytesSentPerFile, RequestSize, takeGroup } from '../src/features/upload/queue/request-groups.ts'
import { TransferRate } from '../src/features/upload/queue/transfer-rate.ts'

const batch: Batch = { description: '', folderId: null, isPublic: false, single: false, filesPerRequest: 10 }
const item = (state: State, bytes = 1, name = 'a.jpg') =>
  ({ state, batch, sendAlone: false, bytes, file: { name } }) as unknown as Item
const items = (count: number, state: State) => Array.from({ length: count }, () => item(state))
const ready: State = { name: 'ready', photoId: 1 }

describe('the last word of an upload', () => {
  test('counts the photos that are uploaded and processed', () => {
    expect(finishNotice(items(1, ready), null)?.description).toBe('Your photo has been uploaded and processed.')
    expect(finishNotice(items(3, ready), null)).toEqual({
      title: 'Upload successful',
      description: '3 photos have been uploaded and processed.',
      tone: 'good',
    })
  })

  test('tells apart what was there before and what could not be', () => {
    const mixed = [
      ...items(2, ready),
      ...items(1, { name: 'known', photoId: 2 }),
      ...items(1, { name: 'refused', reason: 'x' }),
    ]
    expect(finishNotice(mixed, null)?.description).toBe(
      '2 photos have been uploaded and processed. 1 was already there. 1 could not be: see the list.',
    )
    expect(finishNotice(items(2, { name: 'known', photoId: 2 }), null)?.description).toBe(
      'You already have these 2 photos.',
    )
  })

  test('when none is left: the server message plus issues joined by commas, each once', () => {
    const refused = [
      ...items(2, { name: 'refused', reason: 'a is too small.' }),
      item({ name: 'refused', reason: 'b is no photo.' }),
    ]
    expect(finishNotice(refused, 'No photo was stored')).toEqual({
      title: 'Upload failed',
      description: 'No photo was stored, a is too small, b is no photo.',
      tone: 'danger',
    })
    expect(finishNotice(refused.slice(0, 1), null)?.description).toBe('Failed to upload photo, a is too small.')
  })

  test('network errors and unreadable answers have their own words', () => {
    const failed = (reason: string) => finishNotice(items(2, { name: 'failed', reason }), null)
    expect(failed('A network error occurred during upload')).toMatchObject({
      title: 'Upload failed',
      description: 'A network error occurred during upload',
    })
    expect(failed('The server response could not be understood')).toMatchObject({
      title: 'Upload error',
      description: 'The server response could not be understood',
    })
  })

  test('nothing is said of an upload that was cancelled whole: that was said before', () => {
    expect(finishNotice(items(3, { name: 'cancelled' }), null)).toBeNull()
  })

  test('the same refusal of 5,000 files is said once', () => {
    const small = (name: string) => item({ name: 'refused', reason: `"${name}" is too small.` }, 1, name)
    const refused = Array.from({ length: 5000 }, (_, i) => small(`DJI_${i + 1}.JPG`))
    expect(finishNotice(refused, null)?.description).toBe(
      'Failed to upload photos, "DJI_1.JPG" is too small (4,999 others likewise).',
    )
    const odd = item({ name: 'refused', reason: '"x.jpg" is empty.' }, 1, 'x.jpg')
    expect(finishNotice([...refused.slice(0, 2), odd], null)?.description).toBe(
      'Failed to upload photos, "DJI_1.JPG" is too small (1 other likewise), "x.jpg" is empty.',
    )
  })

  test('a photo that is stored and could not be processed is not called a failed upload', () => {
    const damaged: State = { name: 'unprocessed', photoId: 1, reason: 'The file is damaged.' }
    expect(finishNotice(items(1, damaged), null)).toEqual({
      title: 'Processing failed',
      description: 'The photo is stored but could not be processed: The file is damaged.',
      tone: 'danger',
    })
  })

  test('the end of the session is a pause while files wait, and none when all are stored', () => {
    expect(sessionNotice(true)).toMatchObject({ title: 'Upload paused' })
    expect(sessionNotice(false)).toMatchObject({ description: 'Your photos are stored safely.' })
  })

  test('hundreds of issues do not fill the screen', () => {
    expect(joinSentences(Array.from({ length: 9 }, (_, i) => `i${i}`))).toBe('i0, i1, i2, i3, i4, i5 and 3 more')
    expect(joinSentences(Array.from({ length: 9 }, (_, i) => `i${i}.`))).toBe('i0, i1, i2, i3, i4, i5 and 3 more.')
  })
})

describe('groups', () => {
  const queued = (bytes: number) => item({ name: 'queued' }, bytes)

  test('hold at most ten files, at most so many bytes, and at least one file', () => {
    const small = Array.from({ length: 24 }, () => queued(1))
    expect([takeGroup(small, 100), takeGroup(small, 100), takeGroup(small, 100)].map((g) => g.length)).toEqual([
      10, 10, 4,
    ])
    expect(takeGroup([queued(60), queued(60)], 100)).toHaveLength(1)
    expect(takeGroup([queued(500), queued(1)], 100)).toHaveLength(1)
  })

  test('shrink when the connection breaks and grow when it is fast', () => {
    const size = new RequestSize()
    const first = size.bytes
    size.failed()
    expect(size.bytes).toBe(first / 2)
    for (let i = 0; i < 20; i += 1) size.succeeded(50 * 1024 * 1024, 100)
    expect(size.bytes).toBe(64 * 1024 * 1024)
    for (let i = 0; i < 20; i += 1) size.succeeded(1024 * 1024, 60_000)
    expect(size.bytes).toBe(2 * 1024 * 1024)
  })

  test('the sent bytes belong to the files one after the other', () => {
    expect(bytesSentPerFile([100, 100, 50], 130, 260)).toEqual([100, 25, 0])
    expect(bytesSentPerFile([100, 100], 999, 220)).toEqual([100, 100])
  })
})

describe('speed and time left', () => {
  test('is an average, and nothing for the first seconds', () => {
    const speed = new TransferRate()
    speed.record(0, 0)
    expect(speed.bytesPerSecond(1000)).toBeNull()
    for (let at = 1000; at <= 40_000; at += 1000) speed.record(at % 2000 === 0 ? 2000 : 0, at)
    expect(speed.bytesPerSecond(40_000)).toBeGreaterThan(900)
    expect(speed.bytesPerSecond(40_000)).toBeLessThan(1200)
  })

  test('is told in coarse steps', () => {
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
