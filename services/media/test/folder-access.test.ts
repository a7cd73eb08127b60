import { connectNats, serveRequests } from '@skyfolio/kit'
import { folderAccess } from '@skyfolio/proto'
import { startNats, type TestServer } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../src/database.ts'
import { createFolders, type Nats } from '../src/projection/folders.ts'

let server: TestServer
let nats: Nats

beforeAll(async () => {
  server = await startNats()
  nats = await connectNats(server.url, 'folders-asked')
})
afterAll(async () => {
  await nats.close()
  await server.stop()
})

test('retries when folders does not respond in time, so that a busy machine causes no outage', async () => {
  let asked = 0
  const late = Promise.withResolvers<{ found: boolean }>()
  const listener = serveRequests(nats, folderAccess, async () => {
    asked += 1
    return asked < 3 ? late.promise : { found: true, folderId: 1, userId: 7, isPublic: true }
  })
  // A new request needs no database.
  const folders = createFolders({} as Database, nats)
  expect(await folders.fetchCurrent(1)).toMatchObject({ id: 1, userId: 7, isPublic: true })
  expect(asked).toBe(3)
  late.resolve({ found: false })
  await listener.stop()
})

test('retries each of several folders, and reports an outage for the one without a response', async () => {
  const asked: Record<number, number> = {}
  const never = new Promise<{ found: boolean }>(() => {})
  const listener = serveRequests(nats, folderAccess, ({ folderId }) => {
    asked[folderId] = (asked[folderId] ?? 0) + 1
    return folderId !== 5 && asked[folderId] > 1 ? Promise.resolve({ found: false }) : never
  })
  const folders = createFolders({} as Database, nats)
  await folders.refresh([3, 4])
  expect(asked).toEqual({ 3: 2, 4: 2 })
  await expect(folders.refresh([4, 5])).rejects.toMatchObject({ status: 503 })
  expect(asked).toEqual({ 3: 2, 4: 3, 5: 4 })
  void listener.stop()
})

test('reports an outage at once when nobody responds', async () => {
  const begun = performance.now()
  await expect(createFolders({} as Database, nats).fetchCurrent(2)).rejects.toMatchObject({ status: 503 })
  expect(performance.now() - begun).toBeLessThan(1_500)
})
