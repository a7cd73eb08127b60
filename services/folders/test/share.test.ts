import { gunzipSync } from 'node:zlib'
import { type App, createPublicNames, type PictureKind } from '@skyfolio/kit'
import { TEST_LINK_KEYS } from '@skyfolio/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteUser, saveUser } from '../src/projection/users.ts'
import { call, makeFolder, newUser, newVoter, openTestSystem, putPhoto, type TestSystem, visitor } from './support.ts'

let system: TestSystem
let app: App
let replica: App

beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
  replica = await system.start()
})
afterAll(() => system.close())

const PHOTO_FIELDS = [
  ...[
    'id',
    'folderId',
    'title',
    'description',
    'filename',
    'filesize',
    'isPublic',
    'latitude',
    'longitude',
    'altitude',
  ],
  ...[
    'city',
    'county',
    'state',
    'dateTaken',
    'createdAt',
    'status',
    'statusMessage',
    'url',
    'smallUrl',
    'thumbnailUrl',
  ],
  ...['mediumUrl', 'previewUrl', 'thumbhash', 'width', 'height', 'projection'],
  ...['pairedWith', 'raw'],
].sort()

async function publicFolder(photos = 2) {
  const owner = newUser()
  const folder = await makeFolder(app, owner, { isPublic: true, description: 'Summer' })
  const ids: number[] = []
  for (let number = 0; number < photos; number += 1) {
    ids.push(await putPhoto(system, { userId: owner.userId, folderId: folder.id }))
  }
  return { owner, folder, ids, url: `/api/share/${folder.shareCode}` }
}

const flip = (owner: { headers: Record<string, string> }, id: number, isPublic: boolean) =>
  call(app, 'PATCH', `/api/folders/${id}/toggle-public`, { headers: owner.headers, body: { isPublic } })

test('a share shows the folder and its photos, newest first, with public fields only', async () => {
  const { folder, ids, url } = await publicFolder()
  const { status, body, headers } = await call(app, 'GET', url)
  expect(status).toBe(200)
  expect(headers['cache-control']).toBe('private, no-cache')
  expect(Object.keys(body).sort()).toEqual(['folder', 'invitation', 'photos', 'voteCounts'])
  expect(body.folder).toEqual({
    id: folder.id,
    name: 'Lake',
    description: 'Summer',
    photographer: null,
    votingOpen: true,
    main: true,
    kind: 'vote',
    showPlaces: true,
    showCamera: true,
    showMap: false,
    downloads: 'original',
    votingUntil: null,
    ...{ phase: 'open', opensAt: null, closesAt: null, show: 'never', order: 'added', shuffleKey: null },
    ...{ voters: 'anyone', openBallot: false, resultsPublic: false },
    coverPhotoId: null,
  })
  expect(body.voteCounts).toEqual({})
  expect(body.photos.map((photo: { id: number }) => photo.id)).toEqual(ids.toReversed())
  for (const photo of body.photos) expect(Object.keys(photo).sort()).toEqual(PHOTO_FIELDS)

  const viewer = await call(app, 'GET', `/api/folders/share/${folder.shareCode}`)
  expect(viewer.body).toEqual(body.folder)
  expect((await call(app, 'GET', `/api/folders/share/${folder.shareCode}/photos`)).body).toEqual(body.photos)
})

