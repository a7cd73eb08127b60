import { afterAll, beforeAll, expect, test } from 'vitest'
import { jpeg, startTestMedia, type TestMedia, user, visitor } from './support.ts'

let media: TestMedia
let folders: ReturnType<TestMedia['folders']>
beforeAll(async () => {
  media = await startTestMedia()
  folders = media.folders()
})
afterAll(() => media.close())

test('a folder that was created a moment ago takes uploads before its event comes', async () => {
  folders.set(10, 1, true)
  const photo = await media.upload(1, { folderId: '10' })
  expect(photo).toMatchObject({ folderId: 10, isPublic: true })
  expect(folders.asked).toEqual([10])
  // From then on media knows it.
  await media.upload(1, { folderId: '10' })
  expect(folders.asked).toEqual([10])
})

test('uploads that run while their folder flips are never refused, and show what the folder says', async () => {
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
  // An answer about the folder is kept for a second at most.
  const statuses = () => Promise.all(photos.map(async (photo) => (await media.call(photo.url, visitor)).status))
  await expect.poll(statuses, { timeout: 5000 }).toEqual(photos.map(() => 200))

  folders.set(11, 1, false, flips + 1)
  await folders.announce(11)
  const hidden = await media.json<{ isPublic: boolean }[]>('/api/folders/11/photos', user(1))
  expect(hidden.some((photo) => photo.isPublic)).toBe(false)
})

test('a folder that is deleted while the upload runs costs the photo its folder, and the answer says so', async () => {
  folders.set(12, 1, true)
  await folders.announce(12)
  const file = { name: 'late.jpg', bytes: await jpeg() }
  // The folder is checked when its field comes; it is deleted while the store takes the file.
  const put = media.store.put
  media.store.put = async (...args) => {
    await folders.announceDeleted(12, 1)
    return put(...args)
  }
  try {
    const answer = await media.send('/api/upload-photos', user(1), [
      ['folderId', '12'],
      ['isPublic', 'true'],
      ['photos', file],
    ])
    expect(answer).toMatchObject({
      status: 201,
      body: { photos: [{ folderId: null, isPublic: true, originalName: 'late.jpg' }] },
    })
    expect(answer.body.issues).toEqual(['The folder was deleted meanwhile. The photos are stored without a folder.'])
  } finally {
    media.store.put = put
  }
})
