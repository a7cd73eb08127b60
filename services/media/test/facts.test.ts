import { once } from 'node:events'
import { isUnavailable } from '@skyfolio/kit'
import { dronePhoto } from '@skyfolio/testkit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readFacts } from '../src/metadata/facts.ts'
import { startMetadataReader, UnreadableMetadataError } from '../src/metadata/metadata-reader.ts'
import { parseCameraDate, parseNumber, parseText } from '../src/metadata/tag-values.ts'

const TAKEN = '2016:06:23 16:31:59'

const gps = {
  GPSLatitude: [46, 50, 33.3855],
  GPSLatitudeRef: 'N',
  GPSLongitude: [91, 59, 40.4156],
  GPSLongitudeRef: 'W',
}

test('a position is exact to a ten-millionth of a degree', () => {
  expect(readFacts({ gps })).toMatchObject({ latitude: '46.8426071', longitude: '-91.9945599' })
})

test.each([
  [
    '0, 0, which is no fix',
    { GPSLatitude: [0, 0, 0], GPSLatitudeRef: 'N', GPSLongitude: [0, 0, 0], GPSLongitudeRef: 'E' },
  ],
  ['without a hemisphere', { ...gps, GPSLatitudeRef: undefined }],
  ['with a latitude beyond the pole', { ...gps, GPSLatitude: [91, 0, 0] }],
  ['divided by zero', { ...gps, GPSLatitude: [Number.NaN, 0, 0] }],
  ['infinite', { ...gps, GPSLongitude: [Number.POSITIVE_INFINITY, 0, 0] }],
  ['that is a text', { ...gps, GPSLatitude: '46' }],
  ['with no parts', { ...gps, GPSLatitude: [] }],
])('a position %s is none', (_what, tags) => {
  expect(readFacts({ gps: tags })).toMatchObject({ latitude: null, longitude: null })
})

test("DJI's own position counts where EXIF has none, with and without DJI's misspelling", () => {
  for (const name of ['GpsLongtitude', 'GpsLongitude']) {
    const tags = { 'XMP-drone-dji': { GpsLatitude: '+46.8426071', [name]: '-91.9945599' } }
    expect(readFacts(tags)).toMatchObject({ latitude: '46.8426071', longitude: '-91.9945599' })
    expect(readFacts({ ...tags, gps: { ...gps, GPSLatitude: [1, 0, 0] } })).toMatchObject({ latitude: '1' })
  }
})

test('an altitude below the sea is negative', () => {
  expect(readFacts({ gps: { GPSAltitude: 8, GPSAltitudeRef: new Uint8Array([1]) } }).altitude).toBe(-8)
  expect(readFacts({ gps: { GPSAltitude: Number.NaN } }).altitude).toBeNull()
  expect(readFacts({ gps: { GPSAltitude: 8, GPSAltitudeRef: 3 } }).altitude).toBe(-8)
  expect(readFacts({ 'XMP-drone-dji': { AbsoluteAltitude: '+198.31' } }).altitude).toBe(198.31)
})

test('an altitude in space is none', () => {
  for (const GPSAltitude of [100_001, 4_294_967_295])
    for (const GPSAltitudeRef of [0, 1]) expect(readFacts({ gps: { GPSAltitude, GPSAltitudeRef } }).altitude).toBeNull()
  const drone = { AbsoluteAltitude: '+198.31' }
  expect(readFacts({ gps: { GPSAltitude: 4_294_967_295 }, 'XMP-drone-dji': drone }).altitude).toBe(198.31)
})

test('the height beside a position without a fix is none when it is 0', () => {
  const noFix = { GPSLatitude: [0, 0, 0], GPSLatitudeRef: 'N', GPSLongitude: [0, 0, 0], GPSLongitudeRef: 'E' }
  expect(readFacts({ gps: { ...noFix, GPSAltitude: 0 } }).altitude).toBeNull()
  expect(readFacts({ gps: { ...gps, GPSAltitude: 0 } }).altitude).toBe(0)
})

