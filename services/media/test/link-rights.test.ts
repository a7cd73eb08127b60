import { isPublicName, type PictureKind } from '@skyfolio/kit'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { PhotoResponse } from '../src/photos/photo-response.ts'
import { linkCookie, OWNER, processedPhoto, publicUrl } from './picture-support.ts'
import { startTestMedia, type TestMedia, user, visitor } from './support.ts'

/*
 * What somebody who is neither owner nor administrator gets: every route of bytes, in every state of the photo, without
 * the folder's link, with the current one, and with the one before it.
 */

const links = ['no', 'the current', 'the former'] as const
type Link = (typeof links)[number]

const states = [
  'that visitors see',
  'that is private',
  'in a folder that is private',
  'in another folder',
  'that is deleted',
  'of a suspended owner',
] as const
type State = (typeof states)[number]

interface Fixture {
  photo: PhotoResponse
  /** Where the photo was when its names and cookies were made. */
  folderId: number
}

interface Row {
  route: string
  ask(fixture: Fixture, link: Link): Promise<Response>
  /** Links that open a photo that visitors see; nothing opens the others. */
  openedBy: Link[]
  /** Opens the photo in whatever folder it is. */
  wherever?: true
}

const CURRENT = 2
const OTHER_FOLDER = 5

let media: TestMedia
let folders: ReturnType<TestMedia['folders']>
let lastFolder = 100

beforeAll(async () => {
  media = await startTestMedia()
  folders = media.folders()
  folders.set(OTHER_FOLDER, OWNER, true)
})
afterAll(() => media.close())

const codeOf = (folderId: number, linkRevision: number) => `code-${linkRevision}-of-${folderId}`

/** A new folder whose link was renewed once. */
function makeFolder(): number {
  lastFolder += 1
  folders.set(lastFolder, OWNER, true)
  setFolder(lastFolder, { linkRevision: CURRENT, shareCode: codeOf(lastFolder, CURRENT) })
  return lastFolder
}

function setFolder(id: number, change: Partial<Parameters<typeof folders.known.set>[1]>): void {
  const folder = folders.known.get(id)
  if (!folder) throw new Error(`no folder ${id}`)
  folders.known.set(id, { ...folder, ...change })
}

