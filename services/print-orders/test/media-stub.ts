import { createHash } from 'node:crypto'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { NatsConnection } from '@nats-io/nats-core'
import { serveRequests } from '@skyfolio/kit'
import {
  type PreparePrintImagesRequest,
  type PrintImageSpecification,
  PrintImageStatus,
  printImageCheck,
  printImagePrepare,
} from '@skyfolio/proto'

type Specification = PrintImageSpecification

/** Media's side of the contract over NATS, without pixels: media's own tests and the journeys have those. */
export interface MediaStub {
  /** An uploaded image of this user. Returns its file name. */
  addUpload(userId: number): string
  /** A photo of this user. Returns its id. */
  addPhoto(userId: number): number
  /** Until it is called again, images of photos are being rendered. */
  setRendering(isRendering: boolean): void
  /** Photos that cannot be printed, with the reason. */
  fail(photoId: number, message: string): void
  /** The images that were requested. */
  prepared: Specification[]
  /** No responses, as during an outage. */
  pause(): Promise<void>
  resume(): void
  stop(): Promise<void>
}

export function startMediaStub(nats: NatsConnection): MediaStub {
  const uploads = new Map<string, number>()
  const photos = new Map<number, number>()
  const failures = new Map<number, string>()
  const prepared: Specification[] = []
  let isRendering = false
  let lastPhoto = 1000

  const ready = (filename: string) => ({
    status: PrintImageStatus.READY,
    filename,
    width: 1800,
    height: 1200,
    sourceWidth: 4000,
    sourceHeight: 3000,
    expiresAt: timestampFromDate(new Date(Date.now() + 14 * 86_400_000)),
  })
  const notFound = { status: PrintImageStatus.NOT_FOUND }

  function prepare({ userId, images }: PreparePrintImagesRequest) {
    return images.map((image) => {
      const { photoId, crop, shortSide, longSide } = image
      if (photos.get(photoId) !== userId) return notFound
      prepared.push(image)
      const message = failures.get(photoId)
      if (message !== undefined) return { status: PrintImageStatus.FAILED, message }
      if (isRendering) return { status: PrintImageStatus.RENDERING }
      const { x, y, width, height } = crop ?? {}
      return ready(printImageName(JSON.stringify([photoId, x, y, width, height, shortSide, longSide])))
    })
  }

  function serve() {
    return [
      serveRequests(nats, printImagePrepare, async (request) => ({ images: prepare(request) })),
      serveRequests(nats, printImageCheck, async ({ userId, filenames }) => ({
        images: filenames.map((filename) => (uploads.get(filename) === userId ? ready(filename) : notFound)),
      })),
    ]
  }
  let subscriptions = serve()
  const pause = async () => {
    await Promise.all(subscriptions.map((subscription) => subscription.stop()))
    subscriptions = []
  }
  return {
    prepared,
    addUpload(userId) {
      const filename = printImageName(`upload ${uploads.size}`)
      uploads.set(filename, userId)
      return filename
    },
    addPhoto(userId) {
      lastPhoto += 1
      photos.set(lastPhoto, userId)
      return lastPhoto
    },
    setRendering(now) {
      isRendering = now
    },
    fail: (photoId, message) => failures.set(photoId, message),
    pause,
    resume() {
      subscriptions = serve()
    },
    stop: pause,
  }
}

/** A name like those that media signs. */
export function printImageName(seed: string): string {
  const hex = createHash('sha256').update(seed).digest('hex')
  return `p-${hex.slice(0, 32)}-zzzzzz-${hex.slice(32)}.jpg`
}