test.each([
  ['none', {}, ''],
  ["the original's", { OffsetTimeOriginal: '+02:00' }, '+02:00'],
  ['nonsense', { OffsetTimeOriginal: 'nonsense' }, ''],
  ['beyond the date line', { OffsetTimeOriginal: '+25:00' }, ''],
  ['that of nobody', { OffsetTimeOriginal: '+14:01' }, ''],
  ['the last one', { OffsetTimeOriginal: '+14:00' }, '+14:00'],
  ['that of the same date, as it became a file', { CreateDate: TAKEN, OffsetTimeDigitized: '-05:00' }, '-05:00'],
  ['that of another date', { CreateDate: '2016:06:24 16:31:59', OffsetTimeDigitized: '-05:00' }, ''],
])('a date keeps the zone that the camera wrote, and gets none otherwise: %s', (_what, exif, zone) => {
  const facts = readFacts({ exif: { DateTimeOriginal: TAKEN, ...exif } })
  expect(facts.dateTaken).toBe(`2016-06-23T16:31:59${zone}`)
  expect(facts.metadata?.DateTimeOriginal).toBe(facts.dateTaken)
})

test('the zone of the last change counts while nothing was changed', () => {
  const exif = { DateTimeOriginal: TAKEN, OffsetTime: '+01:00' }
  expect(readFacts({ exif, ifd0: { ModifyDate: TAKEN } }).dateTaken).toBe('2016-06-23T16:31:59+01:00')
  expect(readFacts({ exif, ifd0: { ModifyDate: '2017:06:23 16:31:59' } }).dateTaken).toBe('2016-06-23T16:31:59')
})

test('the zone may stand in XMP alone', () => {
  const xmp = { 'XMP-exif': { DateTimeOriginal: '2016-06-23T16:31:59.25-04:00' } }
  expect(readFacts(xmp).dateTaken).toBe('2016-06-23T16:31:59-04:00')
  expect(readFacts({ ...xmp, exif: { DateTimeOriginal: TAKEN } }).dateTaken).toBe('2016-06-23T16:31:59-04:00')
  expect(readFacts({ ...xmp, exif: { DateTimeOriginal: '2016:06:23 16:00:00' } }).dateTaken).toBe('2016-06-23T16:00:00')
})

// Duluth, five hours behind Greenwich in summer.
test.each([
  ['the receiver tells it', '2016:06:23', [21, 31, 58], {}, '-05:00'],
  ['the camera follows another zone of the country', '2016:06:23', [22, 31, 59], {}, '-06:00'],
  ['the fix is older than the photo', '2016:06:23', [21, 29, 0], {}, ''],
  ['the receiver has no fix', '2016:06:23', [21, 31, 58], { GPSStatus: 'V' }, ''],
  ["the camera's clock is of another part of the world", '2016:06:23', [14, 31, 59], {}, ''],
  ["the receiver's day is wrong", '2016:06:24', [21, 31, 58], {}, ''],
  ['the position is unknown', '2016:06:23', [21, 31, 58], { GPSLatitude: [] }, ''],
  ['the day is missing', undefined, [21, 31, 58], {}, ''],
  ['the time is broken', '2016:06:23', [21, Number.NaN, 58], {}, ''],
])("a camera's time without a zone gets one only without doubt: %s", (_what, day, time, more, zone) => {
  const facts = readFacts({
    exif: { DateTimeOriginal: TAKEN },
    gps: { ...gps, GPSDateStamp: day, GPSTimeStamp: time, ...more },
  })
  expect(facts.dateTaken).toBe(`2016-06-23T16:31:59${zone}`)
})

test.each([
  '0000:00:00 00:00:00',
  '2016:02:30 10:00:00',
  '2016:13:01 00:00:00',
  '    :  :     :  :  ',
  '',
  'yesterday',
  5,
])('the date %j is none', (value) => expect(parseCameraDate(value)).toBeUndefined())

test('texts lose their padding, numbers that are none are absent', () => {
  expect([parseText('DJI\0\0'), parseText('  '), parseText('a\nb'), parseText({})]).toEqual([
    'DJI',
    undefined,
    'a b',
    undefined,
  ])
  const values = ['+39.80', [100, 0], 1 / 75, '28/10', '1/0', Number.NaN, '', null, {}]
  expect(values.map(parseNumber)).toEqual([39.8, 100, 0.01333333333, 2.8, ...Array(5).fill(undefined)])
})