/** A photo in this state, as its owner saw it in its folder. */
async function makePhoto(state: State): Promise<Fixture> {
  const folderId = makeFolder()
  const photo = await processedPhoto(media, folderId)
  const change = (method: string, path: string, body?: object) =>
    media.call(`/api/photos/${photo.id}${path}`, user(OWNER), {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
  if (state === 'that is private') await change('PATCH', '/privacy', { isPublic: false })
  if (state === 'in another folder') await change('PATCH', '/folder', { folderId: OTHER_FOLDER })
  if (state === 'that is deleted') await change('DELETE', '')
  if (state === 'in a folder that is private')
    setFolder(folderId, { isPublic: false, revision: 2, visibilityRevision: 2 })
  if (state === 'of a suspended owner') setFolder(folderId, { ownerSuspended: true })
  // The privacy change and the move asked for the folder as it was before.
  await waitFor(async () => (await isCurrent(folderId)) || false, { what: 'media has the current folder' })
  return { photo, folderId }
}

/** Whether media has requested the folder again since its last change. */
async function isCurrent(folderId: number): Promise<boolean> {
  const before = folders.asked.filter((id) => id === folderId).length
  await media.pictureState(publicUrl({ id: 999_999, folderId } as PhotoResponse, 'small'))
  return folders.asked.filter((id) => id === folderId).length > before
}

/** A public name of this link; without one, a guess of the name by the ids that everybody can count. */
function urlOf({ photo, folderId }: Fixture, kind: PictureKind, link: Link): string {
  const url = publicUrl(photo, kind, { folderId, linkRevision: link === 'the former' ? CURRENT - 1 : CURRENT })
  if (link !== 'no') return url
  return url.replace(/-[\w-]{22}\./, `-${'A'.repeat(22)}.`)
}

function headersOf({ folderId }: Fixture, link: Link, by: 'cookie' | 'header'): Record<string, string> {
  if (link === 'no') return {}
  const linkRevision = link === 'the current' ? CURRENT : CURRENT - 1
  return by === 'cookie' ? linkCookie(folderId, linkRevision) : { 'x-share-code': codeOf(folderId, linkRevision) }
}

const kinds: PictureKind[] = ['original', 'small', 'thumbnail', 'medium', 'preview']
const storedUrls = {
  original: (photo: PhotoResponse) => photo.url,
  rendition: (photo: PhotoResponse) => photo.thumbnailUrl ?? '',
}

const table: Row[] = [
  ...kinds.flatMap((kind): Row[] => [
    {
      route: `GET /api/uploads/{public name of the ${kind}}`,
      ask: (fixture, link) => media.call(urlOf(fixture, kind, link)),
      openedBy: ['the current'],
    },
    {
      route: `GET /picture-states/{public name of the ${kind}}`,
      ask: (fixture, link) => media.pictureState(urlOf(fixture, kind, link)),
      openedBy: ['the current'],
    },
  ]),
  {
    route: 'GET /picture-states/{public name of the card}',
    ask: (fixture, link) => media.pictureState(urlOf(fixture, 'card', link)),
    openedBy: ['the current'],
  },
  {
    route: 'HEAD /api/uploads/{public name}',
    ask: (fixture, link) => media.call(urlOf(fixture, 'original', link), visitor, { method: 'HEAD' }),
    openedBy: ['the current'],
  },
  {
    route: 'GET /api/uploads/{public name}, as a download and for a signed-in user',
    ask: (fixture, link) => media.call(`${urlOf(fixture, 'original', link)}?download`, user(2)),
    openedBy: ['the current'],
  },
  {
    route: 'GET /api/photos/{id}/image, by the cookie of links',
    ask: (fixture, link) =>
      media.call(`/api/photos/${fixture.photo.id}/image`, visitor, { headers: headersOf(fixture, link, 'cookie') }),
    openedBy: ['the current'],
  },
  {
    route: 'GET /api/photos/{id}/image, by the header, for a signed-in user',
    ask: (fixture, link) =>
      media.call(`/api/photos/${fixture.photo.id}/image`, user(2), { headers: headersOf(fixture, link, 'header') }),
    openedBy: ['the current'],
  },
  ...Object.entries(storedUrls).flatMap(([what, urlOf]): Row[] => [
    {
      // Who learned a stored name keeps it while the photo is visible.
      route: `GET /api/uploads/{stored name of the ${what}}`,
      ask: ({ photo }) => media.call(urlOf(photo)),
      openedBy: [...links],
      wherever: true,
    },
    {
      route: `GET /picture-states/{stored name of the ${what}}`,
      ask: ({ photo }) => media.pictureState(urlOf(photo)),
      openedBy: [...links],
      wherever: true,
    },
  ]),
]

const fixtures = new Map<State, Promise<Fixture>>()
function fixtureOf(state: State): Promise<Fixture> {
  const made = fixtures.get(state) ?? makePhoto(state)
  fixtures.set(state, made)
  return made
}

describe.each(table)('$route', ({ ask, openedBy, wherever }) => {
  test.each(states)('a photo %s', async (state) => {
    const fixture = await fixtureOf(state)
    const isVisible = state === 'that visitors see' || (wherever && state === 'in another folder')
    for (const link of links) {
      const response = await ask(fixture, link)
      await response.arrayBuffer()
      expect(response.status, `${link} link`).toBe(isVisible && openedBy.includes(link) ? 200 : 404)
    }
  })
})

test('a stranger who counts ids gets nothing, and costs neither the database nor folders anything', async () => {
  const { photo, folderId } = await fixtureOf('that visitors see')
  const requests = folders.asked.length
  const query = vi.spyOn(media.pool, 'query')
  const readings = () => query.mock.calls.filter(([one]) => String((one as { name?: string }).name).includes('picture'))
  for (let id = 1; id <= photo.id; id += 1) {
    expect((await media.call(`/api/photos/${id}/image`)).status).toBe(404)
  }
  for (let id = 1; id <= photo.id; id += 1) {
    const url = urlOf({ photo: { ...photo, id }, folderId }, 'preview', 'no')
    expect(isPublicName(url.split('/').at(-1) ?? '')).toBe(true)
    expect((await media.call(url)).status).toBe(404)
  }
  expect([folders.asked.length, readings()]).toEqual([requests, []])
  query.mockRestore()
})

test('a name whose parts were changed opens nothing, nor does a signed one of a file that does not exist', async () => {
  const fixture = await fixtureOf('that visitors see')
  const { photo, folderId } = fixture
  const genuine = urlOf(fixture, 'thumbnail', 'the current')
  expect((await media.call(genuine)).status).toBe(200)
  const [, , inFolder = ''] = genuine.split('-')
  const forged = [
    genuine.replace('-t-', '-p-'),
    genuine.replace('.webp', '.jpg'),
    genuine.replace(`s-${photo.id.toString(36)}-`, `s-${(photo.id + 1).toString(36)}-`),
    genuine.replace(`-${inFolder}-`, `-${OTHER_FOLDER.toString(36)}-`),
    genuine.replace('-2-t-', '-3-t-'),
    genuine.toUpperCase(),
    `${genuine}x`,
    publicUrl(photo, 'thumbnail', { folderId, linkRevision: CURRENT, extension: 'jpg' }),
    publicUrl(photo, 'original', { folderId, linkRevision: CURRENT, extension: 'png' }),
    publicUrl(photo, 'thumbnail', { folderId: OTHER_FOLDER }),
    publicUrl(photo, 'thumbnail', { folderId, linkRevision: CURRENT + 1 }),
    publicUrl({ ...photo, id: 999_999 }, 'thumbnail', { folderId, linkRevision: CURRENT }),
  ]
  for (const url of forged) expect((await media.call(url)).status, url).toBe(404)
  await media.db.photo.update({ where: { id: photo.id }, data: { medium: null } })
  expect((await media.call(urlOf(fixture, 'medium', 'the current'))).status).toBe(404)
})

test('a photo by its id is not opened by cookies of other folders, forged ones, or strange codes', async () => {
  const { photo, folderId } = await fixtureOf('that visitors see')
  const { cookie = '' } = linkCookie(folderId, CURRENT)
  const proofs: Record<string, string>[] = [
    linkCookie(OTHER_FOLDER),
    linkCookie(folderId, CURRENT + 1),
    { cookie: cookie.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')) },
    { cookie: `links=${folderId.toString(36)}.${CURRENT}` },
    { 'x-share-code': '' },
    { 'x-share-code': `${codeOf(folderId, CURRENT)}, ${codeOf(folderId, CURRENT)}` },
    { 'x-share-code': 'x'.repeat(5_000) },
  ]
  for (const headers of proofs) {
    expect((await media.call(`/api/photos/${photo.id}/image`, visitor, { headers })).status).toBe(404)
  }
})

test.each([
  ['renewed', { linkRevision: CURRENT + 1, shareCode: 'a-third-code' }],
  ['withdrawn', { isPublic: false, revision: 3, visibilityRevision: 3 }],
])('a link that is %s opens nothing within a second', async (_how, change) => {
  const folderId = makeFolder()
  const photo = await processedPhoto(media, folderId)
  const fixture = { photo, folderId }
  const image = `/api/photos/${photo.id}/image`
  const ask = [
    () => media.call(urlOf(fixture, 'preview', 'the current')),
    () => media.call(urlOf(fixture, 'original', 'the current')),
    () => media.pictureState(urlOf(fixture, 'preview', 'the current')),
    () => media.call(image, visitor, { headers: headersOf(fixture, 'the current', 'cookie') }),
    () => media.call(image, visitor, { headers: headersOf(fixture, 'the current', 'header') }),
  ]
  const statuses = () => Promise.all(ask.map(async (one) => (await one()).status))
  expect(await statuses()).toEqual(ask.map(() => 200))
  // Only the response of folders changes: no event is published.
  setFolder(folderId, change)
  const ended = performance.now()
  let lastSeen = 0
  await waitFor(
    async () => {
      const asked = performance.now() - ended
      if ((await statuses()).every((status) => status === 404)) return true
      lastSeen = asked
      return false
    },
    { what: 'the link opens nothing' },
  )
  // However slow the machine is, requests a second later open nothing.
  expect(lastSeen).toBeLessThan(1_000)
})
