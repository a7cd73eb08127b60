import { gunzipSync } from 'node:zlib'
import { type App, createLinkCookies, createPublicNames, type PictureKind } from '@skyfolio/kit'
import { TEST_LINK_KEYS, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { call, makeFolder, newUser, newVoter, openTestSystem, putPhoto, type TestSystem, visitor } from './support.ts'

// What public responses say of pictures: names that the folder's current link opens, and the cookie of links.

let system: TestSystem
let app: App
let replica: App

beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
  replica = await system.start()
})
afterAll(() => system.close())

const STORED = {
  filename: '0a0a0a0a0a0a0a0a.jpg',
  small: '1b1b1b1b1b1b1b1b.webp',
  thumbnail: '2c2c2c2c2c2c2c2c.webp',
  medium: '3d3d3d3d3d3d3d3d.webp',
  preview: '4e4e4e4e4e4e4e4e.webp',
}
const KINDS: [field: string, kind: PictureKind][] = [
  ['url', 'original'],
  ['smallUrl', 'small'],
  ['thumbnailUrl', 'thumbnail'],
  ['mediumUrl', 'medium'],
  ['previewUrl', 'preview'],
]
const names = createPublicNames(TEST_LINK_KEYS)

async function publicFolder(pictures: object = STORED) {
  const owner = newUser()
  const folder = await makeFolder(app, owner, { isPublic: true })
  const photo = await putPhoto(system, { userId: owner.userId, folderId: folder.id, ...pictures })
  return { owner, folder, photo, url: `/api/share/${folder.shareCode}` }
}

type Shared = Awaited<ReturnType<typeof publicFolder>>

/** Every route that visitors with the link reach. */
function publicPaths({ folder, photo }: Shared, code = folder.shareCode): string[] {
  return [
    `/api/share/${code}`,
    `/api/share/${code}/photos/${photo}`,
    `/api/folders/share/${code}`,
    `/api/folders/share/${code}/photos`,
    `/api/share/${code}/cameras`,
  ]
}

async function renew({ owner, folder }: Shared): Promise<string> {
  const { body } = await call(app, 'POST', `/api/folders/${folder.id}/share-code`, { headers: owner.headers })
  return body.shareCode
}

/** What the URLs of a photo open; null for a URL without a valid public name. */
function opened(photo: Record<string, string | null>) {
  return KINDS.map(([field]) => names.verify((photo[field] ?? '').replace('/api/uploads/', '')))
}

const expectedNames = ({ folder, photo }: Shared, linkRevision: number) =>
  KINDS.map(([, kind]) => ({
    photoId: photo,
    folderId: folder.id,
    linkRevision,
    kind,
    extension: kind === 'original' ? 'jpg' : 'webp',
  }))

const photosOf = async (through: App, code: string) => (await call(through, 'GET', `/api/share/${code}`)).body.photos

test('no public response shows a stored name, in its body or its headers', async () => {
  const shared = await publicFolder()
  const { folder, photo } = shared
  const voter = newVoter(app)
  const vote = await voter.rank(folder.id, photo, 'first')
  const paths = [...publicPaths(shared), `/share-cards/${folder.shareCode}`]
  const own = [`/api/folders/${folder.id}/rankings`, `/api/share/${folder.shareCode}`]
  const requests = [...paths, ...own.map((path) => `${path}?fingerprint=${voter.fingerprint}`)].flatMap((url) => [
    { url, headers: visitor() },
    { url, headers: { ...visitor(), 'accept-encoding': 'gzip' } },
  ])
  const texts = [JSON.stringify(vote)]
  for (const request of requests) {
    const { statusCode, headers, rawPayload } = await app.inject(request)
    expect(statusCode, request.url).toBe(200)
    const body = headers['content-encoding'] ? gunzipSync(rawPayload) : rawPayload
    texts.push(`${JSON.stringify(headers)} ${body}`)
    const unchanged = await app.inject({ ...request, headers: { ...request.headers, 'if-none-match': '*' } })
    texts.push(`${JSON.stringify(unchanged.headers)} ${unchanged.body}`)
  }
  const shown = texts.join('\n')
  expect(shown).toContain(`/api/uploads/${names.sign({ ...expectedNames(shared, 1)[4] } as never)}`)
  for (const name of Object.values(STORED)) expect(shown).not.toContain(name.split('.')[0])
})

test('each picture has a public name that says photo, folder, link revision and kind, in every public response', async () => {
  const shared = await publicFolder()
  const [page, single, , list] = publicPaths(shared) as [string, string, string, string]
  const { photos } = (await call(app, 'GET', page)).body
  const one = (await call(replica, 'GET', single)).body
  const [listed] = (await call(replica, 'GET', list)).body
  for (const photo of [photos[0], one, listed]) {
    expect(opened(photo)).toEqual(expectedNames(shared, 1))
    expect(photo.url).toBe(`/api/uploads/${photo.filename}`)
  }
})