test('a text ends at its first NUL, and a long one with a whole character', () => {
  expect([parseText('DJI\0XYZ'), parseText('\0DJI'), parseText(' DJI\0\0')]).toEqual(['DJI', undefined, 'DJI'])
  expect(parseText(`${'x'.repeat(199)}😀`)).toBe('x'.repeat(199))
  expect(parseText(`${'x'.repeat(198)}😀y`)).toBe(`${'x'.repeat(198)}😀`)
})

test('numbers in texts are decimal', () => {
  expect(
    ['0x20', '0b11', '0o17', 'Infinity', '1e999', '1 2', `${'1'.repeat(100)}x`, '1.7976931348623157e308'].map(
      parseNumber,
    ),
  ).toEqual(Array(8).fill(undefined))
  expect(['1e2', '-.5', '5.', ' +1.50 '].map(parseNumber)).toEqual([100, -0.5, 5, 1.5])
  const xmp = { GpsLatitude: '0x20', GpsLongitude: '0b11' }
  expect(readFacts({ 'XMP-drone-dji': xmp })).toMatchObject({ latitude: null, longitude: null })
})

test('what the camera does not know is absent, and a drone that stands still has its speed', () => {
  const exif = { FNumber: 0, ISO: 0, ExposureTime: Number.NaN, FocalLength: 0, ExifImageWidth: 4000 }
  const drone = { FlightXSpeed: '+0.0', RtkFlag: '50', RtkStdLat: '0.01234', GimbalYawDegree: 'nan' }
  expect(readFacts({ exif, 'XMP-drone-dji': drone }).metadata).toEqual({
    ExifImageWidth: 4000,
    drone: { FlightXSpeed: 0, RtkFlag: 50, RtkStdLat: 0.01234 },
  })
})

test("Autel's drones are read: the first firmwares' angles too, whose 0 looks straight down", () => {
  const later = { 'XMP-drone': { RelativeAltitude: '28.5', GpsLatitude: '46.8426071', GpsLongtitude: '-91.9945599' } }
  expect(readFacts(later)).toMatchObject({
    longitude: '-91.9945599',
    metadata: { drone: { RelativeAltitude: 28.5 } },
  })
  const first = {
    'XMP-rdf': { about: 'Autel Robotics Meta Data' },
    'XMP-Camera': { Pitch: '0.0', Yaw: '-5', Roll: '1' },
  }
  const drone = { GimbalPitchDegree: -90, GimbalYawDegree: -5, GimbalRollDegree: 1 }
  expect(readFacts(first).metadata?.drone).toEqual(drone)
})

const skydio = {
  'CameraOrientationNED.Yaw': '127.4',
  'CameraOrientationNED.Pitch': '-59.7',
  'CameraOrientationNED.Roll': '0.2',
}
const parrot = { CameraYawDegree: '127.4', CameraPitchDegree: '-59.7', CameraRollDegree: '0.2' }
const pix4d = { Yaw: '127.4', Pitch: '30.3', Roll: '0.2' }
const autel = { ifd0: { Make: 'Autel Robotics' } }

test.each<[string, Parameters<typeof readFacts>[0]]>([
  ['Skydio', { 'XMP-drone-skydio': skydio }],
  ['Parrot', { 'XMP-drone-parrot': { ...parrot, DroneYawDegree: '10' } }],
  ['Parrot beside those of Pix4D', { 'XMP-drone-parrot': parrot, 'XMP-Camera': { ...pix4d, Yaw: '100' } }],
  ['Pix4D', { 'XMP-Camera': pix4d }],
  ["Autel's later firmware", { ...autel, 'XMP-Camera': { ...pix4d, Pitch: '-59.7' } }],
])("the camera's angles are read from the tags of %s", (_maker, tags) => {
  const drone = { GimbalYawDegree: 127.4, GimbalPitchDegree: -59.7, GimbalRollDegree: 0.2 }
  expect(readFacts(tags).metadata).toMatchObject({ heading: 127.4, drone })
})

