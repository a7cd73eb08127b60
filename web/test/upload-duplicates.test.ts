import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Item } from '../src/features/upload/queue/items.ts'
import { advance, batch, photos, UploadFixture } from './upload-fixture.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a file that the server already has', () => {
  test('is not sent, and is moved into the chosen folder', async () => {
    const upload = new UploadFixture()
    for (let id = 1; id <= 290; id += 1) upload.photos.set(`DJI_${id}.JPG`, id)
    upload.queue.add(photos(300), { ...batch, folderId: 7 })
    await advance()
    expect(upload.states()).toEqual({ known: 290, ready: 10 })
    expect(upload.sent).toEqual(photos(10, { from: 291 }).map(({ file }) => `${file.name}/1`))
    expect(new Set(upload.moves.flatMap(({ ids }) => ids)).size).toBe(290)
    expect(Math.max(...upload.checks.map((hashes) => hashes.length))).toBeLessThanOrEqual(500)
  })

  test('5,000 files are asked about in few checks and none is missed', async () => {
    const upload = new UploadFixture()
    for (let id = 1; id <= 5000; id += 1) upload.photos.set(`DJI_${id}.JPG`, id)
    upload.queue.add(photos(5000, { bytes: 1 }), batch)
    await advance()
    expect(upload.states()).toEqual({ known: 5000 })
    expect(upload.opened).toEqual([])
    expect(upload.checks.length).toBeLessThan(20)
  })

  test('is sent once of two equal ones, the other becomes a duplicate', async () => {
    const upload = new UploadFixture()
    upload.blockedBy = new Promise((resolve) => setTimeout(resolve, 500))
    upload.queue.add([...photos(1), ...photos(1)], batch)
    await advance()
    expect(upload.sent).toEqual(['DJI_1.JPG/1'])
    expect(upload.states()).toEqual({ ready: 1, known: 1 })
  })

  test('is a duplicate also when it is not verified yet, and is moved into the chosen folder', async () => {
    const upload = new UploadFixture()
    upload.queue.add(photos(1), batch)
    await advance()
    upload.photos.clear()
    upload.queue.add(photos(1), { ...batch, folderId: 7 })
    await advance()
    expect(upload.states()).toEqual({ known: 1 })
    expect(upload.sent).toHaveLength(1)
    expect(upload.moves).toEqual([{ ids: [1], folderId: 7 }])
  })

  test('the second of two equal files is sent when the first is cancelled', async () => {
    const upload = new UploadFixture()
    const open = upload.block()
    upload.queue.add([...photos(1), ...photos(1)], batch)
    await advance(1000)
    upload.queue.cancel(upload.queue.store.items[0] as Item)
    open()
    await advance()
    expect(upload.states()).toEqual({ cancelled: 1, ready: 1 })
  })
})
