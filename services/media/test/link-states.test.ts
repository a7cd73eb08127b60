import { createLinkCookies } from '@skyfolio/kit'
import { TEST_LINK_KEYS, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PhotoResponse } from '../src/photos/photo-response.ts'
import { linkCookie, OWNER, processedPhoto, publicUrl } from './picture-support.ts'
import { startTestMedia, type TestMedia, visitor } from './support.ts'

/*
 * What the links of one folder give of a photo that all of them show: each kind and state of a link in every way in which
 * media sends bytes, while the other links are there.
 */

const FOLDER = 31
const OPEN = { id: 1, code: 'open', revision: 1 }
const LOCKED = { id: 6, code: 'locked', revision: 6, passwordRevision: 4 }
/** Expired or withdrawn: folders tells media of open links only. */
const ENDED = { id: 9, code: 'ended', revision: 9 }
const LINKS = [
  OPEN,
  { id: 2, code: 'web', revision: 2, downloads: 'web' as const },
  { id: 3, code: 'none', revision: 3, downloads: 'none' as const },
  { id: 4, code: 'no-places', revision: 4, showPlaces: false },
  { id: 5, code: 'no-camera', revision: 5, showCamera: false },
  LOCKED,
]

const cookies = createLinkCookies(TEST_LINK_KEYS, true)
const unlockedBy = (linkId: number, passwordRevision: number) =>
  `${cookies.unlocked.add(undefined, [linkId, passwordRevision])}`.split(';')[0] as string

/** A link and what its visitor has. */
const callers = {
  open: { link: OPEN, cookie: '' },
  'web size': { link: LINKS[1], cookie: '' },
  'no downloads': { link: LINKS[2], cookie: '' },
  'hidden places': { link: LINKS[3], cookie: '' },
  'hidden camera': { link: LINKS[4], cookie: '' },
  locked: { link: LOCKED, cookie: '' },
  'locked, password entered': { link: LOCKED, cookie: unlockedBy(LOCKED.id, 4) },
  'locked, former password entered': { link: LOCKED, cookie: unlockedBy(LOCKED.id, 3) },
  'locked, that of another link entered': { link: LOCKED, cookie: unlockedBy(OPEN.id, 4) },
  ended: { link: ENDED, cookie: unlockedBy(ENDED.id, 9) },
} as const
type Caller = keyof typeof callers

let media: TestMedia
let folders: ReturnType<TestMedia['folders']>
let photo: PhotoResponse
beforeAll(async () => {
  media = await startTestMedia()
  folders = media.folders()
  folders.set(FOLDER, OWNER, true)
  setLinks(LINKS)
  photo = await processedPhoto(media, FOLDER)
  await media.db.photo.update({ where: { id: photo.id }, data: { previewBytes: 1, previewCrc32: 1 } })
})
afterAll(() => media.close())

function setLinks(links: object[]): void {
  folders.known.set(FOLDER, { ...(folders.known.get(FOLDER) as never as { id: number }), links } as never)
}

interface Sent {
  code: string
  revision: number
  cookie: string
}
type Send = (sent: Sent, headers?: Record<string, string>) => Promise<Response>

const get = (path: string, { cookie }: { cookie: string }, headers: Record<string, string> = {}) =>
  media.call(path, visitor, { headers: { ...(cookie && { cookie }), ...headers } })
const pictureOf =
  (kind: 'thumbnail' | 'preview' | 'original', query = ''): Send =>
  (sent, headers) =>
    get(publicUrl(photo, kind, { linkRevision: sent.revision }) + query, sent, headers)
const imageByCode: Send = (sent, headers) =>
  get(`/api/photos/${photo.id}/image`, sent, { 'x-share-code': sent.code, ...headers })
const imageByCookie: Send = ({ cookie, revision }, headers) => {
  const links = linkCookie(FOLDER, revision).cookie as string
  return get(`/api/photos/${photo.id}/image`, { cookie: [links, cookie].filter(Boolean).join('; ') }, headers)
}
const archive =
  (body: object): Send =>
  ({ code, cookie }) =>
    media.call(`/api/share/${code}/download`, visitor, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...(cookie && { cookie }) },
    })

const LOCKED_OUT = {
  locked: 403,
  'locked, former password entered': 403,
  'locked, that of another link entered': 403,
  ended: 404,
}
const given = (status: number, refused: Partial<Record<Caller, number>> = {}): Record<Caller, number> => ({
  ...(Object.fromEntries(Object.keys(callers).map((caller) => [caller, status])) as Record<Caller, number>),
  ...LOCKED_OUT,
  ...refused,
})
const shown = given(200)
const saved = given(200, { 'no downloads': 403 })
const originals = given(200, { 'no downloads': 403, 'web size': 403 })

