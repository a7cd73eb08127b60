import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { PrintImage, PrintImageRequest } from '../src/api/print-orders.ts'
import { validateAndUpload } from '../src/features/print-wizard/actions/prepare-photos.ts'
import { startWizard } from '../src/features/print-wizard/wizard-state.ts'
import { activity, currentSession, draft, setOrder } from '../src/features/print-wizard/wizard-store.ts'
import { printPhoto } from './print-fixture.ts'

const SIZE = { width: 2048, height: 1536 }

/** The requests for images of the user's own photos, and what they are answered with. */
let prepared: PrintImageRequest[][]
let prepare: (image: PrintImageRequest, attempt: number) => Partial<PrintImage>
/** The photos that were read as files, and those that cannot be. */
let read: string[]
let missing: string[]
/** What rejects an image that is sent; null if nothing does. */
let rejection: Response | null
/** The images that the browser has loaded, and those that it cannot display. */
let displayed: string[]
let broken: string[]

async function answer(path: string, init: RequestInit): Promise<Response> {
  if (path.endsWith('/upload-image')) {
    return rejection ?? Response.json({ url: 'https://skyfolio.test/api/uploads/p-1.jpg', width: 4000, height: 3000 })
  }
  if (!path.endsWith('/prepare-images')) {
    read.push(path)
    return missing.includes(path) ? new Response('', { status: 404 }) : new Response('pixels')
  }
  const { images } = JSON.parse(init.body as string) as { images: PrintImageRequest[] }
  prepared.push(images)
  return Response.json({
    images: images.map((image) => ({
      ...{ photoId: image.photoId, status: 'ready', url: `https://skyfolio.test/api/uploads/p-${image.photoId}.jpg` },
      ...{ message: null, sourceWidth: 4000, sourceHeight: 3000 },
      ...prepare(image, prepared.length),
    })),
  })
}

class FakeImage {
  naturalWidth = SIZE.width
  naturalHeight = SIZE.height
  onload = () => {}
  onerror = () => {}

  set src(url: string) {
    displayed.push(url)
    queueMicrotask(() => (broken.includes(url) ? this.onerror() : this.onload()))
  }
}

beforeEach(() => {
  ;[prepared, read, missing, displayed, broken] = [[], [], [], [], []]
  prepare = () => ({})
  rejection = null
  vi.stubGlobal('fetch', answer)
  vi.stubGlobal('Image', FakeImage)
  vi.useFakeTimers()
})

afterEach(() => {
  setOrder(null)
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

async function upload(...photos: ReturnType<typeof printPhoto>[]) {
  setOrder(startWizard(7, photos))
  const uploaded = validateAndUpload(new QueryClient())
  await vi.advanceTimersByTimeAsync(5_000)
  await uploaded
  const order = draft.get()
  return { step: order?.step, error: order?.error, photos: order?.photos ?? [] }
}

test('own photos are rendered by the server and checked in the browser', async () => {
  const { step, photos } = await upload(printPhoto(1), printPhoto(2))
  const source = { sourceWidth: 4000, sourceHeight: 3000 }
  expect(photos[0]?.picture).toEqual({ src: '/api/uploads/p-1.jpg', uploadedUrl: null, ...SIZE, ...source })
  expect(displayed).toContain('/api/uploads/p-2.jpg')
  expect(step).toBe('products')
})

test('the preparation is repeated for what is rendering', async () => {
  prepare = ({ photoId }, attempt) => (photoId === 2 && attempt === 1 ? { status: 'rendering', url: null } : {})
  const { photos } = await upload(printPhoto(1), printPhoto(2))
  expect(prepared).toEqual([[{ photoId: 1 }, { photoId: 2 }], [{ photoId: 2 }]])
  expect(photos.every(({ picture }) => picture)).toBe(true)
})

test('a photo that fails does not stop the others', async () => {
  prepare = ({ photoId }) => (photoId === 1 ? { status: 'failed', message: 'The file is damaged.' } : {})
  const { step, error, photos } = await upload(printPhoto(1), printPhoto(2))
  expect(photos).toMatchObject([
    { picture: null, failure: 'The file is damaged.' },
    { picture: {}, failure: null },
  ])
  expect(error).toBe('1 of 2 photos cannot be printed. Try again, or go on without them.')
  expect(step).toBe('upload')
})

test('a picture that the browser cannot load fails the validation', async () => {
  broken = ['/api/uploads/thumbnail-1.jpg']
  const { photos } = await upload(printPhoto(1))
  expect(photos).toMatchObject([{ failure: 'Failed to load image for validation' }])
  expect(prepared).toEqual([])
})

test('a photo of somebody else is read and sent as a file', async () => {
  const { photos } = await upload(printPhoto(1, { userId: 8 }))
  expect(read).toEqual(['/api/uploads/photo-1.jpg'])
  const uploadedUrl = 'https://skyfolio.test/api/uploads/p-1.jpg'
  expect(photos[0]?.picture).toMatchObject({ uploadedUrl, sourceWidth: 4000 })
})

test('the preview is sent of a photo that is neither JPEG nor PNG', async () => {
  await upload(printPhoto(1, { userId: 8, filename: 'photo.dng', previewUrl: '/api/uploads/preview.jpg' }))
  expect(read).toEqual(['/api/uploads/preview.jpg'])
})

test('a file that cannot be read or is rejected fails its photo only', async () => {
  missing = ['/api/uploads/photo-1.jpg']
  rejection = Response.json({ code: 'too_large', message: 'The image is too large.' }, { status: 413 })
  const { photos } = await upload(printPhoto(1, { userId: 8 }), printPhoto(2, { userId: 8 }), printPhoto(3))
  expect(photos.map(({ failure }) => failure)).toEqual([
    'Failed to fetch photo from server',
    'The image is too large.',
    null,
  ])
})

test('an unavailable service fails the upload as a whole', async () => {
  rejection = Response.json({ code: 'partner_not_configured', message: 'No.' }, { status: 503 })
  const { error, photos } = await upload(printPhoto(2, { userId: 8 }))
  expect(error).toBe('Service unavailable')
  expect(photos).toMatchObject([{ picture: null, failure: null }])
})

test('the next step can begin its own work at once', async () => {
  const stop = draft.subscribe(() => {
    if (draft.get()?.step === 'products') currentSession().setBusy('products')
  })
  await upload(printPhoto(1))
  expect(activity.get().busy).toBe('products')
  stop()
})
