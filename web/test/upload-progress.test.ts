import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { PhotoStatus } from '../src/features/upload/queue/deps.ts'
import { SteadyRate } from '../src/features/upload/queue/part-plan.ts'
import { photosOf } from '../src/features/upload/queue/photos.ts'
import { announcement, details, headline, overviewOf, timeLeft } from '../src/features/upload/texts.ts'
import { advance, apiError, batch, photos, UploadFixture } from './upload-fixture.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('the progress bar', () => {
  test('shows sent bytes until all are sent, then processed photos', async () => {
    const upload = new UploadFixture()
    const work: PhotoStatus = { id: 0, status: 'processing', statusMessage: null }
    for (let id = 1; id <= 4; id += 1) upload.statuses.set(id, { ...work, id })
    const open = upload.block()
    upload.queue.add(photos(4), batch)
    await advance(1000)
    expect(overviewOf(upload.queue)).toMatchObject({ unsent: 4, percent: 50 })
    open()
    await advance(1000)
    expect(overviewOf(upload.queue)).toMatchObject({ processing: 4, percent: 0 })
    upload.statuses.set(1, { ...work, id: 1, status: 'ready' })
    await advance()
    expect(overviewOf(upload.queue)).toMatchObject({ processing: 3, percent: 25 })
  })
})

describe('a pair', () => {
  const namesOf = (...names: string[]) => photosOf(names, (name) => name)
  const chosen = (...names: string[]) => names.map((name) => ({ file: new File(['x'], name), bytes: 1, path: '' }))

  test('is a JPEG with the DNG or TIFF of the same name in the same folder', () => {
    expect(namesOf('1.JPG', '2.dng', '1.DNG', '2.jpeg', '3.tif', '3.jpg')).toEqual([
      ['1.JPG', '1.DNG'],
      ['2.jpeg', '2.dng'],
      ['3.jpg', '3.tif'],
    ])
    const others = [
      '100MEDIA/1.JPG',
      '101MEDIA/1.DNG',
      '2.jpg',
      '2.png',
      '3.tif',
      '3.dng',
      'x.jpg',
      'X.dng',
      'jpg',
      'dng',
    ]
    expect(namesOf(...others)).toEqual(others.map((name) => [name]))
  })

  test('has each file once: of files that are listed twice, those chosen together are one', () => {
    expect(namesOf('1.DNG', '1.JPG', '1.TIF')).toEqual([['1.DNG'], ['1.JPG', '1.TIF']])
    const files = [{ n: 1, name: '1.JPG' }, ...['1.DNG', '1.JPG'].map((name) => ({ n: 2, name }))]
    const numbers = photosOf(files, ({ name }) => name).map((photo) => photo.map(({ n }) => n))
    expect(numbers).toEqual([[1], [2, 2]])
  })

  test('is one photo from the moment the second file is added', async () => {
    const upload = new UploadFixture()
    const open = upload.block()
    upload.queue.add(chosen('1.JPG', '2.JPG'), batch)
    await advance(1000)
    expect(headline(upload.queue, overviewOf(upload.queue))).toBe('Uploading 0 of 2')
    upload.queue.add(chosen('1.DNG', '2.DNG'), batch)
    upload.queue.add(chosen('1.TIF'), { ...batch, folderId: 1 })
    await advance(1000)
    expect(headline(upload.queue, overviewOf(upload.queue))).toBe('Uploading 0 of 3')
    open()
    await advance()
    expect(overviewOf(upload.queue)).toMatchObject({ photos: 3, done: 3, arrived: 3 })
  })

  test('has arrived when both files have, needs attention when one does, and is not done then', async () => {
    const upload = new UploadFixture()
    upload.failCompleting = (name) => (name === '1.DNG' ? apiError(415, { issues: ['no raw file'] }) : null)
    upload.photoOf('2.JPG')
    const open = upload.block()
    upload.queue.add(chosen('1.DNG', '1.JPG', '2.DNG', '2.JPG'), batch)
    await advance(1000)
    expect(upload.states()).toEqual({ sending: 3, known: 1 })
    expect(overviewOf(upload.queue)).toMatchObject({ photos: 2, unsent: 2, arrived: 0, done: 0 })
    open()
    await advance()
    const now = overviewOf(upload.queue)
    expect(now).toMatchObject({ photos: 2, unsent: 0, arrived: 2, done: 1, ready: 1, problems: 1, notStored: 1 })
    expect(headline(upload.queue, now)).toBe('1 of 2 uploaded, 1 needs attention')
    expect(details(upload.queue, now)).toBe('')
  })

  test('is not counted when both files are cancelled', async () => {
    const upload = new UploadFixture()
    upload.block()
    upload.queue.add(chosen('1.DNG', '1.JPG', '2.JPG'), batch)
    await advance(1000)
    upload.queue.cancel(upload.item('1.DNG'))
    expect(overviewOf(upload.queue)).toMatchObject({ photos: 2, unsent: 2 })
    upload.queue.cancel(upload.item('1.JPG'))
    expect(overviewOf(upload.queue)).toMatchObject({ photos: 1, unsent: 1 })
  })

  test('is apart when one of its files has left the list', async () => {
    const upload = new UploadFixture()
    upload.failCompleting = (name) => (name === '1.JPG' ? apiError(415, { issues: ['no photo'] }) : null)
    upload.queue.add(chosen('1.JPG', '1.DNG'), batch)
    await advance()
    expect(upload.queue.store.photosIn(['ready']).map(({ length }) => length)).toEqual([2])
    upload.queue.store.remove(['rejected'])
    expect(upload.queue.store.photosIn(['ready']).map(({ length }) => length)).toEqual([1])
  })
})

