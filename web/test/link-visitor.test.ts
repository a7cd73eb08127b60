import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createFolderDownload } from '../src/api/folder-download.ts'
import { forgetLink, linkKey, publicFolderQuery, publicPhotosQuery } from '../src/api/queries.ts'
import type { PublicFolder } from '../src/api/types.ts'
import { notesOn } from '../src/features/share/folder-download.tsx'
import { downloadSizes, hasPage } from '../src/features/share/link-rules.ts'

const link = (more: Partial<PublicFolder> = {}) =>
  ({ downloads: 'original', showPlaces: true, showCamera: true, ...more }) as PublicFolder
const file = (filename: string, previewUrl: string | null = '/p.webp') => ({ filename, previewUrl })

const respond = (status: number, body: unknown, headers?: HeadersInit) =>
  new Response(JSON.stringify(body), { status, headers })
const locked = () => respond(403, { code: 'password_required', message: 'Enter the password' })

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

test('the main link has all three pages, another link that of its kind', () => {
  const pages = ['vote', 'view', 'browse'] as const
  expect(pages.filter((page) => hasPage({ main: true, kind: 'vote' }, page))).toEqual(pages)
  expect(pages.filter((page) => hasPage({ main: false, kind: 'browse' }, page))).toEqual(['browse'])
})

describe('a photo is downloaded', () => {
  test('as the link allows', () => {
    expect(downloadSizes(link(), file('a.dng'))).toEqual(['original', 'web'])
    expect(downloadSizes(link({ downloads: 'web' }), file('a.jpg'))).toEqual(['web'])
    expect(downloadSizes(link({ downloads: 'none' }), file('a.jpg'))).toEqual([])
  })

  test('as its original alone while it has no preview', () => {
    expect(downloadSizes(link(), file('a.jpg', null))).toEqual(['original'])
  })

  test.each([{ showPlaces: false }, { showCamera: false }])('as an original that can be cleaned with %o', (hidden) => {
    const sizes = (filename: string) => downloadSizes(link(hidden), file(filename))
    expect([sizes('a.jpg'), sizes('a.png')]).toEqual([
      ['original', 'web'],
      ['original', 'web'],
    ])
    expect([sizes('a.dng'), sizes('a.tif'), sizes('a.gif')]).toEqual([['web'], ['web'], ['web']])
  })
})

test('what an archive does not have is said before', () => {
  expect(notesOn('original', link(), { leftOut: 0, pairs: false })).toEqual([])
  expect(notesOn('original', link(), { leftOut: 0, pairs: true })).toEqual([
    'Raw files are left out: download them with their photos.',
  ])
  expect(notesOn('original', link({ showPlaces: false }), { leftOut: 0, pairs: false })).toEqual([
    'The files come without places.',
  ])
  expect(notesOn('original', link({ showPlaces: false, showCamera: false }), { leftOut: 2, pairs: false })).toEqual([
    'The files come without places and camera data.',
    '2 photos left out: only JPEG and PNG files can be cleaned of places and camera data.',
  ])
  expect(notesOn('web', link(), { leftOut: 1, pairs: true })).toEqual([
    '1 photo left out: still being processed, or without a preview.',
  ])
})

test('a link whose password has changed keeps nothing of what was read', async () => {
  const fetch = vi.fn(async () => respond(200, { name: 'Above the water' }))
  vi.stubGlobal('fetch', fetch)
  const client = new QueryClient()
  const observer = new QueryObserver(client, { ...publicFolderQuery('code'), refetchInterval: false })
  const leave = observer.subscribe(() => {})
  await client.fetchQuery(publicPhotosQuery('code'))
  await vi.waitFor(() => expect(observer.getCurrentResult().data).toEqual({ name: 'Above the water' }))
  fetch.mockImplementation(async () => locked())
  expect((await observer.refetch()).data).toBeNull()
  forgetLink(client, 'code')
  expect(client.getQueriesData({ queryKey: linkKey('code') }).map(([, data]) => data)).toEqual([null])
  leave()
})

test('an archive is requested until it is prepared', async () => {
  vi.useFakeTimers()
  const preparing = () => respond(503, { code: 'preparing', message: '12 photos left' }, { 'retry-after': '2' })
  const fetch = vi.fn(async () => respond(201, { url: '/archive' }))
  fetch.mockImplementationOnce(async () => preparing())
  vi.stubGlobal('fetch', fetch)
  const onPreparing = vi.fn()
  const url = createFolderDownload('code', 'web', onPreparing, new AbortController().signal)
  await vi.advanceTimersByTimeAsync(1_900)
  expect([fetch.mock.calls.length, onPreparing.mock.calls]).toEqual([1, [['12 photos left']]])
  await vi.advanceTimersByTimeAsync(100)
  expect(await url).toBe('/archive')
})
