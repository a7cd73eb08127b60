import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { advance, apiError, batch, photos, UploadFixture } from './upload-fixture.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('sending', () => {
  test('sends each of 500 files once, four parts at a time, and tracks it until it is processed', async () => {
    const upload = new UploadFixture()
    upload.queue.add(photos(500), batch)
    await advance()
    expect(upload.states()).toEqual({ ready: 500 })
    expect(upload.sent).toHaveLength(500)
    expect(new Set(upload.sent).size).toBe(500)
    expect(Math.max(...upload.opened.map((names) => names.length))).toBe(20)
    expect(upload.mostRunning).toBe(4)
    expect(upload.finished.map((items) => items.length)).toEqual([500])
  })

  test('starts with the first hash, not with the last', async () => {
    const upload = new UploadFixture()
    upload.queue.add(photos(50), batch)
    await advance(1)
    expect(upload.opened).toEqual([['DJI_1.JPG']])
    expect(upload.sent).toEqual(['DJI_1.JPG/1'])
  })

  test('gives the photos the order of the selection, whichever file is hashed and declared first', async () => {
    const upload = new UploadFixture()
    const { hash } = upload
    upload.hash = async (file, partBytes) => {
      if (file.name === 'DJI_2.JPG') await new Promise((resolve) => setTimeout(resolve, 5_000))
      return hash(file, partBytes)
    }
    upload.queue.add(photos(60), batch)
    await advance()
    expect(upload.opened.at(-1)).toEqual(['DJI_2.JPG'])
    const sessions = [...upload.sessions.values()].sort((a, b) => a.createdAt.localeCompare(b.createdAt))
    expect(sessions.map(({ name }) => name)).toEqual(photos(60).map(({ file }) => file.name))
    expect(new Set(sessions.map(({ createdAt }) => createdAt)).size).toBe(60)
  })

  test('notices the end of a long processing when a live event names the photo', async () => {
    const upload = new UploadFixture()
    upload.queue.add(photos(1), batch)
    await advance(500)
    upload.statuses.set(1, { id: 1, status: 'processing', statusMessage: null })
    await advance(60_000)
    expect(upload.states()).toEqual({ processing: 1 })
    expect(upload.finished).toEqual([])
    upload.statuses.set(1, { id: 1, status: 'ready', statusMessage: null })
    upload.queue.hint(1)
    await advance(600)
    expect(upload.states()).toEqual({ ready: 1 })
    expect(upload.finished).toHaveLength(1)
  })

  test('adds a second upload with its own fields to the running one', async () => {
    const upload = new UploadFixture()
    upload.blockedBy = new Promise((resolve) => setTimeout(resolve, 500))
    upload.queue.add(photos(3), batch)
    await advance(100)
    upload.queue.add(photos(3, { from: 10 }), { ...batch, folderId: 7 })
    await advance()
    expect(upload.states()).toEqual({ ready: 6 })
    for (const names of upload.opened) {
      expect(new Set(names.map((name) => upload.item(name).batch.folderId)).size).toBe(1)
    }
    expect(upload.finished.map((items) => items.length)).toEqual([6])
  })

  test('a rejected file does not affect the others', async () => {
    const upload = new UploadFixture()
    const issue = 'DJI_2.JPG is too small'
    upload.failCompleting = (name) => (name === 'DJI_2.JPG' ? apiError(400, { issues: [issue] }) : null)
    upload.queue.add(photos(5), batch)
    await advance()
    expect(upload.states()).toEqual({ ready: 4, rejected: 1 })
    expect(upload.item('DJI_2.JPG').state).toEqual({ name: 'rejected', reason: issue })
  })

  test('stops when the server has no room for anybody, says why, and sends again when told to', async () => {
    const upload = new UploadFixture()
    const reason = 'There is no room to store this at the moment.'
    upload.failPart = () => apiError(507, { message: reason })
    upload.queue.add(photos(100), batch)
    await advance()
    expect(upload.states()).toEqual({ failed: 100 })
    expect(upload.item('DJI_100.JPG').state).toEqual({ name: 'failed', reason })
    // Parts may be on the way beside the first that is rejected.
    expect(upload.sent.length).toBeLessThanOrEqual(8)
    expect(upload.finished).toHaveLength(1)

    upload.failPart = () => null
    upload.queue.retryFailed()
    await advance()
    expect(upload.states()).toEqual({ ready: 100 })
  })

  test('opens the upload sessions of a rejected request one by one, and one file alone fails', async () => {
    const upload = new UploadFixture()
    upload.failOpening = (names) => (names.includes('DJI_3.JPG') ? apiError(400, { message: 'No such name' }) : null)
    upload.queue.add(photos(12), batch)
    await advance()
    expect(upload.states()).toEqual({ ready: 11, rejected: 1 })
    expect(upload.item('DJI_3.JPG').state).toMatchObject({ reason: 'No such name' })
  })

  test('asks once when a request for one file fails with what says nothing, and the file fails', async () => {
    const upload = new UploadFixture()
    upload.failOpening = () => apiError(422)
    upload.queue.add(photos(1), batch)
    await advance()
    expect(upload.states()).toEqual({ failed: 1 })
    expect(upload.opened).toHaveLength(1)
  })

  test('waits for open upload sessions to end when there are too many, and fails when there is nothing to wait for', async () => {
    const upload = new UploadFixture()
    const { openSessions } = upload
    let others = 0
    upload.openSessions = async (files, ...rest) => {
      const open = [...upload.sessions.values()].filter(({ state }) => state === 'open').length + others
      const results = await openSessions(files.slice(0, Math.max(3 - open, 0)), ...rest)
      const rejected = { state: 'rejected', issue: 'Too many uploads are open.', code: 'too_many_uploads' } as const
      return files.map((_, index) => results[index] ?? rejected)
    }
    upload.queue.add(photos(30), batch)
    await advance()
    expect(upload.states()).toEqual({ ready: 30 })
    others = 3
    upload.queue.add(photos(1, { from: 31 }), batch)
    await advance()
    expect(upload.item('DJI_31.JPG').state).toEqual({ name: 'failed', reason: 'Too many uploads are open.' })
  })

  test('shows what else the server says about a stored photo', async () => {
    const upload = new UploadFixture()
    const { complete } = upload
    upload.complete = async (id) => ({ ...(await complete(id)), issues: ['The folder was deleted meanwhile.'] })
    upload.queue.add(photos(2), batch)
    await advance()
    expect(upload.states()).toEqual({ ready: 2 })
    expect([...upload.queue.notes]).toEqual(['The folder was deleted meanwhile.'])
  })

  test('failed processing has a reason and can be retried', async () => {
    const upload = new UploadFixture()
    upload.statuses.set(1, { id: 1, status: 'failed', statusMessage: 'The file is damaged' })
    upload.queue.add(photos(1), batch)
    await advance()
    const item = upload.item('DJI_1.JPG')
    expect(item.state).toEqual({ name: 'unprocessed', photoId: 1, reason: 'The file is damaged' })
    await upload.queue.reprocess(item)
    await advance()
    expect(upload.states()).toEqual({ ready: 1 })
    expect(upload.finished.map((items) => items.length)).toEqual([1, 1])
  })
})