test.each<[string, Parameters<typeof readFacts>[0]]>([
  ["of Autel's later firmware, unless it looks down", { ...autel, 'XMP-Camera': { ...pix4d, Pitch: '30.3' } }],
  ['of an aircraft that leans', { 'XMP-Camera': { ...pix4d, Roll: '20' } }],
  ['far back', { 'XMP-Camera': { ...pix4d, Pitch: '-59.7' } }],
])('a pitch %s is none, the heading stays', (_what, tags) => {
  expect(readFacts(tags).metadata?.drone?.GimbalPitchDegree).toBeUndefined()
  expect(readFacts(tags).metadata?.heading).toBe(127.4)
})

test('position and heights are read from the tags of Skydio', () => {
  const tags = { Latitude: '46.8426', Longitude: '-92.0036', AbsoluteAltitude: '246.0', RelativeAltitude: '16' }
  expect(readFacts({ 'XMP-drone-skydio': tags })).toMatchObject({
    ...{ latitude: '46.8426', longitude: '-92.0036', altitude: 246 },
    metadata: { drone: { AbsoluteAltitude: 246, RelativeAltitude: 16 } },
  })
})

test.each<[string, Record<string, unknown>, Record<string, unknown>, number | undefined]>([
  ["the gimbal's, before EXIF's", { GPSImgDirection: 10, GPSImgDirectionRef: 'T' }, { GimbalYawDegree: '90' }, 90],
  [
    "EXIF's, before the aircraft's",
    { GPSImgDirection: 127.4, GPSImgDirectionRef: 'T' },
    { FlightYawDegree: '10' },
    127.4,
  ],
  ["the aircraft's", {}, { FlightYawDegree: '-120' }, -120],
  ['north', { GPSImgDirection: 0, GPSImgDirectionRef: 'T' }, {}, 0],
  ['none from magnetic north', { GPSImgDirection: 127.4, GPSImgDirectionRef: 'M' }, {}, undefined],
  ['none without a reference', { GPSImgDirection: 127.4 }, {}, undefined],
  ['none that is no direction', { GPSImgDirection: 361, GPSImgDirectionRef: 'T' }, {}, undefined],
  ['none divided by zero', { GPSImgDirection: Number.NaN, GPSImgDirectionRef: 'T' }, {}, undefined],
])('the heading is %s', (_what, direction, drone, heading) => {
  for (const group of ['gps', 'XMP-exif']) {
    expect(readFacts({ [group]: direction, 'XMP-drone-dji': drone }).metadata?.heading).toBe(heading)
  }
})

const VIEWER = 'Microsoft Windows Photo Viewer 10.0.10240.16384'

test.each<[string, Parameters<typeof readFacts>[0], true | undefined]>([
  ['by its orientation', { ifd0: { Orientation: 3 } }, true],
  ['by a program that turns the pixels', { ifd0: { Orientation: 1, Software: VIEWER } }, true],
  ['by that program in XMP', { 'XMP-xmp': { CreatorTool: VIEWER } }, true],
  ['not by a quarter', { ifd0: { Orientation: 6 } }, undefined],
  ['not by the firmware', { ifd0: { Orientation: 1, Software: 'v01.23.4920' } }, undefined],
  ['not by other programs', { ifd0: { Software: 'Adobe Photoshop 25' } }, undefined],
])('a picture was turned upside down: %s', (_how, tags, turned) => {
  const drone = { GimbalPitchDegree: '-89.90' }
  expect(readFacts({ ...tags, 'XMP-drone-dji': drone }).metadata?.turned).toBe(turned)
  // Without the angle of the camera it says nothing.
  expect(readFacts({ ...tags, 'XMP-drone-dji': { GimbalYawDegree: '90' } }).metadata).not.toHaveProperty('turned')
})

test('a maker that says nothing is none, and does not hide another', () => {
  expect(readFacts({ ifd0: { Make: 'Camera' }, 'XMP-tiff': { Make: 'Autel Robotics' } }).metadata?.Make).toBe(
    'Autel Robotics',
  )
  expect(readFacts({ ifd0: { Make: 'Unknown' } }).metadata).toBeNull()
  expect(readFacts({ ifd0: { Make: '大疆' } }).metadata?.Make).toBe('大疆')
})

