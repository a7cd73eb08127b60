import { expect, test, vi } from 'vitest'
import type { PrintImage, PrintImageRequest } from '../src/api/print-orders.ts'
import {
  NOT_FETCHED,
  NOT_LOADED,
  type UploadDeps,
  uploadPhotos,
} from '../src/features/print-wizard/actions/prepare-photos.ts'
import { startWizard } from '../src/features/print-wizard/wizard-state.ts'
import { ApiError } from '../src/lib/http.ts'
import { printPhoto } from './print-fixture.ts'

const SIZE = { width: 2048, height: 1536 }

function image(request: PrintImageRequest, change: Partial<PrintImage> = {}): PrintImage {
  return {
    photoId: request.photoId,
    productId: null,
    status: 'ready',
    message: null,
    url: `https://skyfolio.test/api/uploads/p-${request.photoId}.jpg`,
    width: SIZE.width,
    height: SIZE.height,
    sourceWidth: 4000,
    sourceHeight: 3000,
    expiresAt: '2026-12-06T00:00:00Z',
    ...change,
  }
}

async function upload(photos: ReturnType<typeof printPhoto>[], changes: Partial<UploadDeps> = {}) {
  const deps: UploadDeps = {
    prepare: async (images) => images.map((request) => image(request)),
    fetchFile: async () => new Blob(['pixels']),
    upload: async (id) => {
      const url = `https://skyfolio.test/api/uploads/p-${id}.jpg`
      return { filename: `p-${id}.jpg`, url, expiresAt: '', width: 4000, height: 3000 }
    },
    measure: async () => SIZE,
    pause: async () => {},
    ...changes,
  }
  const report = { validating: vi.fn(), uploading: vi.fn(), ready: vi.fn(), failed: vi.fn() }
  await uploadPhotos(startWizard(7, photos).photos, deps, report, new AbortController().signal)
  return report
}

test('own photos are rendered by the server and checked in the browser', async () => {
  const measure = vi.fn(async () => SIZE)
  const report = await upload([printPhoto(1), printPhoto(2)], { measure })
  expect(report.failed).not.toHaveBeenCalled()
  expect(report.ready).toHaveBeenCalledWith(1, {
    src: '/api/uploads/p-1.jpg',
    uploadedUrl: null,
    ...SIZE,
    sourceWidth: 4000,
    sourceHeight: 3000,
  })
  expect(measure).toHaveBeenCalledWith('/api/uploads/p-2.jpg')
})

test('the preparation is repeated for what is rendering', async () => {
  const prepare = vi
    .fn<UploadDeps['prepare']>()
    .mockImplementationOnce(async (images) =>
      images.map((request, index) => image(request, index > 0 ? { status: 'rendering', url: null } : {})),
    )
    .mockImplementationOnce(async (images) => images.map((request) => image(request)))
  const report = await upload([printPhoto(1), printPhoto(2)], { prepare })
  expect(prepare.mock.calls.map(([images]) => images)).toEqual([[{ photoId: 1 }, { photoId: 2 }], [{ photoId: 2 }]])
  expect(report.ready).toHaveBeenCalledTimes(2)
})

test('a photo that fails does not stop the others', async () => {
  const prepare: UploadDeps['prepare'] = async (images) =>
    images.map((request) =>
      request.photoId === 1 ? image(request, { status: 'failed', message: 'The file is damaged.' }) : image(request),
    )
  const report = await upload([printPhoto(1), printPhoto(2)], { prepare })
  expect(report.failed).toHaveBeenCalledExactlyOnceWith(1, 'The file is damaged.')
  expect(report.ready).toHaveBeenCalledExactlyOnceWith(2, expect.anything())
})

test('a picture that the browser cannot load fails the validation', async () => {
  const prepare = vi.fn<UploadDeps['prepare']>(async () => [])
  const measure = () => Promise.reject(new Error('broken'))
  const report = await upload([printPhoto(1)], { measure, prepare })
  expect(report.failed).toHaveBeenCalledExactlyOnceWith(1, NOT_LOADED)
  expect(prepare).not.toHaveBeenCalled()
})

test('a photo of somebody else is read and sent as a file', async () => {
  const fetchFile = vi.fn(async () => new Blob(['pixels']))
  const report = await upload([printPhoto(1, { userId: 8 })], { fetchFile })
  expect(fetchFile).toHaveBeenCalledWith('/api/uploads/photo-1.jpg')
  const uploadedUrl = 'https://skyfolio.test/api/uploads/p-1.jpg'
  expect(report.ready).toHaveBeenCalledWith(1, expect.objectContaining({ uploadedUrl, sourceWidth: 4000 }))
})

test('the preview is sent of a photo that is neither JPEG nor PNG', async () => {
  const fetchFile = vi.fn(async () => new Blob(['pixels']))
  await upload([printPhoto(1, { userId: 8, filename: 'photo.dng', previewUrl: '/api/uploads/preview.jpg' })], {
    fetchFile,
  })
  expect(fetchFile).toHaveBeenCalledWith('/api/uploads/preview.jpg')
})

test('a file that cannot be read or is rejected fails its photo only', async () => {
  const other = { userId: 8 }
  const fetchFile = (path: string) =>
    path.includes('photo-1') ? Promise.reject(new ApiError(404, '', null)) : Promise.resolve(new Blob())
  const upload413 = { code: 'too_large', message: 'The image is too large.' }
  const report = await upload([printPhoto(1, other), printPhoto(2, other)], {
    fetchFile,
    upload: () => Promise.reject(new ApiError(413, '', upload413)),
  })
  expect(report.failed.mock.calls).toEqual([
    [1, NOT_FETCHED],
    [2, 'The image is too large.'],
  ])
})

test('an unavailable service fails the upload as a whole', async () => {
  const down = new ApiError(503, '', { code: 'partner_not_configured', message: 'No.' })
  await expect(upload([printPhoto(1)], { prepare: () => Promise.reject(down) })).rejects.toBe(down)
})