test('shows all public fields of a photo unchanged, and its pictures by public names', async () => {
  const { owner, folder, url } = await publicFolder(0)
  const known = {
    title: 'Ore dock "at dawn" </script>',
    description: 'ünïcode',
    latitude: '46.786670',
    longitude: '-92.100490',
    altitude: 251.5,
    city: 'Duluth',
    county: 'St. Louis',
    state: 'Minnesota',
    dateTaken: '2024-06-01T05:12:00',
    width: 4000,
    height: 3000,
    thumbhash: 'abc=',
    projection: 'wide',
  }
  const id = await putPhoto(system, {
    userId: owner.userId,
    folderId: folder.id,
    filename: 'x1.jpg',
    small: 'x2.webp',
    thumbnail: 'x3.webp',
    medium: 'x4.webp',
    preview: 'x5.webp',
    ...known,
  })
  const names = createPublicNames(TEST_LINK_KEYS)
  const nameOf = (kind: PictureKind, extension = 'webp') =>
    names.sign({ photoId: id, folderId: folder.id, linkRevision: 1, kind, extension })
  const { body } = await call(app, 'GET', url)
  expect(body.photos).toEqual([
    {
      ...known,
      ...{ pairedWith: null, raw: null },
      id,
      folderId: folder.id,
      filename: nameOf('original', 'jpg'),
      filesize: 5_000_000,
      isPublic: true,
      createdAt: expect.stringMatching(/^2026-01-01T00:.*Z$/),
      status: 'ready',
      statusMessage: null,
      url: `/api/uploads/${nameOf('original', 'jpg')}`,
      smallUrl: `/api/uploads/${nameOf('small')}`,
      thumbnailUrl: `/api/uploads/${nameOf('thumbnail')}`,
      mediumUrl: `/api/uploads/${nameOf('medium')}`,
      previewUrl: `/api/uploads/${nameOf('preview')}`,
    },
  ])
})

test('visitors are offered a map as soon as the owner allows it, on every replica, and no longer than that', async () => {
  const { owner, folder, url } = await publicFolder()
  const body = (showMap: boolean) => ({ headers: owner.headers, body: { showMap } })
  const paths = [url, `/api/folders/share/${folder.shareCode}`]
  const shown = async () => {
    const responses = await Promise.all([app, replica].flatMap((one) => paths.map((path) => call(one, 'GET', path))))
    return responses.map((response) => (response.body.folder ?? response.body).showMap)
  }
  const { headers } = await call(app, 'GET', url)
  expect(await shown()).toEqual([false, false, false, false])
  await call(app, 'PUT', `/api/folders/${folder.id}`, body(true))
  expect(await shown()).toEqual([true, true, true, true])
  const known = { ...visitor(), 'if-none-match': String(headers.etag) }
  expect((await call(app, 'GET', url, { headers: known })).status).toBe(200)
  await call(app, 'PUT', `/api/folders/${folder.id}`, body(false))
  expect(await shown()).toEqual([false, false, false, false])
})

test.each(['unknown', 'x'.repeat(22), '%00', "'; DROP TABLE folders"])('the code %j leads nowhere', async (code) => {
  const { status, body } = await call(app, 'GET', `/api/share/${encodeURIComponent(code)}`)
  expect([status, body.message]).toEqual([404, 'Folder not found'])
})

test('a folder that becomes private is gone at the next request, on every replica, and comes back', async () => {
  const { owner, folder, url } = await publicFolder()
  const paths = [url, `/api/folders/share/${folder.shareCode}`, `/api/folders/share/${folder.shareCode}/photos`]
  const statuses = async () =>
    Promise.all([app, replica].flatMap((one) => paths.map(async (path) => (await call(one, 'GET', path)).status)))
  expect(await statuses()).toEqual([200, 200, 200, 200, 200, 200])
  await flip(owner, folder.id, false)
  expect(await statuses()).toEqual([404, 404, 404, 404, 404, 404])
  await flip(owner, folder.id, true)
  expect(await statuses()).toEqual([200, 200, 200, 200, 200, 200])
})