test.each([
  ['46,50.556N', '92,0.216W'],
  ['46,50,33.36N', '92,0,12.96W'],
  ['46.8426N', '92.0036W'],
  ['N46.8426', 'W 92.0036'],
  ['46° 50\' 33.36" N', '92°0′12.96″W'],
  ['46/1,50556/1000N', '92/1,216/1000W'],
  ['46.8426', '92.0036', 'N', 'W'],
  ['468426/10000', '920036/10000', 'North', 'west'],
  ['46,50.556', '92,0.216', 'N', 'W'],
  ['46.8426', '-92.0036', 'N', 'W'],
])(
  'the position %s, %s in XMP is read',
  (GPSLatitude, GPSLongitude, GPSLatitudeRef?: string, GPSLongitudeRef?: string) => {
    const xmp = { GPSLatitude, GPSLongitude, GPSLatitudeRef, GPSLongitudeRef }
    expect(readFacts({ 'XMP-exif': xmp })).toMatchObject({ latitude: '46.8426', longitude: '-92.0036' })
    const twice = Object.fromEntries(Object.entries(xmp).map(([tag, value]) => [tag, [value, '1,2,3E']]))
    expect(readFacts({ 'XMP-exif': twice })).toMatchObject({ latitude: '46.8426', longitude: '-92.0036' })
  },
)

test.each([
  ['without hemispheres', '46.8426', '-92.0036'],
  ['whose letter contradicts its tag', '46.8426S', '92.0036W', 'N', 'W'],
  ['whose sign contradicts its letter', '-46.8426N', '92.0036W'],
  ['with 60 minutes', '46,60N', '92,0W'],
  ['beyond the pole', '96.8', '92.0036', 'N', 'W'],
  ['divided by zero', '0/0', '92.0036', 'N', 'W'],
  ['of four parts', '46,1,2,3N', '92,0W'],
])(
  'a position in XMP %s is none',
  (_what, GPSLatitude, GPSLongitude, GPSLatitudeRef?: string, GPSLongitudeRef?: string) => {
    const xmp = { GPSLatitude, GPSLongitude, GPSLatitudeRef, GPSLongitudeRef }
    expect(readFacts({ 'XMP-exif': xmp })).toMatchObject({ latitude: null, longitude: null })
  },
)

test.each([
  ['2016-06-23 16:31:59', ''],
  ['2016/06/23 16:31:59', ''],
  ['2016.06.23 16.31.59', ''],
  ['2016: 6:23 16:31:59', ''],
  ['2016:6:23 16:31:59.25', ''],
  ['2016-06-23T16:31:59,5+0530', '+05:30'],
  ['2016-06-23T16:31:59-5:00', '-05:00'],
  ['2016:06:23 16:31:59 -5', '-05:00'],
  ['2016:06:23 16:31:59UTC', 'Z'],
  ['2016:06:23 16:31:59 UTC+2', '+02:00'],
  ['2016:06:23 16:31:59 \u22125:00', '-05:00'],
  ['2016:06:23 16:31:59 local', ''],
  ['2016:06:23 16:31:59+99:99', ''],
  ['20160623 163159-0500', '-05:00'],
  ['20160623T163159Z', 'Z'],
  ['Thu, 23 Jun 2016 16:31:59 GMT', 'Z'],
  ['23 Jun 2016 16:31:59 -0500', '-05:00'],
  ['2016:06:23 04:31:59 PM', ''],
  ['2016:06:23 4:31:59pm -0500', '-05:00'],
])('the date %j is read', (written, zone) => {
  expect(readFacts({ exif: { DateTimeOriginal: written } }).dateTaken).toBe(`2016-06-23T16:31:59${zone}`)
})

test.each([
  ['2016:06:23 16:31-05', '-05:00'],
  ['2016-06-23T16:31 +05', '+05:00'],
])('a zone of hours is none of seconds: %j', (written, zone) => {
  expect(readFacts({ exif: { DateTimeOriginal: written } }).dateTaken).toBe(`2016-06-23T16:31:00${zone}`)
})

