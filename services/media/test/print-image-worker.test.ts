import { once } from 'node:events'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createLogger } from '@skyfolio/kit'
import { PrintImageStatus } from '@skyfolio/proto'
import { packagedPhotos, waitFor } from '@skyfolio/testkit'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { newId, originalKey, printImageKey } from '../src/files/object-keys.ts'
import { jobIdOf } from '../src/jobs/queues.ts'
import { createRenderLimiter } from '../src/limits.ts'
import { renderPrintImage } from '../src/print-images/render-print-image.ts'
import { sweepExpiredPrintImages } from '../src/print-images/rows.ts'
import { renderIsolated } from '../src/renditions/isolated-renderer.ts'
import type { Original } from '../src/renditions/original.ts'
import type { PrintTarget } from '../src/renditions/print-plan.ts'
import type { PrintResult } from '../src/renditions/render-print.ts'
import { createPrintRenderer } from '../src/renditions/renderer.ts'
import { printRequests, redAndBlue } from './print-support.ts'
import { admin, jpeg, startTestMedia, type TestMedia } from './support.ts'

const HOUR = 3_600_000
const { READY, RENDERING, FAILED, NOT_FOUND } = PrintImageStatus

let media: TestMedia
let requests: ReturnType<typeof printRequests>
let worker: ReturnType<TestMedia['startWorker']>
beforeAll(async () => {
  media = await startTestMedia()
  requests = printRequests(media)
  worker = media.startWorker()
})
afterEach(() => media.db.printImage.deleteMany())
afterAll(() => media.close())

const print4x6 = { shortSide: 1200, longSide: 1800 }
const idOf = (filename = '') => filename.split('-')[1] ?? ''

/** Waits until the worker renders an image, and returns its row. */
const inWork = () =>
  waitFor(async () => (await media.db.printImage.findFirst({ where: { starts: 1 } })) ?? false, {
    what: 'the worker has begun',
  })

/** Waits until the worker has removed the object. */
const removed = (key: string) =>
  waitFor(async () => !(await media.keys()).includes(key), { what: 'the object is removed' })

test('sweeps expired images and their objects, and no others', async () => {
  const { id } = await media.upload(1, {}, await redAndBlue(900, 600))
  const [kept, expired] = await requests.prepared(1, [{ photoId: id }, { photoId: id, ...print4x6 }])
  await media.db.printImage.update({
    where: { id: idOf(expired?.filename) },
    data: { expiresAt: new Date(Date.now() - 1000) },
  })
  await sweepExpiredPrintImages(media.db)
  await removed(printImageKey(idOf(expired?.filename)))
  expect((await media.call(`/api/uploads/${expired?.filename}`)).status).toBe(404)
  expect((await requests.fetched(kept?.filename)).length).toBeGreaterThan(0)
  expect((await requests.check(1, [expired?.filename ?? '']))[0]?.status).toBe(NOT_FOUND)
})

test('renders the image of a killed worker again', async () => {
  const large = await sharp(packagedPhotos()[3]).resize(6000).jpeg({ progressive: true, quality: 95 }).toBuffer()
  const { id } = await media.upload(1, {}, large)
  await media.processed(id)
  await requests.prepare(1, [{ photoId: id, ...print4x6 }])
  await inWork()
  worker.kill('SIGKILL')
  await once(worker, 'exit')
  expect((await requests.prepare(1, [{ photoId: id, ...print4x6 }]))[0]?.status).toBe(RENDERING)
  worker = media.startWorker()
  const [image] = await requests.prepared(1, [{ photoId: id, ...print4x6 }])
  expect(image).toMatchObject({ status: READY, width: 1800, height: 1200 })
  expect(await media.db.printImage.findFirst()).toMatchObject({ starts: 2 })
})