describe('the numbers', () => {
  test('count photos once: in the headline, or beside what sending waits for', async () => {
    const upload = new UploadFixture()
    const texts = () => {
      const now = overviewOf(upload.queue)
      return [headline(upload.queue, now), details(upload.queue, now)]
    }
    const open = upload.block()
    upload.queue.add(photos(73), batch)
    await advance(10_000)
    expect(texts()).toEqual(['Uploading 0 of 73', '20 Bytes/s · about 6 minutes left'])
    expect(announcement(upload.queue, overviewOf(upload.queue))).toBe('Uploading 73 photos, 0 percent')
    upload.isDown = true
    open()
    await advance(1000)
    expect(texts()).toEqual(['Waiting for the connection', expect.stringMatching(/^\d+ of 73 · continues by itself$/)])
  })

  test('say of photos that were all there before that the user has them', async () => {
    const upload = new UploadFixture()
    for (const { file } of photos(3)) upload.photoOf(file.name)
    upload.queue.add(photos(3), batch)
    await advance()
    const now = overviewOf(upload.queue)
    expect(headline(upload.queue, now)).toBe('You already have these 3 photos')
    expect(details(upload.queue, now)).toBe('')
  })
})

describe('the time left', () => {
  test('is rounded to coarse steps', () => {
    expect([4, 33, 50, 61, 125, 754, 3600, 5500, 7100].map(timeLeft)).toEqual([
      'a few seconds left',
      'about 40 seconds left',
      'about 50 seconds left',
      'about 1 minute left',
      'about 2 minutes left',
      'about 13 minutes left',
      'about 1 hour left',
      'about 1 hour 30 minutes left',
      'about 2 hours left',
    ])
  })

  test('follows the rate slowly, also after a pause', () => {
    const steady = new SteadyRate()
    expect(steady.follow(1000, 0)).toBe(1000)
    let slowest = 1000
    // A stall of five seconds.
    for (let now = 100; now <= 5000; now += 100) slowest = steady.follow(1, now)
    expect(slowest).toBeGreaterThan(800)
    expect(steady.follow(4000, 900_000)).toBeLessThan(1200)
    // A rate that lasts is believed.
    for (let now = 900_100; now <= 1_020_000; now += 100) steady.follow(4000, now)
    expect(steady.follow(4000, 1_020_100)).toBeGreaterThan(3900)
  })
})
