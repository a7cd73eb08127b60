import { afterEach, expect, test, vi } from 'vitest'
import { bulkTexts, changeSelected } from '../src/photos/browser/bulk-changes.ts'
import {
  ALL_SELECTED,
  countSelected,
  isSelected,
  NO_PHOTOS,
  withoutGone,
  withPhotos,
} from '../src/photos/browser/selection.ts'
import { deletionQuestion } from '../src/photos/grid/photo-dialogs.tsx'

afterEach(() => vi.unstubAllGlobals())

test('photos are selected and deselected one by one', () => {
  const two = withPhotos(NO_PHOTOS, [1, 2], true)
  expect([isSelected(two, 1), isSelected(two, 3), countSelected(two, 100)]).toEqual([true, false, 2])
  expect(withPhotos(two, [1], false)).toEqual(withPhotos(NO_PHOTOS, [2], true))
})

test('a selection of all keeps deselected photos as exceptions until they are selected again', () => {
  const most = withPhotos(ALL_SELECTED, [7, 8], false)
  expect([isSelected(most, 7), isSelected(most, 9), countSelected(most, 100_000)]).toEqual([false, true, 99_998])
  expect(withPhotos(most, [7, 8], true)).toEqual(ALL_SELECTED)
})

test('shrinking a range keeps the selection before it', () => {
  const before = withPhotos(NO_PHOTOS, [5], true)
  expect(countSelected(withPhotos(before, [10, 11, 12], true), 100)).toBe(4)
  expect([...withPhotos(before, [10], true).ids]).toEqual([5, 10])
})

test('photos that left the list are no longer counted, in both kinds of selection', () => {
  const some = withPhotos(NO_PHOTOS, [1, 2], true)
  expect(countSelected(withoutGone(some, [2, 3]), 10)).toBe(1)
  expect(withoutGone(some, [3])).toBe(some)
  // Of 10 photos 2 were left out; one of these was deleted.
  expect(countSelected(withoutGone(withPhotos(ALL_SELECTED, [1, 2], false), [2]), 9)).toBe(8)
})

/** Responds with these bodies one after the other; returns what was sent. */
function stubResponses(...bodies: object[]) {
  const sent: unknown[] = []
  vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
    sent.push(JSON.parse(body))
    return Response.json(bodies[sent.length - 1])
  })
  return sent
}

test('changing a whole list is one request with the filter, the exceptions and the confirmed count', async () => {
  const sent = stubResponses({ done: [1, 2], photos: 1, failed: [] })
  const selection = withPhotos(ALL_SELECTED, [4], false)
  const agreed = { count: 2, lastId: 12 }
  const result = await changeSelected({
    requested: { action: 'delete' },
    selection,
    filter: { q: 'lake' },
    confirmed: agreed,
  })
  expect(sent).toEqual([{ filter: { q: 'lake' }, except: [4], agreed, action: 'delete' }])
  expect(result).toEqual({ done: [1, 2], photos: 1, failed: [] })
})

test('photos that the server did not reach are sent once more by id, and then fail; a pair is one photo', async () => {
  const late = [2, 3].map((id) => ({ id, message: 'There was not enough time. Please try again.' }))
  const gone = [{ id: 3, message: 'Photo not found' }]
  const sent = stubResponses({ done: [1, 5], photos: 1, failed: late }, { done: [2], photos: 1, failed: gone })
  const result = await changeSelected({
    requested: { action: 'move', folderId: 7 },
    selection: ALL_SELECTED,
    filter: {},
    confirmed: null,
  })
  expect(sent[1]).toEqual({ ids: [2, 3], action: 'move', folderId: 7 })
  expect(result).toEqual({ done: [1, 5, 2], photos: 2, failed: gone })
})

const NOTHING = { done: [], photos: 0, failed: [] }

test('more photos than fit into one request are sent in several', async () => {
  const sent = stubResponses(NOTHING, NOTHING, NOTHING)
  const ids = Array.from({ length: 1001 }, (_, index) => index + 1)
  const selection = withPhotos(NO_PHOTOS, ids, true)
  await changeSelected({ requested: { action: 'privacy', isPublic: false }, selection, filter: {}, confirmed: null })
  expect(sent.map((body) => (body as { ids: number[] }).ids.length)).toEqual([500, 500, 1])
})

test('a file that was changed with the other one of its pair is not sent once more', async () => {
  const sent = stubResponses({ done: [1, 501], photos: 1, failed: [] }, NOTHING)
  const ids = Array.from({ length: 502 }, (_, index) => index + 1)
  const selection = withPhotos(NO_PHOTOS, ids, true)
  await changeSelected({ requested: { action: 'delete' }, selection, filter: {}, confirmed: null })
  expect(sent[1]).toEqual({ ids: [502], action: 'delete' })
})

test('the question before a deletion names raw files where there are some, or may be', () => {
  const question = (...args: Parameters<typeof deletionQuestion>) => deletionQuestion(...args).split('?')[0]
  expect(question(1, '1 photo', false)).toBe('Are you sure you want to delete this photo')
  expect(question(1, '1 photo', true)).toBe('Are you sure you want to delete this photo with its raw file')
  expect(question(4, '4 photos', true)).toBe(
    'Are you sure you want to delete these 4 photos with the raw files that they have',
  )
  expect(question(4, '4 photos', false)).toBe('Are you sure you want to delete these 4 photos')
})

test('texts distinguish one photo and many', () => {
  expect(bulkTexts({ action: 'delete' }, 1).done).toBe('The photo has been successfully deleted')
  expect(bulkTexts({ action: 'move', folderId: 7 }, 1284).done).toBe('1,284 photos have been moved to the folder')
  expect(bulkTexts({ action: 'privacy', isPublic: false }, 2).failed).toBe('2 photos could not be made private')
})
