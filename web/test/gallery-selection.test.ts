import { afterEach, expect, test, vi } from 'vitest'
import { changeSelected, failuresByReason, wordsOf } from '../src/features/gallery/bulk-changes.ts'
import { ALL, countSelected, isSelected, NONE, withoutDeleted, withPhotos } from '../src/features/gallery/selection.ts'

afterEach(() => vi.unstubAllGlobals())

test('photos are selected one by one and taken out again', () => {
  const two = withPhotos(NONE, [1, 2], true)
  expect([isSelected(two, 1), isSelected(two, 3), countSelected(two, 100)]).toEqual([true, false, 2])
  expect(withPhotos(two, [1], false)).toEqual(withPhotos(NONE, [2], true))
})

test('all but some: what is taken out is named, and selecting it again forgets it', () => {
  const most = withPhotos(ALL, [7, 8], false)
  expect([isSelected(most, 7), isSelected(most, 9), countSelected(most, 100_000)]).toEqual([false, true, 99_998])
  expect(withPhotos(most, [7, 8], true)).toEqual(ALL)
})

test('a range that shrinks leaves what was selected before it', () => {
  const before = withPhotos(NONE, [5], true)
  expect(countSelected(withPhotos(before, [10, 11, 12], true), 100)).toBe(4)
  expect([...withPhotos(before, [10], true).ids]).toEqual([5, 10])
})

test('what is deleted elsewhere is no longer counted, in both ways of selecting', () => {
  const some = withPhotos(NONE, [1, 2], true)
  expect(countSelected(withoutDeleted(some, [2, 3]), 10)).toBe(1)
  expect(withoutDeleted(some, [3])).toBe(some)
  // Of 10 photos 2 were left out; one of these has gone.
  expect(countSelected(withoutDeleted(withPhotos(ALL, [1, 2], false), [2]), 9)).toBe(8)
})

/** Answers requests one after the other by these; answers what was sent. */
function serverThatAnswers(...answers: object[]) {
  const sent: unknown[] = []
  vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
    sent.push(JSON.parse(body))
    return Response.json(answers[sent.length - 1])
  })
  return sent
}

test('all of a list is one request with the filter, what is left out and what was agreed to', async () => {
  const sent = serverThatAnswers({ done: [1, 2], failed: [] })
  const selection = withPhotos(ALL, [4], false)
  const agreed = { count: 2, until: '2026-01-02T03:04:05.678Z' }
  const answer = await changeSelected({ wanted: { action: 'delete' }, selection, filter: { q: 'lake' }, agreed })
  expect(sent).toEqual([{ filter: { q: 'lake' }, except: [4], agreed, action: 'delete' }])
  expect(answer).toEqual({ done: [1, 2], failed: [] })
})

test('what the server did not come to is asked for once more by id, and what fails then has failed', async () => {
  const late = [2, 3].map((id) => ({ id, message: 'There was not enough time. Please try again.' }))
  const gone = [{ id: 3, message: 'Photo not found' }]
  const sent = serverThatAnswers({ done: [1], failed: late }, { done: [2], failed: gone })
  const answer = await changeSelected({
    wanted: { action: 'move', folderId: 7 },
    selection: ALL,
    filter: {},
    agreed: null,
  })
  expect(sent[1]).toEqual({ ids: [2, 3], action: 'move', folderId: 7 })
  expect(answer).toEqual({ done: [1, 2], failed: gone })
})

test('more photos than one request takes by id go in several', async () => {
  const sent = serverThatAnswers({ done: [], failed: [] }, { done: [], failed: [] }, { done: [], failed: [] })
  const ids = Array.from({ length: 1001 }, (_, index) => index + 1)
  const selection = withPhotos(NONE, ids, true)
  await changeSelected({ wanted: { action: 'privacy', isPublic: false }, selection, filter: {}, agreed: null })
  expect(sent.map((body) => (body as { ids: number[] }).ids.length)).toEqual([500, 500, 1])
})

test('failures are told by their reason', () => {
  const failed = [
    { id: 1, message: 'Photo not found' },
    { id: 2, message: 'Busy' },
    { id: 3, message: 'Photo not found' },
  ]
  expect(failuresByReason(failed)).toEqual([
    { reason: 'Photo not found', ids: [1, 3] },
    { reason: 'Busy', ids: [2] },
  ])
})

test('one photo and many are spoken of as such', () => {
  expect(wordsOf({ action: 'delete' }).done(1)).toBe('The photo has been successfully deleted')
  expect(wordsOf({ action: 'move', folderId: 7 }).done(1284)).toBe('1,284 photos have been moved to the folder')
  expect(wordsOf({ action: 'privacy', isPublic: false }).failed(2)).toBe('2 photos could not be made private')
})
