import { expect, test } from 'vitest'
import type { AppConfig, Photo } from '../src/api/types.ts'
import { choose, uploadHint } from '../src/features/upload/limits.ts'
import { processingOf } from '../src/features/upload/processing.ts'

const config: AppConfig = {
  limits: { filesPerUpload: 10, fileBytes: 1_048_576, minWidth: 300, minHeight: 300, maxPixels: 300_000_000 },
  formats: ['image/jpeg'],
}

function file(name: string, bytes = 10, type = 'image/jpeg'): File {
  return new File(['x'.repeat(bytes)], name, { type, lastModified: 1 })
}

function photo(id: number, status: Photo['status'], statusMessage: string | null = null): Photo {
  return { id, status, statusMessage, originalName: `DJI_${id}.JPG` } as Photo
}

test('the hint tells the limits of the installation', () => {
  expect(uploadHint(config)).toBe('JPEG up to 1MB each, max 10 files per request; larger selections are sent in groups')
})

test('files that the server would refuse are left out with a reason, the others stay', () => {
  const chosen = [file('a.jpg'), file('notes.txt', 10, 'text/plain'), file('big.jpg', 1_048_577)]
  const { files, leftOut } = choose([], chosen, config)
  expect(files.map(({ name }) => name)).toEqual(['a.jpg'])
  expect(leftOut).toEqual(['notes.txt is not a JPEG file.', 'big.jpg is larger than 1MB.'])
})

test('choosing the same file again does not add it twice', () => {
  expect(choose([file('a.jpg')], [file('a.jpg'), file('b.jpg')], config).files).toHaveLength(2)
})

test('processing counts ready, failed and deleted photos as finished and names the failed ones', () => {
  const photos = [photo(1, 'ready'), photo(2, 'failed', 'The picture is damaged.'), photo(3, 'processing')]
  expect(processingOf([1, 2, 3, 4], photos)).toEqual({
    total: 4,
    finished: 3,
    issues: ['DJI_2.JPG: The picture is damaged.'],
  })
})
