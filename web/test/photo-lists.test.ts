import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { mergePages, mergePhotos, putPhotos } from '../src/api/photo-lists.ts'
import { folderPhotosQuery, photoPagesQuery } from '../src/api/queries.ts'
import type { Photo } from '../src/api/types.ts'

/** The higher the id, the newer. */
const photo = (id: number, more: Partial<Photo> = {}) =>
  ({ id, createdAt: new Date(id * 1000).toISOString(), folderId: null, title: '', ...more }) as Photo
const ids = (photos: Photo[]) => photos.map(({ id }) => id)
const list = (...wanted: number[]) => wanted.map((id) => photo(id))

/** The newest `count` of `total` photos in pages as the server gives them. */
function pages(count: number, total: number) {
  const items = Array.from({ length: count }, (_, index) => photo(total - index))
  return {
    pages: [{ items, total, next: count < total ? '/api/photos?cursor=x' : null }],
    pageParams: ['/api/photos?limit=48'],
  }
}

test('what has changed is replaced, and what has not stays the same object', () => {
  const before = list(3, 2, 1)
  const after = mergePhotos(before, [2], [photo(2, { title: 'new' })])
  expect(after.map(({ title }) => title)).toEqual(['', 'new', ''])
  expect([after[0] === before[0], after[2] === before[2]]).toEqual([true, true])
})

test('what was asked for and not found is gone', () => {
  expect(ids(mergePhotos(list(3, 2, 1), [2, 9], []))).toEqual([3, 1])
})

test('new photos come where their date puts them, the later id first at the same moment', () => {
  const at = (id: number, second: number) => photo(id, { createdAt: new Date(second * 1000).toISOString() })
  const before = [at(8, 30), at(5, 20), at(2, 10)]
  expect(ids(mergePhotos(before, [], [at(4, 20), at(6, 20), at(9, 40), at(1, 5)]))).toEqual([9, 8, 6, 5, 4, 2, 1])
})

test('a photo behind the pages that have been read waits for its own page', () => {
  const data = pages(48, 100)
  const after = mergePages(data, [10, 101], [photo(10), photo(101)])
  const items = after.pages.flatMap((page) => page.items)
  expect([items.length, items[0]?.id, items.at(-1)?.id]).toEqual([49, 101, 53])
  expect(after.pages.at(-1)).toMatchObject({ total: 101, next: '/api/photos?cursor=x' })
})

test('as many pages remain as a full reading needs for what is shown', () => {
  const after = mergePages(
    pages(48, 48),
    [],
    Array.from({ length: 60 }, (_, index) => photo(100 + index)),
  )
  expect(after.pages.map((page) => page.items.length)).toEqual([48, 48, 12])
  expect(after.pageParams).toHaveLength(3)
  expect(after.pages[0]?.total).toBe(108)
})

test('the last photo of a list leaves an empty list', () => {
  expect(mergePages(pages(1, 1), [1], []).pages).toEqual([{ items: [], total: 0, next: null }])
})

test('a photo that moves leaves the list of its folder and comes into that of the other', () => {
  const client = new QueryClient()
  const inside = photo(2, { folderId: 7 })
  client.setQueryData(folderPhotosQuery(7).queryKey, [inside])
  client.setQueryData(folderPhotosQuery(8).queryKey, [photo(3, { folderId: 8 })])
  client.setQueryData(photoPagesQuery.queryKey, pages(3, 3))
  putPhotos(client, [2], [photo(2, { folderId: 8 })])
  expect(client.getQueryData(folderPhotosQuery(7).queryKey)).toEqual([])
  expect(ids(client.getQueryData(folderPhotosQuery(8).queryKey) ?? [])).toEqual([3, 2])
  expect(client.getQueryData(photoPagesQuery.queryKey)?.pages[0]?.items[1]?.folderId).toBe(8)
  client.clear()
})
