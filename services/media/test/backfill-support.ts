import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { createLogger } from '@skyfolio/kit'
import sharp from 'sharp'
import { newId, originalKey, renditionKey } from '../src/files/object-keys.ts'
import type { Photo } from '../src/generated/client.ts'
import type { BackfillDeps } from '../src/processing/backfill-sizes.ts'
import { createRenderLimiter } from '../src/renditions/render-limiter.ts'
import { createSizesRenderer } from '../src/renditions/sizes-renderer.ts'
import type { TestMedia } from './support.ts'

export function backfillDeps(media: TestMedia, changed: Partial<BackfillDeps> = {}): BackfillDeps {
  return {
    db: media.db,
    store: media.store,
    sizesRenderer: createSizesRenderer(createRenderLimiter(2)),
    logger: createLogger('backfill', 'silent'),
    leaseSeconds: 15,
    maxAttempts: 4,
    afterCommit() {},
    ...changed,
  }
}

interface Shape {
  /** Pixels of the preview. */
  width?: number
  height?: number
  userId?: number
  /** Replaces the bytes of the preview. */
  preview?: Buffer
}

/** Creates a processed photo as the previous release left it. */
export async function earlierPhoto(media: TestMedia, shape: Shape = {}): Promise<Photo> {
  const { width = 2048, height = 1365, userId = 1 } = shape
  const image = sharp({ create: { width, height, channels: 3, background: '#3060a0' } })
  const put = (key: string, bytes: Buffer, contentType: string) =>
    media.store.put(key, Readable.from([bytes]), { contentType })
  const names = { filename: `${newId()}.jpg`, thumbnail: `${newId()}.webp`, preview: `${newId()}.webp` }
  const original = await image.clone().jpeg().toBuffer()
  const thumbnail = await image.clone().resize(640, 1280, { fit: 'inside' }).webp().toBuffer()
  await put(originalKey(names.filename), original, 'image/jpeg')
  await put(renditionKey(names.thumbnail), thumbnail, 'image/webp')
  await put(renditionKey(names.preview), shape.preview ?? (await image.webp().toBuffer()), 'image/webp')
  const { length: filesize } = original
  return media.db.photo.create({
    data: {
      ...names,
      userId,
      title: 'Old',
      originalName: 'old.jpg',
      filesize,
      sha256: randomUUID(),
      reportFailure: false,
      status: 'ready',
      width,
      height,
    },
  })
}
