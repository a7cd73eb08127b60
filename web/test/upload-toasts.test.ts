import { describe, expect, test } from 'vitest'
import type { Item } from '../src/features/upload/queue/items.ts'
import type { State } from '../src/features/upload/queue/states.ts'
import { finishToast, joinSentences, locationHint, sessionToast } from '../src/features/upload/texts.ts'
import { batch } from './upload-fixture.ts'

const item = (state: State, name = 'a.jpg') => ({ state, file: { name }, path: '', batch }) as Item
const items = (count: number, state: State) => Array.from({ length: count }, () => item(state))
const ready: State = { name: 'ready', photoId: 1 }

describe('the toast at the end of an upload', () => {
  test('counts the photos that are uploaded and processed', () => {
    expect(finishToast(items(1, ready))?.description).toBe('Your photo has been uploaded and processed.')
    expect(finishToast(items(3, ready))).toEqual({
      title: 'Upload successful',
      description: '3 photos have been uploaded and processed.',
      tone: 'good',
    })
  })

  test('counts a pair as one photo, which is uploaded when both of its files are', () => {
    const known: State = { name: 'known', photoId: 2 }
    const small: State = { name: 'rejected', reason: '"a.dng" is too small.' }
    const pair = (jpeg: State, raw: State, name = 'a') => [item(jpeg, `${name}.jpg`), item(raw, `${name}.dng`)]
    expect(finishToast([...pair(ready, ready), ...pair(known, ready, 'b'), ...pair(known, known, 'c')])).toMatchObject({
      title: 'Upload successful',
      description: '2 photos have been uploaded and processed. 1 was already there.',
    })
    expect(finishToast([...pair(ready, small), ...pair(ready, ready, 'b')])?.title).toBe(
      '1 of 2 uploaded, 1 needs attention',
    )
    expect(finishToast(pair(ready, small))).toEqual({
      title: '1 photo needs your attention',
      description: '"a.dng" is too small.',
      tone: 'neutral',
    })
    expect(finishToast(pair(small, small))?.description).toBe('Failed to upload photo, "a.dng" is too small.')
    expect(finishToast(pair(ready, { name: 'cancelled' }))?.description).toBe(
      'Your photo has been uploaded and processed.',
    )
  })

  test('is neither a success nor a failure when some of the photos need attention', () => {
    const refused = items(9, { name: 'rejected', reason: 'x' })
    const known = items(1, { name: 'known', photoId: 2 })
    expect(finishToast([...items(12, ready), ...known, ...refused])).toEqual({
      title: '12 of 22 uploaded, 9 need attention',
      description: '1 was already there.',
      tone: 'neutral',
    })
    expect(finishToast([...known, ...refused.slice(8)])?.title).toBe('0 of 2 uploaded, 1 needs attention')
  })

  test('mentions photos that were there before', () => {
    expect(finishToast([...items(2, ready), ...items(1, { name: 'known', photoId: 2 })])?.description).toBe(
      '2 photos have been uploaded and processed. 1 was already there.',
    )
  })

  test('says only that the user has them when all were there before', () => {
    const known: State = { name: 'known', photoId: 2 }
    expect(finishToast(items(1, known))).toEqual({ title: 'You already have this photo', tone: 'neutral' })
    expect(finishToast(items(3, known))?.title).toBe('You already have these 3 photos')
  })

  test('contains the distinct issues when no file was stored', () => {
    const rejected = [
      ...items(2, { name: 'rejected', reason: 'a is too small.' }),
      item({ name: 'rejected', reason: 'b is no photo.' }),
    ]
    expect(finishToast(rejected)).toEqual({
      title: 'Upload failed',
      description: 'Failed to upload photos, a is too small, b is no photo.',
      tone: 'danger',
    })
    expect(finishToast(rejected.slice(0, 1))?.description).toBe('Failed to upload photo, a is too small.')
  })

  test('has its own texts for network errors and unreadable responses', () => {
    const failed = (reason: string) => finishToast(items(2, { name: 'failed', reason }))
    expect(failed('A network error occurred during upload')).toMatchObject({
      title: 'Upload failed',
      description: 'A network error occurred during upload',
    })
    expect(failed('The server response could not be understood')).toMatchObject({
      title: 'Upload error',
      description: 'The server response could not be understood',
    })
  })

  test('is omitted for an upload that was cancelled as a whole, which has its own toast', () => {
    expect(finishToast(items(3, { name: 'cancelled' }))).toBeNull()
  })

  test('contains the same rejection of 5,000 files once', () => {
    const small = (name: string) => item({ name: 'rejected', reason: `"${name}" is too small.` }, name)
    const rejected = Array.from({ length: 5000 }, (_, i) => small(`DJI_${i + 1}.JPG`))
    expect(finishToast(rejected)?.description).toBe(
      'Failed to upload photos, "DJI_1.JPG" is too small (4,999 others likewise).',
    )
    const odd = item({ name: 'rejected', reason: '"x.jpg" is empty.' }, 'x.jpg')
    expect(finishToast([...rejected.slice(0, 2), odd])?.description).toBe(
      'Failed to upload photos, "DJI_1.JPG" is too small (1 other likewise), "x.jpg" is empty.',
    )
  })

  test('does not call a stored photo whose processing failed a failed upload', () => {
    const damaged: State = { name: 'unprocessed', photoId: 1, reason: 'The file is damaged.' }
    expect(finishToast(items(1, damaged))).toEqual({
      title: 'Processing failed',
      description: 'The photo is stored but could not be processed: The file is damaged.',
      tone: 'danger',
    })
  })

  test('calls the end of the session a pause only while files wait', () => {
    expect(sessionToast(true)).toMatchObject({ title: 'Upload paused' })
    expect(sessionToast(false)).toMatchObject({ description: 'Your photos are stored safely.' })
  })

  test('limits the number of issues', () => {
    expect(joinSentences(Array.from({ length: 9 }, (_, i) => `i${i}`))).toBe('i0, i1, i2, i3, i4, i5 and 3 more')
    expect(joinSentences(Array.from({ length: 9 }, (_, i) => `i${i}.`))).toBe('i0, i1, i2, i3, i4, i5 and 3 more.')
  })
})

test.each([
  [
    'Android',
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile',
    5,
    /Browse/,
  ],
  ['an iPhone', 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15', 5, /Options/],
  ['an iPad', 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15', 5, /Options/],
])('on %s a hint says how to keep the location', (_, userAgent, maxTouchPoints, text) =>
  expect(locationHint({ userAgent, maxTouchPoints })).toMatch(text),
)

test.each([
  ['a Mac', 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15', 0],
  ['Windows with a touch screen', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36', 10],
  ['Linux', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36', 0],
])('on %s there is none', (_, userAgent, maxTouchPoints) =>
  expect(locationHint({ userAgent, maxTouchPoints })).toBeNull(),
)