test('a picture that does not exist has no name', async () => {
  const { folder } = await publicFolder({ filename: 'f.dng', thumbnail: 't.webp' })
  const [photo] = await photosOf(app, folder.shareCode)
  expect(opened(photo).map((name) => name && `${name.kind}.${name.extension}`)).toEqual([
    'original.dng',
    null,
    'thumbnail.webp',
    null,
    null,
  ])
  expect([photo.smallUrl, photo.mediumUrl, photo.previewUrl]).toEqual([null, null, null])
})

/** How the card of a folder says that a photo is its cover. */
function coverOf({ previewUrl, title, city, state }: Record<string, string>) {
  const name = names.verify(previewUrl?.split('/').at(-1) ?? '')
  return { url: `/api/uploads/${names.sign({ ...name, kind: 'card', extension: 'jpg' } as never)}`, title, city, state }
}

test('the card has the first four photos of the page with their public names, and as cover the newest that has a preview', async () => {
  const { owner, folder, url } = await publicFolder()
  for (let number = 0; number < 4; number += 1) {
    const preview = number < 3 ? 'p.webp' : undefined
    await putPhoto(system, {
      userId: owner.userId,
      folderId: folder.id,
      thumbnail: 't.webp',
      preview,
      thumbhash: 'abc=',
    })
  }
  const { photos } = (await call(app, 'GET', url)).body
  const { body } = await call(app, 'GET', `/share-cards/${folder.shareCode}`)
  const { pictures, ...rest } = body
  const folderFields = {
    name: 'Lake',
    embedOrigins: [],
    description: null,
    photographer: null,
    main: true,
    kind: 'vote',
  }
  expect(rest).toEqual({ ...folderFields, photos: 5, cover: coverOf(photos[1]), chosen: null })
  const fields = ['title', 'city', 'state', 'width', 'height', 'thumbhash']
  const urls = ['smallUrl', 'thumbnailUrl', 'mediumUrl', 'previewUrl']
  expect(pictures).toEqual(
    photos
      .slice(0, 4)
      .map((photo: Record<string, unknown>) =>
        Object.fromEntries([...fields, ...urls].map((key) => [key, photo[key]])),
      ),
  )
})

test('the cover of page and card is the chosen one, as long as visitors see that photo', async () => {
  const { owner, folder, photo, url } = await publicFolder({ thumbnail: 't.webp', preview: 'p.webp' })
  const fields = { userId: owner.userId, folderId: folder.id, thumbnail: 't.webp', preview: 'p.webp' }
  await putPhoto(system, fields)
  const card = async () => (await call(app, 'GET', `/share-cards/${folder.shareCode}`)).body
  const cover = async () => (await card()).cover
  const chosen = async () => {
    const { folder, photos } = (await call(app, 'GET', url)).body
    return [folder.coverPhotoId, (await card()).chosen?.thumbnailUrl, photos[1]?.thumbnailUrl]
  }
  const covers = async () => (await call(app, 'GET', url)).body.photos.map(coverOf)
  expect(await cover()).toEqual((await covers())[0])
  expect(await chosen()).toEqual([null, undefined, expect.anything()])
  const body = { coverPhotoId: photo }
  await call(app, 'PUT', `/api/folders/${folder.id}`, { headers: owner.headers, body })
  expect(await cover()).toEqual((await covers())[1])
  const [id, inCard, onPage] = await chosen()
  expect([id, inCard]).toEqual([photo, onPage])

  const { visibilityRevision } = await system.database.folder.findUniqueOrThrow({ where: { id: folder.id } })
  const hidden = { ownIsPublic: false, ownVisibilityRevision: visibilityRevision }
  await putPhoto(system, { ...fields, id: photo, ...hidden }, 2)
  expect(await covers()).toHaveLength(1)
  expect(await chosen()).toEqual([null, undefined, undefined])
  expect(await cover()).toEqual((await covers())[0])
})

test('a new link changes every public name, on every replica, and the former link is 404', async () => {
  const shared = await publicFolder()
  await photosOf(app, shared.folder.shareCode)
  await photosOf(replica, shared.folder.shareCode)
  const code = await renew(shared)
  for (const through of [app, replica]) {
    expect(opened((await photosOf(through, code))[0])).toEqual(expectedNames(shared, 2))
    for (const path of [...publicPaths(shared), `/share-cards/${shared.folder.shareCode}`]) {
      expect((await call(through, 'GET', path)).status, path).toBe(404)
    }
  }
})

const RENEW = 'UPDATE links SET code = $1, revision = revision + 1 WHERE folder_id = $2'

test('a page follows the link revision alone, whatever changed the share code', async () => {
  const shared = await publicFolder()
  await photosOf(app, shared.folder.shareCode)
  const code = 'b'.repeat(22)
  await system.pool.query(RENEW, [code, shared.folder.id])
  expect(opened((await photosOf(app, code))[0])).toEqual(expectedNames(shared, 2))
})

