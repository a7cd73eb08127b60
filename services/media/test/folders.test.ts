import { afterAll, beforeAll, expect, test } from 'vitest'
import { jpeg, startTestMedia, type TestMedia, user, visitor } from './support.ts'

let media: TestMedia
let folders: ReturnType<TestMedia['folders']>
beforeAll(async () => {
  media = await startTestMedia()
  folders = media.folders()
})
afterAll(() => media.close())

test('accepts uploads into a new folder before its event arrives', async () => {
  folders.set(10, 1, true)
  const photo = await media.upload(1, { folderId: '10' })
  expect(photo).toMatchObject({ folderId: 10, isPublic: true })
  expect(folders.asked).toEqual([10])
  // Now the projection has it.
  await media.upload(1, { folderId: '10' })
  expect(folders.asked).toEqual([10])
})

test("accepts uploads while their folder flips, and returns the folder's visibility", async () => {
  folders.set(11, 1, false, 1)
  const flips = 6
  const uploads: Promise<{ id: number; url: string }>[] = []
  for (let revision = 1; revision <= flips; revision++) {
    folders.set(11, 1, revision % 2 === 0, revision)
    uploads.push(media.upload(1, { folderId: '11' }), media.upload(1, { folderId: '11', isPublic: 'true' }))
    await folders.announce(11)
  }
  const photos = await Promise.all(uploads)
  const shown = await media.json<{ isPublic: boolean }[]>('/api/folders/11/photos', user(1))
  expect(shown).toHaveLength(2 * flips)
  expect(shown.every((photo) => photo.isPublic)).toBe(true)
  // A response about the folder is cached for a second at most.
  const statuses = () => Promise.all(photos.map(async (photo) => (await media.call(photo.url, visitor)).status))
  await expect.poll(statuses, { timeout: 5000 }).toEqual(photos.map(() => 200))

  folders.set(11, 1, false, flips + 1)
  await folders.announce(11)
  const hidden = await media.json<{ isPublic: boolean }[]>('/api/folders/11/photos', user(1))
  expect(hidden.some((photo) => photo.isPublic)).toBe(false)
})

test('stores a photo without a folder when the folder is deleted during the upload, and reports it', async () => {
  folders.set(12, 1, true)
  await folders.announce(12)
  const file = { name: 'late.jpg', bytes: await jpeg() }
  // The folder is checked when its field arrives; it is deleted while the file is stored.
  const put = media.store.put
  media.store.put = async (...args) => {
    await folders.announceDeleted(12, 1)
    return put(...args)
  }
  try {
    const response = await media.send('/api/upload-photos', user(1), [
      ['folderId', '12'],
      ['isPublic', 'true'],
      ['photos', file],
    ])
    expect(response).toMatchObject({
      status: 201,
      body: { photos: [{ folderId: null, isPublic: true, originalName: 'late.jpg' }] },
    })
    expect(response.body.issues).toEqual(['The folder was deleted meanwhile. The photos are stored without a folder.'])
  } finally {
    media.store.put = put
  }
})
