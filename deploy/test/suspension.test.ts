import { createLogger, emit, startRelay } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, makeFolder, newUser, openTestSystem, type TestSystem } from '../../services/folders/test/support.ts'
import { startTestMedia, type TestMedia, user, visitor } from '../../services/media/test/support.ts'

// Folders knows who is suspended, media serves the bytes: both on one NATS, with events as auth publishes them.

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

const WITHIN_A_SECOND = { timeoutMs: 1_000 }

test("the bytes of a suspended user's public folder are gone within a second, and come back, also for a photo made private", async () => {
  const app = await folders.start()
  const owner = newUser()
  const { id, shareCode } = await makeFolder(app, owner, { isPublic: true })
  const photo = await media.upload(owner.userId, { folderId: String(id) })
  const relay = startRelay({ pool: folders.pool, nats: folders.nats, logger: createLogger('test', 'silent') })
  const publish = async (suspended: boolean, revision: number) => {
    const message = { user: { id: owner.userId, suspended }, revision }
    await folders.database.$transaction((tx) => emit(tx, events.userChanged, message))
    relay.wake()
  }
  const bytes = async (path: string) => {
    const response = await media.call(path, visitor, { headers: { 'x-share-code': shareCode } })
    await response.arrayBuffer()
    return response.status
  }
  const isEverywhere = async (status: number) => {
    const page = await call(app, 'GET', `/api/share/${shareCode}`)
    const found = [page.status, await bytes(photo.url), await bytes(`/api/photos/${photo.id}/image`)]
    return found.every((one) => one === status)
  }
  await waitFor(() => isEverywhere(200), { what: 'everybody sees it' })

  await publish(true, 2)
  await waitFor(() => isEverywhere(404), { what: 'nobody sees it', ...WITHIN_A_SECOND })
  // What media learns meanwhile of the folder is what the folder says itself.
  const uploaded = await media.upload(owner.userId, { folderId: String(id) })
  expect(uploaded).toMatchObject({ folderId: id, isPublic: true })
  expect(await bytes(uploaded.url)).toBe(404)
  await media.json(`/api/photos/${uploaded.id}/privacy`, user(owner.userId), 'PATCH', { isPublic: false })
  expect(await media.db.folder.findUnique({ where: { id } })).toMatchObject({ isPublic: true, visibilityRevision: 1 })

  await publish(false, 3)
  await waitFor(() => isEverywhere(200), { what: 'it is back', ...WITHIN_A_SECOND })
  expect(await bytes(uploaded.url)).toBe(404)
  await relay.stop()
})