test('the first hour of a day is also written as 24, and as 12 AM', () => {
  expect(parseCameraDate('2019:01:01 12:04:20 AM')?.local).toBe('2019-01-01T00:04:20')
  expect(parseCameraDate('2019:01:01 12:04:20 PM')?.local).toBe('2019-01-01T12:04:20')
  expect(parseCameraDate('2019:01:01 13:04:20 PM')).toBeUndefined()
  expect(parseCameraDate('2019:01:01 24:04:20')?.local).toBe('2019-01-01T00:04:20')
})

test.each([
  '2016-06',
  '2016-06-23',
  '2016:06:23 25:00:00',
  '2016:06:23 16:61:00',
  '23/06/2016 16:31:59',
  '2016:06:23 16:31:591',
])('the date %j is none', (written) => expect(parseCameraDate(written)).toBeUndefined())

test.each([
  ['+05:30', '+05:30'],
  ['+5:30', '+05:30'],
  ['+0530', '+05:30'],
  ['-5', '-05:00'],
  [' -05:00 ', '-05:00'],
  ['GMT', 'Z'],
  ['UTC-3', '-03:00'],
  ['+14:01', undefined],
  ['+05:60', undefined],
  ['local', undefined],
  ['5', undefined],
])('the zone %j is %j', (written, zone) => {
  const exif = { DateTimeOriginal: TAKEN, OffsetTimeOriginal: written }
  expect(readFacts({ exif }).dateTaken).toBe(`2016-06-23T16:31:59${zone ?? ''}`)
})

test('of several dates the first one that exists counts, and the last change is said to be one', () => {
  const dates: [group: string, tags: object][] = [
    ['exif', { DateTimeOriginal: '2001:01:01 01:00:00' }],
    ['XMP-exif', { DateTimeOriginal: '2002-01-01T01:00:00' }],
    ['exif', { CreateDate: '2003:01:01 01:00:00' }],
    ['XMP-exif', { DateTimeDigitized: '2004-01-01T01:00:00' }],
    ['iptc', { DateCreated: '20050101', TimeCreated: '010000' }],
    ['iptc', { DigitalCreationDate: '20060101', DigitalCreationTime: '010000' }],
    ['XMP-photoshop', { DateCreated: '2007-01-01T01:00:00' }],
    ['XMP-xmp', { CreateDate: '2008-01-01T01:00:00' }],
    ['ihdr', { 'Creation Time': '2009:01:01 01:00:00' }],
    ['ifd0', { ModifyDate: '2010:01:01 01:00:00' }],
    ['XMP-tiff', { DateTime: '2011-01-01T01:00:00' }],
    ['XMP-xmp', { ModifyDate: '2012-01-01T01:00:00' }],
  ]
  for (const start of dates.keys()) {
    const tags: Record<string, Record<string, unknown>> = { exif: { DateTimeOriginal: '0000:00:00 00:00:00' } }
    for (const [group, values] of dates.slice(start).reverse()) tags[group] = { ...tags[group], ...values }
    const { dateTaken, metadata } = readFacts(tags)
    expect(dateTaken).toBe(`${2001 + start}-01-01T01:00:00`)
    expect(metadata?.ModifyDate).toBe(start < 9 ? undefined : dateTaken)
    expect(metadata?.DateTimeOriginal).toBe(start < 2 ? dateTaken : undefined)
  }
  expect(readFacts({ iptc: { DateCreated: '20050101' } }).dateTaken).toBeNull()
})

test('texts and dates that are there twice are those that come first', () => {
  const tags = {
    'XMP-tiff': { Make: ['DJI', 'Other'] },
    'XMP-exif': { DateTimeOriginal: ['2016-06-23T16:31:59', '2017-01-01T00:00:00'] },
  }
  expect(readFacts(tags)).toMatchObject({ dateTaken: '2016-06-23T16:31:59', metadata: { Make: 'DJI' } })
  const gpano = { ProjectionType: ['equirectangular', 'cylindrical'], UsePanoramaViewer: ['True', 'True'] }
  expect(readFacts({ 'XMP-GPano': gpano }).metadata?.panorama).toEqual({ ProjectionType: 'equirectangular' })
})

