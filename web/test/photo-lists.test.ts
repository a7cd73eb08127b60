import { QueryClient } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import type { Page } from '../src/api/client.ts'
import {
  indexOfPhoto,
  isCountNeeded,
  lengthOfList,
  photoAt,
  photoIdsBetween,
  updateCachedPhotos,
  updatePages,
} from '../src/api/photo-cache.ts'
import { undoMove } from '../src/api/photo-changes.ts'
import {
  folderPhotoList,
  PHOTOS_PER_PAGE,
  type PhotoList,
  photoCountQuery,
  photoPageQuery,
  sectionQuery,
} from '../src/api/photo-lists.ts'
import type { Photo } from '../src/api/types.ts'

afterEach(() => vi.unstubAllGlobals())

const LIST: PhotoList = { folderId: null, sort: 'newest', filter: {} }
const SEARCH: PhotoList = { ...LIST, filter: { q: 'lake' } }

/** The higher the id, the newer. */
const photo = (id: number, more: Partial<Photo> = {}) =>
  ({ id, createdAt: new Date(id * 1000).toISOString(), folderId: null, title: '', ...more }) as Photo

/** A page of a list of `total` photos, whose ids go down to 1. */
function page(index: number, total: number): Page<Photo> {
  const first = total - index * PHOTOS_PER_PAGE
  const count = Math.min(PHOTOS_PER_PAGE, first)
  return { items: Array.from({ length: count }, (_, at) => photo(first - at)), total, next: null }
}

const pagesOf = (total: number, ...indexes: number[]) => new Map(indexes.map((index) => [index, page(index, total)]))
const ids = (items: readonly (Photo | undefined)[] = []) => Array.from(items, (item) => item?.id)

test('a section of a list is requested by limit and skip', () => {
  const search = { ...LIST, sort: 'oldest', filter: { q: 'a&b' } } as const
  const page = { sort: 'newest', limit: 48 }
  expect(sectionQuery(search, { limit: 48, skip: 96 })).toEqual({
    ...page,
    ...{ sort: 'oldest', q: 'a&b', skip: 96, countTo: 200 },
  })
  expect(sectionQuery({ ...LIST, filter: { from: '2026' } }, { limit: 48 })).toEqual({
    ...page,
    from: '2026',
    countTo: 1000,
  })
  expect(sectionQuery(LIST, { limit: 48, skip: 48 })).toEqual({ ...page, skip: 48 })
  expect(sectionQuery({ ...LIST, filter: { folder: '7' } }, { limit: 48 })).toEqual({ ...page, folder: '7' })
  expect(sectionQuery(folderPhotoList(7), { limit: 48 })).toEqual(page)
})

test('changed photos are replaced, others stay the same object', () => {
  const before = pagesOf(60, 0, 1)
  const after = updatePages(before, [59], [photo(59, { title: 'new' })])
  expect(after.get(0)?.items[1]?.title).toBe('new')
  expect(after.get(0)?.items[0]).toBe(before.get(0)?.items[0])
  expect(after.get(1)).toBe(before.get(1))
})

test('photos after a removed one move up, also across pages that are not cached', () => {
  const after = updatePages(pagesOf(480, 0, 1, 5), [479, 470, 9999], [])
  expect(ids(after.get(0)?.items).slice(0, 3)).toEqual([480, 478, 477])
  expect(after.get(0)?.items).toHaveLength(48)
  expect(ids(after.get(1)?.items)).toHaveLength(46)
  expect(ids(after.get(5)?.items).slice(0, 2)).toEqual([238, 237])
  expect([0, 1, 5].map((index) => after.get(index)?.total)).toEqual([478, 478, 478])
})

test('an index emptied by one change stays empty in the next', () => {
  const once = updatePages(pagesOf(200, 1, 2), [152], [])
  const hole = new Map([[2, updatePages(pagesOf(200, 2), [104], []).get(2) as Page<Photo>]])
  expect(ids(once.get(2)?.items)).toHaveLength(47)
  expect(ids(updatePages(hole, [103], []).get(2)?.items)).toEqual(Array.from({ length: 46 }, (_, at) => 102 - at))
})

test('the last photo of a list leaves an empty list', () => {
  expect(updatePages(pagesOf(1, 0), [1], []).get(0)).toMatchObject({ items: [], total: 0 })
})