test('gives up on an image that kills its workers repeatedly', async () => {
  const { id } = await media.upload(1, {}, await redAndBlue(6000, 4500))
  await requests.prepare(1, [{ photoId: id, shortSide: 3000, longSide: 4000 }])
  const image = await inWork()
  const jobs = await media.queues['print-images'].ready()
  // As if it had killed three workers before.
  await media.redis.hset(jobs.toKey(jobIdOf('print-images', image)), 'stc', '3')
  worker.kill('SIGKILL')
  await once(worker, 'exit')
  worker = media.startWorker()
  expect((await requests.prepared(1, [{ photoId: id, shortSide: 3000, longSide: 4000 }]))[0]).toMatchObject({
    status: FAILED,
    message: 'The photo could not be prepared for printing.',
  })

  const retry = `/api/admin/failed-jobs/print-images/${jobIdOf('print-images', image)}/retry`
  expect((await media.call(retry, admin, { method: 'POST' })).status).toBe(204)
  await waitFor(async () => (await media.db.printImage.findFirst())?.status === 'ready', {
    what: 'it is rendered after all',
  })
})

test('removes the object of an image that was deleted while it was rendered', async () => {
  const { id } = await media.upload(1, {}, await redAndBlue(4000, 3000))
  await requests.prepare(1, [{ photoId: id, shortSide: 3000, longSide: 4000 }])
  const { id: imageId } = await inWork()
  const key = printImageKey(imageId)
  // The removal that the worker schedules is put off, so that the object can be seen before.
  await media.db.objectRemoval.create({ data: { key, notBefore: new Date(Date.now() + HOUR) } })
  await media.db.printImage.deleteMany()
  const isScheduled = () => media.db.objectRemoval.findFirst({ where: { key, userId: 1 } })
  await waitFor(isScheduled, { what: 'the rendering has ended' })
  expect(await media.keys()).toContain(key)
  await media.db.objectRemoval.updateMany({ data: { notBefore: new Date() } })
  await removed(key)
})

test('renders images whose jobs were lost with Redis', async () => {
  const { id } = await media.upload(1)
  const row = { userId: 1, photoId: id, specification: `photo:${id}:proof`, expiresAt: new Date(Date.now() + HOUR) }
  await media.db.printImage.create({ data: { ...row, id: newId() } })
  expect((await requests.prepared(1, [{ photoId: id }]))[0]).toMatchObject({ status: READY })
})

test("renders one user's print soon, although many photos and prints of others came before", async () => {
  const photos: number[] = []
  for (let upload = 0; upload < 40; upload += 1) photos.push((await media.upload(1, {}, await jpeg(1500, 1000))).id)
  await requests.prepare(
    1,
    photos.map((photoId) => ({ photoId, ...print4x6 })),
  )
  const { id } = await media.upload(2)
  await requests.prepared(2, [{ photoId: id, ...print4x6 }])
  expect(await media.db.printImage.count({ where: { userId: 1, status: 'rendering' } })).toBeGreaterThan(20)
})

test('fails an image whose rendering is killed twice, and no other one', async () => {
  worker.kill('SIGTERM')
  await once(worker, 'exit')
  const [bad, good] = [await media.upload(1), await media.upload(2)]
  await requests.prepare(1, [{ photoId: bad.id }])
  await requests.prepare(2, [{ photoId: good.id }])
  const badBytes = await buffer((await media.store.get(originalKey(bad.filename)))?.body ?? Readable.from([]))
  const printRenderer = createPrintRenderer(createRenderLimiter(1, 1), 300_000_000)
  const alone: boolean[] = []
  const deps = {
    db: media.db,
    store: media.store,
    logger: createLogger('media-worker', 'silent'),
    printRenderer: {
      async render(original: Original, target: PrintTarget, options: { userId: number; alone: boolean }) {
        if (original.bytes?.equals(badBytes) !== true) return printRenderer.render(original, target, options)
        alone.push(options.alone)
        // Its process has a millisecond, and is killed.
        const print = { format: 'jpg', maxPixels: 1e6, size: 1, print: target } as const
        return renderIsolated<PrintResult>(Readable.from([original.bytes]), print, 1)
      },
    },
  }
  const [badImage, goodImage] = await media.db.printImage.findMany({ orderBy: { userId: 'asc' } })
  if (!badImage || !goodImage) throw new Error('there are no images')
  await expect(renderPrintImage(deps, badImage, false)).rejects.toThrow()
  await renderPrintImage(deps, goodImage, false)
  await renderPrintImage(deps, badImage, true)
  expect(alone).toEqual([false, true])
  expect((await requests.prepare(1, [{ photoId: bad.id }]))[0]).toMatchObject({ status: FAILED })
  expect((await requests.prepare(2, [{ photoId: good.id }]))[0]).toMatchObject({ status: READY })
})
