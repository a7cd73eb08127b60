import { describe, expect, test } from 'vitest'
import { formatHeading, headingFrom } from '../src/lib/heading.ts'
import { badgeFormats, formatOf } from '../src/photos/formats.ts'
import {
  formatCamera,
  formatDegrees,
  formatDimensions,
  formatExposure,
  formatExposureTime,
  formatFocalLength,
  formatHeight,
  formatMilesAsKilometres,
  isPairedRaw,
  mapLink,
  possiblePair,
} from '../src/photos/photo-facts.ts'

describe('exposure', () => {
  test.each([
    [0.00025, '1/4,000 s'],
    [0.004166, '1/240 s'],
    [0.25, '1/4 s'],
    [0.3, '0.3 s'],
    [0.5, '0.5 s'],
    [1, '1 s'],
    [2.5, '2.5 s'],
    [30, '30 s'],
  ])('%d seconds are %s', (seconds, text) => expect(formatExposureTime(seconds)).toBe(text))

  test('contains the known values', () => {
    expect(formatExposure({ ExposureTime: 1 / 240, FNumber: 2.8, ISO: 100 })).toBe('1/240 s · f/2.8 · ISO 100')
    expect(formatExposure({ FNumber: 11, ISO: 3200 })).toBe('f/11 · ISO 3200')
    expect(formatExposure({ Make: 'DJI' })).toBeNull()
  })
})

describe('the camera', () => {
  test.each([
    [{ Make: 'DJI', Model: 'FC7303' }, 'DJI FC7303'],
    [{ Make: 'Canon', Model: 'Canon EOS 40D' }, 'Canon EOS 40D'],
    [{ Model: 'FC7303' }, 'FC7303'],
    [{ Make: 'Jolla' }, 'Jolla'],
    [{}, null],
  ])('of %j is %s', (metadata, text) => expect(formatCamera(metadata)).toBe(text))
})

test.each([
  [{ FocalLength: 4.71, FocalLengthIn35mmFormat: 28 }, '4.7 mm (28 mm equivalent)'],
  [{ FocalLength: 3.61 }, '3.6 mm'],
  [{ FocalLengthIn35mmFormat: 24 }, '24 mm equivalent'],
  [{}, null],
])('the focal length of %j is %s', (metadata, text) => expect(formatFocalLength(metadata)).toBe(text))

test('dimensions are those after orientation, and without them what the camera wrote', () => {
  const written = { ExifImageWidth: 4000, ExifImageHeight: 3000 }
  expect(formatDimensions({ width: 3000, height: 4000 }, written)).toBe('3,000 × 4,000 pixels')
  expect(formatDimensions({ width: null, height: null }, written)).toBe('4,000 × 3,000 pixels')
  expect(formatDimensions({ width: null, height: null }, null)).toBeNull()
})

test('the format is that of the stored name', () => {
  expect(formatOf({ filename: 'af01.jpg' })).toBe('JPEG')
  expect(formatOf({ filename: 'af01.dng' })).toBe('DNG')
})

describe('a pair', () => {
  const jpeg = { filename: 'af01.jpg', pairedWith: null, raw: null }
  const dng = { ...jpeg, filename: 'af02.dng' }
  const tiff = { ...jpeg, filename: 'af03.tif' }

  test('has the formats of both files; alone, only a raw file is worth a badge', () => {
    expect(badgeFormats({ ...jpeg, raw: { filename: 'af03.tif' } })).toEqual(['JPEG', 'TIFF'])
    expect([jpeg, dng, tiff].map(badgeFormats)).toEqual([[], ['DNG'], []])
  })

  test('is a JPEG with a DNG or TIFF, in any order, neither of which is paired', () => {
    expect(possiblePair([dng, jpeg])).toEqual({ jpeg, raw: dng })
    expect(possiblePair([jpeg, tiff])).toEqual({ jpeg, raw: tiff })
    const others = [[jpeg], [jpeg, jpeg], [dng, tiff], [jpeg, dng, tiff], [jpeg, { ...dng, pairedWith: 3 }]]
    expect(others.map(possiblePair)).toEqual(others.map(() => undefined))
  })

  test('stands for its raw file, which is none itself', () => {
    const [raw, pair] = [
      { pairedWith: 1, raw: null },
      { pairedWith: 2, raw: { id: 2, filename: 'af02.dng', filesize: 1, width: null, height: null } },
    ]
    expect([raw, pair, jpeg].map(isPairedRaw)).toEqual([true, false, false])
  })
})

describe('the heading', () => {
  test.each([
    [0, 0, 'North'],
    [90, 90, 'East'],
    [-90, 270, 'West'],
    [-180, 180, 'South'],
    [359.7, 0, 'North'],
    [-22, 338, 'North'],
    [-23, 337, 'Northwest'],
    [46.3, 46, 'Northeast'],
  ])('%d degrees are %d, %s', (yaw, degrees, direction) => {
    expect(headingFrom(yaw)).toEqual({ degrees, direction })
    expect(formatHeading(yaw)).toBe(`facing ${direction.toLowerCase()}`)
  })
})

test('angles and heights have one decimal and a typographic minus', () => {
  expect(formatDegrees(-89.95)).toBe('−90°')
  expect(formatDegrees(-0.04)).toBe('0°')
  expect(formatHeight(119.72, 'metric')).toBe('119.7 m')
})

test('heights are whole feet and distances also kilometres for those who want them', () => {
  expect(formatHeight(119.72, 'imperial')).toBe('393 ft')
  expect(formatHeight(-3, 'imperial')).toBe('−10 ft')
  expect(formatMilesAsKilometres(3.2)).toBe('5.1 km')
})

test('the map is searched for the position with 6 decimals', () => {
  expect(mapLink('46.84260712', '-91.9941')).toBe(
    'https://www.google.com/maps/search/?api=1&query=46.842607%2C-91.994100',
  )
})