const table: [route: string, send: Send, expected: Record<Caller, number>][] = [
  ['a thumbnail', pictureOf('thumbnail'), shown],
  ['a preview', pictureOf('preview'), shown],
  ['the image by the code', imageByCode, shown],
  ['the image by the cookie of links', imageByCookie, shown],
  ['a preview to save', pictureOf('preview', '?download'), saved],
  ['the original', pictureOf('original'), originals],
  ['the original to save', pictureOf('original', '?download'), originals],
  ['an archive', archive({}), given(201, { 'no downloads': 403 })],
  ['an archive of web size', archive({ size: 'web' }), given(201, { 'no downloads': 403 })],
  ['an archive of originals', archive({ size: 'original' }), given(201, { 'no downloads': 403, 'web size': 403 })],
]

describe.each(table)('%s', (_route, send, expected) => {
  test.each(Object.keys(callers) as Caller[])('%s', async (caller) => {
    const { link, cookie } = callers[caller]
    const sent = { code: link?.code as string, revision: link?.revision as number, cookie }
    const response = await send(sent)
    const text = Buffer.from(await response.arrayBuffer())
    expect(response.status, text.toString('latin1').slice(0, 200)).toBe(expected[caller])
    if (expected[caller] !== 200) return
    // In parts and as unchanged it is given to the same.
    const part = await send(sent, { range: 'bytes=2-5' })
    expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, text.subarray(2, 6)])
    const unchanged = await send(sent, { 'if-none-match': response.headers.get('etag') ?? '' })
    expect(unchanged.status).toBe(304)
    for (const [other, { link, cookie }] of Object.entries(callers)) {
      if (expected[other as Caller] === 200) continue
      const refused = { code: link?.code as string, revision: link?.revision as number, cookie }
      for (const headers of [{ range: 'bytes=2-5' }, { 'if-none-match': '*' }] as Record<string, string>[]) {
        expect((await send(refused, headers)).status, `${other} ${Object.keys(headers)}`).toBe(
          expected[other as Caller],
        )
      }
    }
  })
})

test('shared caches may keep pictures of a link for a second, unless it has a password', async () => {
  const cacheControl = async (caller: Caller) => {
    const { link, cookie } = callers[caller]
    const { headers } = await pictureOf('thumbnail')({ code: '', revision: link?.revision as number, cookie })
    return headers.get('cache-control')
  }
  expect(await cacheControl('open')).toContain('s-maxage=1')
  expect(await cacheControl('locked, password entered')).toBe('private, no-cache')
})

test('the gateway is told that media decides on pictures of a link with a password', async () => {
  for (const kind of ['thumbnail', 'card'] as const) {
    const stateOf = async ({ revision }: { revision: number }) =>
      (await media.pictureState(publicUrl(photo, kind, { linkRevision: revision }))).status
    expect([await stateOf(OPEN), await stateOf(LOCKED), await stateOf(ENDED)], kind).toEqual([200, 403, 404])
  }
})

test('a change of one link takes effect within a second, and the others go on', async () => {
  const statusOf = async (revision: number) => (await pictureOf('original')({ code: '', revision, cookie: '' })).status
  const waitForStatus = (revision: number, status: number) =>
    waitFor(async () => (await statusOf(revision)) === status || false, { what: `status ${status}`, timeoutMs: 1_000 })
  expect(await statusOf(OPEN.revision)).toBe(200)
  setLinks([...LINKS.slice(1), { ...OPEN, downloads: 'web' }])
  await waitForStatus(OPEN.revision, 403)
  expect(await statusOf(4)).toBe(200)
  setLinks(LINKS.slice(1))
  await waitForStatus(OPEN.revision, 404)
  expect(await statusOf(4)).toBe(200)
  setLinks(LINKS)
  await waitForStatus(OPEN.revision, 200)
})

test('pictures of a page that is newer than what media knows are there at once', async () => {
  const statusOf = async (revision: number) => (await pictureOf('thumbnail')({ code: '', revision, cookie: '' })).status
  expect(await statusOf(OPEN.revision)).toBe(200)
  setLinks([...LINKS, { id: 10, code: 'new', revision: 10 }])
  expect(await Promise.all([10, 10, 10].map(statusOf))).toEqual([200, 200, 200])
  setLinks(LINKS)
})

test('who has several links of the folder gets the image with any of them, but a given code decides', async () => {
  const both = `${cookies.opened.add(linkCookie(FOLDER, LOCKED.revision).cookie, [FOLDER, OPEN.revision])}`.split(
    ';',
  )[0]
  const statusWith = async (headers: Record<string, string>) =>
    (await get(`/api/photos/${photo.id}/image`, { cookie: both as string }, headers)).status
  expect(await statusWith({})).toBe(200)
  expect(await statusWith({ 'x-share-code': LOCKED.code })).toBe(403)
  expect(await statusWith({ 'x-share-code': 'unknown' })).toBe(200)
})