test('a page that is loaded while the link is renewed is not sent to who asked with the former one', async () => {
  const shared = await publicFolder()
  const { folder } = shared
  const client = await system.pool.connect()
  onTestFinished(() => client.release())
  const waiting = async () =>
    (await client.query(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`))
      .rowCount ?? 0
  // Holds up the load, which reads photos, and not the check before it.
  await client.query('BEGIN')
  await client.query('LOCK TABLE photos IN ACCESS EXCLUSIVE MODE')
  const asked = call(app, 'GET', `/api/share/${folder.shareCode}`)
  await waitFor(async () => (await waiting()) > 0, { what: 'the load waits' })
  const code = 'c'.repeat(22)
  await client.query(RENEW, [code, folder.id])
  await client.query('COMMIT')
  expect((await asked).status).toBe(404)
  expect(opened((await photosOf(app, code))[0])).toEqual(expectedNames(shared, 2))
})

test('names are the same after every change of the photos as on a replica that has just started', async () => {
  const shared = await publicFolder()
  const { folder, owner, photo } = shared
  const other = await putPhoto(system, { userId: owner.userId, folderId: folder.id, ...STORED })
  const states = [
    { ...STORED, thumbnail: '9999999999999999.webp' },
    { filename: 'f.png' },
    { ...STORED, filename: 'f.heic', medium: undefined },
    STORED,
  ]
  for (const [index, state] of states.entries()) {
    await photosOf(app, folder.shareCode)
    await putPhoto(system, { id: photo, userId: owner.userId, folderId: folder.id, title: 'Lake', ...state }, index + 2)
    const fresh = await system.start()
    const photos = await photosOf(app, folder.shareCode)
    expect(photos).toEqual(await photosOf(fresh, folder.shareCode))
    expect(photos.map(({ id }: { id: number }) => id).sort()).toEqual([photo, other])
  }
})

test('names are signed with the first key, and a cookie of any key is accepted', async () => {
  const OTHER = 'the-next-key-'.repeat(3)
  const rotated = await system.start({ linkKeys: [OTHER, ...TEST_LINK_KEYS] })
  const { folder, url } = await publicFolder()
  const [photo] = await photosOf(rotated, folder.shareCode)
  expect(createPublicNames([OTHER]).verify(photo.filename)).toMatchObject({ folderId: folder.id })
  expect(names.verify(photo.filename)).toBeNull()
  const [cookie] = cookiesOf(await call(app, 'GET', url))
  expect(cookiesOf(await call(rotated, 'GET', url, { headers: { ...visitor(), cookie: cookie as string } }))).toEqual(
    [],
  )
})

/** The `links` cookies that a response sets, as a browser sends them. */
function cookiesOf({ headers }: { headers: Record<string, unknown> }): string[] {
  const set = [headers['set-cookie'] ?? []].flat() as string[]
  return set.filter((value) => value.startsWith('links=')).map((value) => value.split(';')[0] as string)
}

test('every public response of a link sets the cookie of links, until the browser has it', async () => {
  const shared = await publicFolder()
  const { opened } = createLinkCookies(TEST_LINK_KEYS, false)
  for (const path of publicPaths(shared)) {
    const first = await call(app, 'GET', path)
    const [cookie = ''] = cookiesOf(first)
    expect(opened.read(cookie), path).toEqual([[shared.folder.id, 1]])
    expect([first.headers['set-cookie']].flat().at(-1)).toMatch(/^links=[^;]+; Path=\/api; HttpOnly; SameSite=Lax$/)
    const etag = first.headers.etag ?? ''
    const send = (headers: object) => call(replica, 'GET', path, { headers: { ...visitor(), ...headers } })
    expect(cookiesOf(await send({ cookie })), path).toEqual([])
    expect(cookiesOf(await send({ cookie: `other=1; ${cookie}; voter=2` })), path).toEqual([])
    expect(cookiesOf(await send({ cookie: `${cookie}x` })), path).toEqual([cookie])
    if (!etag) continue
    const unchanged = await send({ 'if-none-match': etag })
    expect([unchanged.status, cookiesOf(unchanged)], path).toEqual([304, [cookie]])
    const again = await send({ 'if-none-match': etag, cookie })
    expect([again.status, cookiesOf(again)], path).toEqual([304, []])
  }
  for (const path of publicPaths(shared, 'unknown')) expect(cookiesOf(await call(app, 'GET', path))).toEqual([])
})

test('the cookie of links names every link that the browser has opened, the latest first', async () => {
  const [lake, hill] = [await publicFolder(), await publicFolder()]
  const { opened } = createLinkCookies(TEST_LINK_KEYS, false)
  const open = async (code: string, cookie: string) =>
    cookiesOf(await call(app, 'GET', `/api/share/${code}`, { headers: { ...visitor(), cookie } }))[0] ?? cookie
  const both = await open(hill.folder.shareCode, await open(lake.folder.shareCode, ''))
  expect(opened.read(both)).toEqual([
    [hill.folder.id, 1],
    [lake.folder.id, 1],
  ])
  expect(opened.read(await open(await renew(lake), both))).toEqual([[lake.folder.id, 2], ...opened.read(both)])
})