test('bytes that are no photo say nothing, and do not stop the reader', async () => {
  const reader = startMetadataReader()
  const nothing = readFacts({})
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 10, maxLength: 500 }), async (bytes) => {
      const head = Buffer.concat([Buffer.from('ffd8ffe10100457869660000', 'hex'), Buffer.from(bytes)])
      expect(Object.keys((await reader.read(head, false)).facts)).toEqual(Object.keys(nothing))
    }),
    { numRuns: 50 },
  )
  const good = (await reader.read(await dronePhoto({ latitude: 46.8426071, longitude: -91.9945599 }), false)).facts
  expect(good).toMatchObject({ latitude: '46.8426071', longitude: '-91.9945599' })
  await reader.stop()
})

test.each([
  ['too much of the processor', { cpuMs: 300, wallMs: 60_000 }, './fixtures/busy-thread.ts'],
  ['too long', { cpuMs: 60_000, wallMs: 300 }, './fixtures/silent-thread.ts'],
  ['the thread with it', { cpuMs: 60_000, wallMs: 600_000 }, './fixtures/exiting-thread.ts'],
])(
  'a file that takes %s is given up with its thread, and so is the next, and that is no outage',
  async (_what, limits, script) => {
    const reader = startMetadataReader(limits, new URL(script, import.meta.url))
    const photo = await dronePhoto({ latitude: 1, longitude: 1 })
    for (let time = 0; time < 2; time += 1) {
      const error = await reader.read(photo, false).catch((reason) => reason)
      expect(error).toBeInstanceOf(UnreadableMetadataError)
      expect(isUnavailable(error)).toBe(false)
    }
    await reader.stop()
  },
)

test('a thread that ends between two files is replaced', async () => {
  const started = once(process, 'worker')
  const reader = startMetadataReader()
  const photo = await dronePhoto({ latitude: 46.8426071, longitude: -91.9945599 })
  const facts = (await reader.read(photo, false)).facts
  const [thread] = await started
  await thread.terminate()
  expect((await reader.read(photo, false)).facts).toEqual(facts)
  await reader.stop()
})

test('a thread that ends before it is ready fails its file alone', async () => {
  const reader = startMetadataReader(undefined, new URL('data:text/javascript,'))
  const read = () => reader.read(Buffer.alloc(10), false)
  await expect(read()).rejects.toThrow('the thread ended')
  await expect(read()).rejects.toThrow('the thread ended')
  await reader.stop()
})

test('the aircraft is a hash of maker and serial number', () => {
  const aircraftOf = (tags: Parameters<typeof readFacts>[0]) => readFacts(tags).aircraft
  const dji = { ifd0: { Make: 'DJI' }, 'XMP-drone-dji': { DroneSerialNumber: '1581F432A987654' } }
  const aircraft = aircraftOf(dji)
  expect(aircraft).toMatch(/^[\w-]{22}$/)
  // Of the aircraft before that of its camera: one aircraft has several.
  expect(aircraftOf({ ...dji, exif: { SerialNumber: 'camera 1' } })).toBe(aircraft)
  expect(aircraftOf({ ...dji, ifd0: { Make: 'Autel' } })).not.toBe(aircraft)
  const autel = aircraftOf({ ifd0: { Make: 'Autel Robotics' }, exif: { SerialNumber: 'A12\0junk' } })
  expect(autel).not.toBe(aircraft)
  const make = { ifd0: { Make: 'Autel Robotics' } }
  expect(aircraftOf({ ...make, 'XMP-exifEX': { BodySerialNumber: 'A12' } })).toBe(autel)
  expect(aircraftOf({ ...make, 'XMP-aux': { SerialNumber: 'A12' } })).toBe(autel)
  expect(aircraftOf({ ifd0: { ...make.ifd0, CameraSerialNumber: 'A12' } })).toBe(autel)
})

test.each(['', '0', '0000-0000', 'Unknown', 'n/a', ' \0'])('the serial number %j is none', (SerialNumber) => {
  expect(readFacts({ exif: { SerialNumber } }).aircraft).toBeNull()
  expect(readFacts({ exif: { SerialNumber }, 'XMP-aux': { SerialNumber: '7' } }).aircraft).not.toBeNull()
})
