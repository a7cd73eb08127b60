import { fromBinary } from '@bufbuild/protobuf'
import { emit } from '@skyfolio/kit'
import { ExportReadySchema, events } from '@skyfolio/proto'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ExportSources, serveExportSources } from './export-support.ts'
import { startTestMedia, type TestMedia, user } from './support.ts'

let media: TestMedia
let sources: ExportSources
/** How many requests wait, and how they go on. */
let waiting = 0
let goOn: () => void
const gate = new Promise<void>((resolve) => {
  goOn = resolve
})
beforeAll(async () => {
  media = await startTestMedia()
  sources = serveExportSources(media.nats, async () => {
    waiting += 1
    await gate
  })
  media.startWorker()
})
afterAll(async () => {
  goOn()
  await sources.stop()
  await media.close()
})

const post = () =>
  media.call('/api/user/export', user(1), {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  })

test('an export that is prepared while its user is erased ends, and nothing of it remains', async () => {
  const { id } = await media.upload(1)
  await media.processed(id)
  expect((await post()).status).toBe(202)
  await waitFor(() => waiting > 0, { what: 'the preparation waits for auth' })

  await emit(media.db, events.userDeleted, { userId: 1 })
  await emit(media.db, events.ordersErasureChanged, { userId: 1, complete: true, revision: 1 })
  const erasure = () => media.db.erasure.findUnique({ where: { userId: 1 } })
  await waitFor(async () => (await erasure())?.waitsFor === 'An export is still being prepared.', {
    what: 'the erasure waits for the preparation',
  })
  expect((await erasure())?.erasedAt).toBeNull()
  goOn()
  await waitFor(async () => (await erasure())?.erasedAt, { what: 'the user is erased', timeoutMs: 60_000 })

  expect(await media.db.export.count()).toBe(0)
  expect(await media.db.exportEntry.count()).toBe(0)
  expect(await media.keys()).toEqual([])
  const ready = await media.db.outbox.findMany({ where: { subject: events.exportReady.subject } })
  expect(ready.map(({ payload }) => fromBinary(ExportReadySchema, payload))).toEqual([])
  expect((await post()).status).toBe(404)
})
