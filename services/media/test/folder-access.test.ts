import { connectNats, serveRequests } from '@skyfolio/kit'
import { folderAccess } from '@skyfolio/proto'
import { type TestServer, testNats } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../src/database.ts'
import { createFolders, type Nats } from '../src/projection/folders.ts'

let server: TestServer
let nats: Nats

beforeAll(async () => {
  server = await testNats()
  nats = await connectNats(server.url, 'folders-asked')
})
afterAll(async () => {
  await nats.close()
  await server.stop()
})

test('folders that does not answer in time is asked again, so a busy machine is no outage', async () => {
  let asked = 0
  const late = Promise.withResolvers<{ found: boolean }>()
  const listener = serveRequests(nats, folderAccess, async () => {
    asked += 1
    return asked < 3 ? late.promise : { found: true, userId: 7, isPublic: true }
  })
  // What is asked for anew needs no database.
  const folders = createFolders({} as Database, nats)
  expect(await folders.fresh(1)).toMatchObject({ id: 1, userId: 7, isPublic: true })
  expect(asked).toBe(3)
  late.resolve({ found: false })
  await listener.stop()
})

test('several folders are each asked again, and the one that never answers is an outage', async () => {
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

test('nobody who answers is an outage, told at once', async () => {
  const begun = performance.now()
  await expect(createFolders({} as Database, nats).fresh(2)).rejects.toMatchObject({ status: 503 })
  expect(performance.now() - begun).toBeLessThan(1_500)
})
