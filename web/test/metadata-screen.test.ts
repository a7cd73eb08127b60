import { describe, expect, test } from 'vitest'
import type { MetadataPhotoDetails } from '../src/api/types.ts'
import { describeDateTaken } from '../src/features/metadata/analysis-list.tsx'
import { countTags, jsonName, metadataJson, searchGroups } from '../src/features/metadata/details-dialog.tsx'
import { failureText, rejectionToast, supportedText, uploadToast } from '../src/features/metadata/extraction-form.tsx'
import { ApiError } from '../src/lib/http.ts'

const MOST = 52_428_800

describe('a chosen file', () => {
  const file = { name: 'a.jpg', type: 'image/jpeg', size: MOST }

  test.each(['image/jpeg', 'image/jpg', 'image/png', 'image/tiff', 'image/gif', 'image/bmp'])('may be %s', (type) =>
    expect(rejectionToast({ ...file, type }, MOST)).toBeNull(),
  )

  test.each(['image/webp', 'image/x-adobe-dng', 'image/svg+xml', 'application/pdf', 'IMAGE'])('may not be %s', (type) =>
    expect(rejectionToast({ ...file, type }, MOST)).toMatchObject({
      title: 'Invalid file type',
      description: 'Please select a JPEG, PNG, TIFF, GIF, or BMP image',
    }),
  )

  test('is accepted or rejected by its name when it has no type', () => {
    expect(rejectionToast({ ...file, name: 'SCAN.TIFF', type: '' }, MOST)).toBeNull()
    expect(rejectionToast({ ...file, name: 'raw.dng', type: '' }, MOST)?.title).toBe('Invalid file type')
    expect(rejectionToast({ ...file, name: 'jpg', type: '' }, MOST)?.title).toBe('Invalid file type')
  })

  test('may have up to the maximum number of bytes', () => {
    expect(rejectionToast({ ...file, size: MOST + 1 }, MOST)).toMatchObject({
      title: 'File too large',
      description: 'Please select a file smaller than 50MB',
    })
    expect(rejectionToast({ ...file, size: 3_000_000 }, 2_621_440)?.description).toBe(
      'Please select a file smaller than 2.5MB',
    )
  })

  test('has its limit in the hint', () => {
    expect(supportedText(MOST)).toBe('Supports JPEG, PNG, TIFF, GIF, BMP up to 50MB')
  })
})

describe('the date taken', () => {
  test('is in US long form with a 12-hour clock, as the camera showed it', () => {
    expect(describeDateTaken('2024-05-04T15:04:05')).toEqual({ text: 'May 4, 2024 at 3:04 PM', known: true })
    expect(describeDateTaken('2024-02-29T00:00:00').text).toBe('February 29, 2024 at 12:00 AM')
  })

  test.each([
    [null, 'No EXIF date'],
    ['', 'No EXIF date'],
    ['0000:00:00 00:00:00', 'Invalid date'],
    ['soon', 'Invalid date'],
    ['2023-02-29T10:00:00', 'Invalid date'],
    ['2023-13-01T10:00:00', 'Invalid date'],
    ['May 4, 2024', 'Date format error'],
  ])('%s is said to be: %s', (iso, text) => expect(describeDateTaken(iso)).toEqual({ text, known: false }))
})

const groups = {
  File: { FileName: 'DJI_0018.JPG', FileSize: 5_000_000 },
  EXIF: { FNumber: 2.8, LensModel: '24.0 mm f/2.8', Flash: false },
  'XMP-drone-dji': { GimbalPitchDegree: '-90.00' },
}

describe('the search in metadata', () => {
  const found = (search: string) =>
    searchGroups(groups, search).map(({ name, tags }) => [name, tags.map(([tag]) => tag)])

  test('shows everything without words', () => {
    expect(found('  ').map(([name]) => name)).toEqual(['File', 'EXIF', 'XMP-drone-dji'])
    expect(countTags(searchGroups(groups, ''))).toBe(6)
  })

  test('shows the file groups first and the others by name', () => {
    const names = ['XMP-tiff', 'GPS', 'ICC profile', 'File', 'EXIF']
    const some = Object.fromEntries(names.map((name) => [name, { b: 1, A: 2 }]))
    expect(searchGroups(some, '').map(({ name }) => name)).toEqual(['File', 'EXIF', 'GPS', 'ICC profile', 'XMP-tiff'])
    expect(searchGroups(some, '')[0]?.tags).toEqual([
      ['A', '2'],
      ['b', '1'],
    ])
  })

  test('ignores case and searches names and values', () => {
    expect(found('gimbal')).toEqual([['XMP-drone-dji', ['GimbalPitchDegree']]])
    expect(found('2.8')).toEqual([['EXIF', ['FNumber', 'LensModel']]])
    expect(found('FALSE')).toEqual([['EXIF', ['Flash']]])
  })

  test('shows a whole group by its name', () => {
    expect(found('exif')).toEqual([['EXIF', ['Flash', 'FNumber', 'LensModel']]])
  })

  test('requires every word, in any order', () => {
    expect(found('mm lens')).toEqual([['EXIF', ['LensModel']]])
    expect(found('mm gimbal')).toEqual([])
  })
})

describe('the JSON of a photo', () => {
  const photo = {
    id: 7,
    filename: 'f3b1.jpg',
    fileUrl: '/api/uploads/f3b1.jpg',
    originalName: 'Lake.of.Isles.JPG',
    latitude: '46.842607',
    groups,
  } as unknown as MetadataPhotoDetails

  test('contains all metadata and no stored name', () => {
    const text = metadataJson(photo)
    expect(JSON.parse(text)).toEqual({ filename: 'Lake.of.Isles.JPG', latitude: '46.842607', metadata: groups })
    expect(text).not.toContain('f3b1')
  })

  test('is named after the photo', () => {
    expect(jsonName('Lake.of.Isles.JPG')).toBe('Lake.of.Isles-metadata.json')
    expect(jsonName('.jpg')).toBe('photo-metadata.json')
  })
})

describe('the toast after a rejected upload', () => {
  test("contains the server's message and reasons, each once", () => {
    const body = {
      code: 'unsupported',
      message: 'Failed to upload photo',
      issues: ['"a.jpg" is not in an accepted format.'],
    }
    expect(failureText(new ApiError(415, '', body))).toBe(
      'Failed to upload photo, "a.jpg" is not in an accepted format.',
    )
    expect(failureText(new ApiError(413, '', { code: 'large', message: 'Too large.', issues: ['Too large.'] }))).toBe(
      'Too large.',
    )
    expect(failureText(new ApiError(502, 'Bad Gateway', null))).toBe('502: Bad Gateway')
    expect(failureText(new TypeError('x'))).toBe('Failed to upload photo')
  })
})

describe('the toast after an upload', () => {
  test('reports metadata only when it is available', () => {
    expect(uploadToast({ status: 'ready', statusMessage: null })).toEqual({
      title: 'Photo uploaded successfully',
      description: 'Metadata has been extracted and is now displayed below',
    })
    expect(uploadToast({ status: 'processing', statusMessage: null }).description).not.toContain('has been extracted')
    expect(uploadToast({ status: 'failed', statusMessage: 'The picture is damaged.' })).toEqual({
      title: 'Processing failed',
      description: 'The picture is damaged.',
      tone: 'danger',
    })
  })
})