test('a photo is found by its index, and its index by its id, on cached pages', () => {
  const client = new QueryClient()
  client.setQueryData(photoPageQuery(LIST, 2).queryKey, page(2, 200))
  expect(photoAt(client, LIST, 97)?.id).toBe(103)
  expect([photoAt(client, LIST, 0), photoAt(client, LIST, -1)]).toEqual([undefined, undefined])
  expect([indexOfPhoto(client, LIST, 103), indexOfPhoto(client, LIST, 200)]).toEqual([97, -1])
  client.clear()
})

test('a filtered list does not take part in the cache of the whole list', () => {
  const client = new QueryClient()
  client.setQueryData(photoPageQuery(SEARCH, 0).queryKey, page(0, 96))
  client.setQueryData(
    photoPageQuery({ ...LIST, filter: { q: 'lake', from: '2026-01-02T00:00:00.000Z' } }, 0).queryKey,
    page(0, 48),
  )
  expect(indexOfPhoto(client, LIST, 96)).toBe(-1)
  expect(lengthOfList(client, LIST)).toBeUndefined()
  expect(indexOfPhoto(client, SEARCH, 96)).toBe(0)
  expect(lengthOfList(client, SEARCH)).toEqual({ total: 96, moreThan: null })
  client.clear()
})

test('the length of a long search is what was counted, before that a lower bound', () => {
  const client = new QueryClient()
  const search = SEARCH
  client.setQueryData(photoPageQuery(search, 0).queryKey, { ...page(0, 201), next: '/api/photos?cursor=x' })
  expect(lengthOfList(client, search)).toEqual({ total: 201, moreThan: 200 })
  client.setQueryData(photoCountQuery(search).queryKey, { items: [], total: 724, next: null })
  expect(lengthOfList(client, search)).toEqual({ total: 724, moreThan: null })
  // Like a removal at once, before the pages are read again.
  updateCachedPhotos(client, [201], [])
  expect(lengthOfList(client, search)).toEqual({ total: 723, moreThan: null })
  client.setQueryData(photoCountQuery(search).queryKey, { items: [], total: 10_001, next: null })
  expect(lengthOfList(client, search)).toEqual({ total: 10_001, moreThan: 10_000 })
  updateCachedPhotos(client, [200], [])
  expect(lengthOfList(client, search)).toEqual({ total: 10_001, moreThan: 10_000 })
  client.clear()
})

test('only lists that the server counts to a limit need a count, and only above it', () => {
  const needed = (list: PhotoList, total: number) => isCountNeeded(list, { items: [], total, next: null })
  expect([needed(SEARCH, 200), needed(SEARCH, 201)]).toEqual([false, true])
  expect([
    needed({ ...LIST, filter: { from: '2026' } }, 1000),
    needed({ ...LIST, filter: { from: '2026' } }, 1001),
  ]).toEqual([false, true])
  expect([needed(LIST, 100_000), needed(folderPhotoList(7), 9000)]).toEqual([false, false])
  expect(isCountNeeded(LIST, undefined)).toBe(false)
})

test('the ids of a range come from cached pages', async () => {
  const client = new QueryClient()
  for (const index of [0, 1]) client.setQueryData(photoPageQuery(LIST, index).queryKey, page(index, 96))
  expect(await photoIdsBetween(client, LIST, 46, 49)).toEqual([50, 49, 48, 47])
  client.clear()
})

test('a photo that moves leaves the list of its folder', () => {
  const client = new QueryClient()
  const list = { items: [photo(2, { folderId: 7 })], total: 1, next: null }
  client.setQueryData(photoPageQuery(folderPhotoList(7), 0).queryKey, list)
  client.setQueryData(photoPageQuery(LIST, 0).queryKey, list)
  updateCachedPhotos(client, [2], [photo(2, { folderId: 8 })])
  expect(client.getQueryData(photoPageQuery(folderPhotoList(7), 0).queryKey)).toMatchObject({ items: [], total: 0 })
  expect(client.getQueryData(photoPageQuery(LIST, 0).queryKey)?.items[0]?.folderId).toBe(8)
  client.clear()
})

test('a move that made a pair is undone for the moved file alone, which may become one of a pair again', async () => {
  const sent: string[] = []
  vi.stubGlobal('fetch', async (path: string, { body }: { body: string }) => {
    sent.push(`${path} ${body}`)
    return Response.json({ done: [1], photos: 1, failed: [] })
  })
  const before = photo(1, { isPublic: true, folderId: 4, pairedWith: null })
  await undoMove(new QueryClient(), { ...before, folderId: 5, pairedWith: 2 }, before)
  const place = { folderId: 4, isPublic: true, privateByChoice: false, paired: false }
  expect(sent).toEqual([`/api/photos/bulk ${JSON.stringify({ action: 'restore', ids: [1], ...place })}`])
})
