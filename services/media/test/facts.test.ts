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
  expect(readFacts({ 'XMP-Camera': { Pitch: '0.0' } }).metadata).toBeNull()
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
