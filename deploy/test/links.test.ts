import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, makeFolder, newUser, openTestSystem, type TestSystem } from '../../services/folders/test/support.ts'
import { renderAnew } from '../../services/media/test/picture-support.ts'
import { startTestMedia, type TestMedia, user, visitor } from '../../services/media/test/support.ts'

// Folders gives visitors names and cookies, media says what they open: both on one NATS.

let folders: TestSystem
let media: TestMedia

beforeAll(async () => {
  folders = await openTestSystem()
  media = await startTestMedia({ natsUrl: folders.natsUrl })
})
afterAll(async () => {
  await media.close()
  await folders.close()
})

interface SharedPhoto {
  id: number
  url: string
  smallUrl: string | null
  thumbnailUrl: string | null
  mediumUrl: string | null
  previewUrl: string | null
}

test('pictures and cookie of a share page open until its link is renewed, and those of the new link then', async () => {
  const app = await folders.start()
  const owner = newUser()
  const { id, shareCode } = await makeFolder(app, owner, { isPublic: true })
  const photo = await media.upload(owner.userId, { folderId: String(id) })
  await renderAnew(media, photo.id, owner.userId)
  await media.json(`/api/photos/${photo.id}`, user(owner.userId), 'PATCH', { title: 'A lake' })

  /** What a visitor's browser has after the share page. */
  async function open(code: string) {
    const page = await waitFor(
      async () => {
        const found = await call(app, 'GET', `/api/share/${code}`)
        return found.body.photos[0]?.previewUrl ? found : false
      },
      { what: 'the photo is on the page' },
    )
    const [shared] = page.body.photos as [SharedPhoto]
    const cookies = [page.headers['set-cookie'] ?? []].flat().map((cookie) => cookie.split(';')[0])
    const image = `/api/photos/${photo.id}/image`
    const { url, smallUrl, thumbnailUrl, mediumUrl, previewUrl } = shared
    return {
      urls: [url, smallUrl, thumbnailUrl, mediumUrl, previewUrl] as string[],
      requests: [
        ...[url, smallUrl, thumbnailUrl, mediumUrl, previewUrl].map((one) => () => media.call(one ?? '/none')),
        () => media.pictureState(previewUrl ?? '/none'),
        () => media.call(image, visitor, { headers: { cookie: cookies.join('; ') } }),
        () => media.call(image, visitor, { headers: { 'x-share-code': code } }),
      ],
    }
  }
  const statuses = ({ requests }: Awaited<ReturnType<typeof open>>) =>
    Promise.all(requests.map(async (request) => (await request()).status))

  const former = await open(shareCode)
  expect(await statuses(former)).toEqual(former.requests.map(() => 200))
  const stored = await media.photo(photo.id)
  for (const name of [stored.filename, stored.small, stored.preview]) {
    expect(former.urls.join()).not.toContain(name?.split('.')[0])
  }

  const renewed = await call(app, 'POST', `/api/folders/${id}/share-code`, { headers: owner.headers })
  await waitFor(async () => (await statuses(former)).every((status) => status === 404), {
    what: 'the former link opens nothing',
    timeoutMs: 1_000,
  })
  const current = await open((renewed.body as { shareCode: string }).shareCode)
  expect(await statuses(current)).toEqual(current.requests.map(() => 200))
  expect((await media.call(photo.url)).status).toBe(200)
})