test('an unchanged share is 304, and any change gives it a new tag', async () => {
  const { owner, folder, ids, url } = await publicFolder()
  const voter = newVoter(app)
  const asked = `${url}?fingerprint=${voter.fingerprint}`
  let tag = ''
  const changedSince = async (through = app) => {
    const response = await through.inject({
      url: asked,
      headers: { ...owner.headers, 'if-none-match': tag },
    })
    if (response.statusCode === 304) expect(response.body).toBe('')
    const changed = response.statusCode === 200
    tag = String(response.headers.etag)
    return changed
  }
  expect([await changedSince(), await changedSince(), await changedSince(replica)]).toEqual([true, false, false])
  tag = `"other", W/${tag}`
  expect(await changedSince()).toBe(false)

  await voter.rank(folder.id, ids[0] ?? 0, 'first')
  expect([await changedSince(), await changedSince()]).toEqual([true, false])
  await putPhoto(system, { id: ids[0], userId: owner.userId, folderId: folder.id, title: 'Renamed' }, 2)
  expect([await changedSince(replica), await changedSince()]).toEqual([true, false])
  await call(app, 'PUT', `/api/folders/${folder.id}`, { headers: owner.headers, body: { name: 'River' } })
  expect([await changedSince(), await changedSince(replica)]).toEqual([true, false])
})

test("a compressed share equals the plain one, has the voter's own ranks, and its own ETags", async () => {
  const { folder, ids, url } = await publicFolder(4)
  const voters = [newVoter(app), newVoter(app)]
  await voters[0]?.rank(folder.id, ids[0] ?? 0, 'first')
  await voters[1]?.rank(folder.id, ids[1] ?? 0, 'third')
  const send = (asked: string, headers: Record<string, string> = {}) =>
    app.inject({ url: asked, headers: { ...visitor(), ...headers } })
  const urls = [url, ...voters.map(({ fingerprint }) => `${url}?fingerprint=${fingerprint}`)]
  for (const asked of urls) {
    const plain = await send(asked)
    const small = await send(asked, { 'accept-encoding': 'gzip, br' })
    expect([plain.headers.vary, small.headers.vary]).toEqual(['accept-encoding', 'accept-encoding'])
    expect([plain.headers['content-encoding'], small.headers['content-encoding']]).toEqual([undefined, 'gzip'])
    expect(gunzipSync(small.rawPayload).toString()).toBe(plain.body)
    expect(small.rawPayload.length).toBeLessThan(plain.body.length / 2)

    const tag = String(small.headers.etag)
    expect(tag).not.toBe(plain.headers.etag)
    const same = await send(asked, { 'accept-encoding': 'gzip', 'if-none-match': tag })
    expect([same.statusCode, same.body, same.headers.etag, same.headers.vary]).toEqual([
      304,
      '',
      tag,
      'accept-encoding',
    ])
    expect((await send(asked, { 'if-none-match': tag })).statusCode).toBe(200)
  }
})

test('a compressed share too is 404 at once when its folder becomes private, and current after a change', async () => {
  const { owner, folder, ids, url } = await publicFolder(4)
  const small = (through: App) => through.inject({ url, headers: { ...visitor(), 'accept-encoding': 'gzip' } })
  const titles = async (through: App) =>
    JSON.parse(gunzipSync((await small(through)).rawPayload).toString()).photos.map(
      ({ title }: { title: string }) => title,
    )
  await titles(app)
  await titles(replica)
  await putPhoto(system, { id: ids[3], userId: owner.userId, folderId: folder.id, title: 'Renamed' }, 2)
  expect([await titles(app), await titles(replica)].map((list) => list.includes('Renamed'))).toEqual([true, true])
  await flip(owner, folder.id, false)
  expect([(await small(replica)).statusCode, (await small(app)).statusCode]).toEqual([404, 404])
})

test("a voter's own ranks are sent only with the fingerprint", async () => {
  const { folder, ids, url } = await publicFolder(3)
  const voter = newVoter(app)
  await voter.rank(folder.id, ids[0] ?? 0, 'second')
  await voter.rank(folder.id, ids[2] ?? 0, 'first')
  const mine = await call(app, 'GET', `${url}?fingerprint=${voter.fingerprint}`)
  expect(mine.body.voteCounts).toEqual({ [`${ids[0]}`]: 'second', [`${ids[2]}`]: 'first' })
  expect((await call(app, 'GET', `${url}?fingerprint=${newVoter(app).fingerprint}`)).body.voteCounts).toEqual({})
  expect((await call(app, 'GET', url)).body.voteCounts).toEqual({})
  expect((await call(app, 'GET', `${url}?fingerprint=short`)).status).toBe(400)
})

