import { focusManager, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createQueryClient } from '../src/api/query-client.ts'
import {
  announcement,
  discardWarning,
  movingSentence,
  namesOf,
  readUnfinished,
  sortUnfinished,
  stoppedSentence,
  unfinishedQuery,
} from '../src/features/upload/unfinished.ts'
import { advance, photos, UploadFixture } from './upload-fixture.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  focusManager.setFocused(undefined)
})

/** A server with upload sessions of ten parts each. */
function serverWith(count: number) {
  const upload = new UploadFixture()
  for (const { file } of photos(count)) upload.open(file.name, 10_000, 1000)
  const list = () => [...upload.sessions.values()].map((session) => ({ ...session, missing: null }))
  return { upload, list }
}
const never = () => false

describe('the notice of unfinished uploads', () => {
  test('tells those that wait for their files from those that another device is sending', async () => {
    const { upload, list } = serverWith(2)
    upload.store('DJI_1.JPG', [1, 2, 3])
    upload.store('DJI_2.JPG', [1])
    const first = await readUnfinished(upload, list())
    expect(sortUnfinished(first, never)).toMatchObject({ moving: [], stored: [], stopped: [{}, {}] })
    expect(stoppedSentence(first)).toBe('2 photos were not finished (20%).')
    expect(namesOf(first)).toBe('DJI_1.JPG and DJI_2.JPG')
    upload.store('DJI_2.JPG', [2, 3, 4])
    const { moving, stopped } = sortUnfinished(await readUnfinished(upload, list(), first), never)
    expect(movingSentence(moving)).toBe('1 photo is being uploaded elsewhere (40%).')
    expect(stoppedSentence(stopped)).toBe('1 photo was not finished (30%).')
    expect(announcement(stopped, moving)).toBe('1 photo was not finished. 1 photo is being uploaded elsewhere.')
  })

  test('takes a photo of which nothing has arrived for a minute for unfinished again', async () => {
    const { upload, list } = serverWith(1)
    const first = await readUnfinished(upload, list())
    upload.store('DJI_1.JPG', [1])
    const second = await readUnfinished(upload, list(), first)
    await advance(50_000)
    const third = await readUnfinished(upload, list(), second)
    expect(sortUnfinished(third, never)).toMatchObject({ moving: [{}], stopped: [] })
    await advance(15_000)
    expect(sortUnfinished(await readUnfinished(upload, list(), third), never)).toMatchObject({
      moving: [],
      stopped: [{}],
    })
  })

  test('leaves out what is stored completely, unless it could not be completed, and what has ended meanwhile', async () => {
    const { upload, list } = serverWith(2)
    upload.store('DJI_1.JPG', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    const sessions = list()
    upload.sessions.delete('session of DJI_2.JPG')
    const uploads = await readUnfinished(upload, sessions)
    expect(sortUnfinished(uploads, never)).toMatchObject({ stored: [{ name: 'DJI_1.JPG' }], stopped: [] })
    expect(sortUnfinished(uploads, () => true)).toMatchObject({ stored: [], stopped: [{ name: 'DJI_1.JPG' }] })
    expect(stoppedSentence(uploads)).toBe('1 photo was not finished (99%).')
  })

  test('does not read the progress of very many', async () => {
    const { upload, list } = serverWith(60)
    const read = vi.spyOn(upload, 'session')
    const uploads = await readUnfinished(upload, list())
    expect(stoppedSentence(uploads)).toBe('60 photos were not finished.')
    expect(namesOf(uploads)).toBe('DJI_1.JPG, DJI_2.JPG, DJI_3.JPG, and 57 more')
    expect(read).not.toHaveBeenCalled()
  })

  test('counts a pair as one photo, and names both files', async () => {
    const upload = new UploadFixture()
    for (const name of ['DJI_1.DNG', 'DJI_1.JPG', 'DJI_2.JPG']) upload.open(name, 10_000, 1000)
    const uploads = await readUnfinished(upload, [...upload.sessions.values()])
    expect(stoppedSentence(uploads)).toBe('2 photos were not finished (0%).')
    expect(namesOf(uploads)).toBe('DJI_1.DNG, DJI_1.JPG, and DJI_2.JPG')
  })

  test('asks before it discards, with what that means for a device that is sending', async () => {
    const { upload, list } = serverWith(1)
    expect(discardWarning(await readUnfinished(upload, list()))).toBe(
      'What is stored of the photo is removed. A device that is uploading it right now has to start again from the beginning.',
    )
  })

  test('is read again when the page becomes visible', async () => {
    const requests: string[] = []
    vi.stubGlobal('fetch', async (path: string) => {
      requests.push(path)
      return Response.json({ sessions: [] })
    })
    const client = createQueryClient()
    client.mount()
    const stop = new QueryObserver(client, unfinishedQuery).subscribe(() => {})
    await advance(100)
    focusManager.setFocused(false)
    focusManager.setFocused(true)
    await advance(100)
    expect(requests).toEqual(['/api/upload-sessions', '/api/upload-sessions'])
    stop()
    client.unmount()
  })
})