test("names the photographer by the display name of the owner's latest event, in every public answer", async () => {
  const { owner, folder, url } = await publicFolder(1)
  const name = (displayName: string | null, revision: number) =>
    system.database.$transaction((tx) => saveUser(tx, { id: owner.userId, suspended: false, displayName, revision }))
  const answers = async () => {
    const share = await call(app, 'GET', url)
    const viewed = await call(replica, 'GET', `/api/folders/share/${folder.shareCode}`)
    const card = await call(app, 'GET', `/share-cards/${folder.shareCode}`)
    return [share.body.folder.photographer, viewed.body.photographer, card.body.photographer]
  }
  expect(await answers()).toEqual([null, null, null])
  await name('Bessie <C>', 2)
  expect(await answers()).toEqual(['Bessie <C>', 'Bessie <C>', 'Bessie <C>'])
  const version = async () => {
    const { rows } = await system.pool.query('SELECT contents_version FROM folders WHERE id = $1', [folder.id])
    return rows[0].contents_version
  }
  const named = await version()
  await name('Late', 1)
  expect([await answers(), await version()]).toEqual([['Bessie <C>', 'Bessie <C>', 'Bessie <C>'], named])
  const { shareCode } = await makeFolder(app, owner, { isPublic: true })
  expect((await call(app, 'GET', `/api/share/${shareCode}`)).body.folder.photographer).toBe('Bessie <C>')
  await name(null, 3)
  expect(await answers()).toEqual([null, null, null])
  await name('Bessie', 4)
  await system.database.$transaction((tx) => deleteUser(tx, owner.userId))
  const { rows } = await system.pool.query('SELECT display_name FROM users WHERE id = $1', [owner.userId])
  expect(rows).toEqual([{ display_name: null }])
})

test('the first visit sets the voter token, and a browser that has one keeps it', async () => {
  const { url } = await publicFolder()
  const [cookie = ''] = (await call(app, 'GET', url)).headers['set-cookie'] as string[]
  expect(cookie).toMatch(/^voter=[\w-]{22}\.[\w-]{22}; Path=\/api; Max-Age=\d+; HttpOnly; SameSite=Lax$/)
  const again = await app.inject({
    url,
    headers: { ...newUser().headers, cookie: cookie.split(';')[0] ?? '' },
  })
  expect(String(again.headers['set-cookie'])).not.toContain('voter=')
})

test.each(['', '/photos'])(
  'a page in a frame gets a voter token for its site alone, and no other cookie: %s',
  async (list) => {
    const { url, folder } = await publicFolder()
    const path = list ? `/api/folders/share/${folder.shareCode}${list}` : url
    const { headers } = newUser()
    const embedded = (more: object) => app.inject({ url: path, headers: { ...headers, ...more } })
    const first = await embedded({ 'x-embed': 'true' })
    const [cookie = '', ...others] = [first.headers['set-cookie'] ?? []].flat()
    expect(cookie).toMatch(
      /^voter=[\w-]{22}\.[\w-]{22}; Path=\/api; Max-Age=\d+; HttpOnly; SameSite=None; Secure; Partitioned$/,
    )
    expect([others, first.headers['voter-token']]).toEqual([[], cookie.slice('voter='.length).split(';')[0]])
    const again = await embedded({ 'x-embed': 'true', cookie: cookie.split(';')[0] })
    expect([again.headers['set-cookie'], again.headers['voter-token']]).toEqual([undefined, undefined])
    expect(String((await embedded({ 'x-embed': 'no' })).headers['set-cookie'])).not.toContain('SameSite=None')
  },
)

test("a photo's own setting counts if it is not older than the folder's last flip", async () => {
  const { owner, folder, ids, url } = await publicFolder(2)
  const [hidden, other] = ids as [number, number]
  const shown = async () => (await call(app, 'GET', url)).body.photos?.map((photo: { id: number }) => photo.id)
  const setOwn = (ownIsPublic: boolean, ownVisibilityRevision: number, revision: number) =>
    putPhoto(
      system,
      { id: hidden, userId: owner.userId, folderId: folder.id, ownIsPublic, ownVisibilityRevision },
      revision,
    )
  await setOwn(false, 1, 2)
  expect(await shown()).toEqual([other])
  await flip(owner, folder.id, false)
  await flip(owner, folder.id, true)
  // A setting made before the flips no longer counts, also if it arrives again or late.
  expect((await shown()).toSorted()).toEqual([hidden, other])
  await setOwn(false, 2, 3)
  expect((await shown()).toSorted()).toEqual([hidden, other])
  await setOwn(false, 3, 4)
  expect(await shown()).toEqual([other])
})

test('property: the share follows the visibility rule after any flips and own settings, however late they arrive', async () => {
  const step = fc.oneof(fc.record({ flip: fc.boolean() }), fc.record({ own: fc.option(fc.boolean()), lag: fc.nat(2) }))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const { owner, folder, ids, url } = await publicFolder(1)
      const state = { isPublic: true, revision: 1, flippedAt: 1, own: null as boolean | null, ownAt: 0 }
      for (const [index, one] of steps.entries()) {
        if ('flip' in one) {
          await flip(owner, folder.id, one.flip)
          if (one.flip !== state.isPublic) {
            state.revision += 1
            state.flippedAt = state.revision
          }
          state.isPublic = one.flip
        } else {
          // Media records a setting with the folder revision that it knows, which may be an older one.
          state.own = one.own
          state.ownAt = Math.max(0, state.revision - one.lag)
          const own = { ownIsPublic: state.own ?? undefined, ownVisibilityRevision: state.ownAt }
          await putPhoto(system, { id: ids[0], userId: owner.userId, folderId: folder.id, ...own }, index + 2)
        }
        const response = await call(index % 2 ? app : replica, 'GET', url)
        const holds = state.own !== null && state.ownAt >= state.flippedAt
        const shown = holds ? state.own : state.isPublic
        expect(response.status).toBe(state.isPublic ? 200 : 404)
        if (state.isPublic) expect(response.body.photos).toHaveLength(shown ? 1 : 0)
      }
    }),
    { numRuns: 20 },
  )
})

test('while a folder flips, no response shows a flag that it did not have at that moment', async () => {
  const { owner, folder, url } = await publicFolder(3)
  for (let round = 0; round < 15; round += 1) {
    const during = Promise.all(Array.from({ length: 6 }, (_, index) => call(index % 2 ? app : replica, 'GET', url)))
    await flip(owner, folder.id, round % 2 === 1)
    const after = await Promise.all([call(app, 'GET', url), call(replica, 'GET', url)])
    expect(after.map((response) => response.status)).toEqual(round % 2 === 1 ? [200, 200] : [404, 404])
    for (const response of await during) {
      if (response.status === 200) expect(response.body.photos).toHaveLength(3)
      else expect(response.status).toBe(404)
    }
  }
})

test('a share of a thousand photos is serialised once under load, and stays correct after changes', async () => {
  const { owner, folder, url } = await publicFolder(0)
  await system.pool.query(
    `INSERT INTO photos (id, revision, user_id, folder_id, title)
     SELECT 1000000 + number, 1, $1, $2, 'Photo ' || number FROM generate_series(1, 1000) AS number`,
    [owner.userId, folder.id],
  )
  const responses = await Promise.all(Array.from({ length: 50 }, () => app.inject({ url, headers: owner.headers })))
  expect(new Set(responses.map((response) => response.headers.etag)).size).toBe(1)
  await system.pool.query(`UPDATE photos SET deleted = true WHERE id = 1000500`)
  expect((await call(app, 'GET', url)).body.photos).toHaveLength(999)
})
