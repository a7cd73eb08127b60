import { expect, test } from 'vitest'
import type { Photo } from '../src/api/types.ts'
import { planExport } from '../src/features/flights/export-pictures.ts'
import { fileNameOf, writeKml, writeWorldFile } from '../src/features/flights/picture-files.ts'
import type { Position } from '../src/lib/geography.ts'
import { drawingOrder, groundCorners, groundPicture } from '../src/map/ground/ground-picture.ts'

interface Shot extends Partial<Position> {
  id?: number
  pitch?: number
  heading?: number
  height?: number
  filesize?: number
  thumbnailUrl?: string | null
}

/** A photo of 4000 × 2250 pixels, which from 40 m straight above shows 69.252 × 38.954 m: the sensor is 6.25 mm wide, the lens has 3.61 mm. */
function photo({ latitude = 0, longitude = 0, pitch = -90, heading = 0, height = 40, ...more }: Shot = {}): Photo {
  const drone = { RelativeAltitude: height, GimbalPitchDegree: pitch }
  return {
    ...{ id: 1, filename: 'a.jpg', filesize: 5_000_000, url: '/a.jpg', thumbnailUrl: '/t.webp', projection: null },
    ...{ latitude: String(latitude), longitude: String(longitude), width: 4000, height: 2250 },
    metadata: { Model: 'FC300S', FocalLength: 3.61, heading, drone },
    ...more,
  } as Photo
}

function cornersOf(shot: Shot): Position[] {
  const picture = groundPicture(photo(shot))
  if ('reason' in picture) throw new Error(picture.reason)
  return groundCorners(picture)
}

const overlay = (shot: Shot, name = 'Pier') => ({ name, path: 'files/1.jpg', corners: cornersOf(shot) })

/** The corners of the first overlay of a document. */
function quadOf(kml: string): number[][] {
  const [, text = ''] = /<gx:LatLonQuad><coordinates>([^<]+)</.exec(kml) ?? []
  return text.split(' ').map((corner) => corner.split(',').map(Number))
}

const METRES_PER_DEGREE = 111_319.49
const near = (value: number) => expect.closeTo(value, 6)
const at = (east: number, north: number) => [near(east / METRES_PER_DEGREE), near(north / METRES_PER_DEGREE)]

test('an overlay has the corners counter-clockwise from the lower left of the picture', () => {
  expect(quadOf(writeKml('Flight', [overlay({})]))).toEqual([
    at(-34.626, -19.477),
    at(34.626, -19.477),
    at(34.626, 19.477),
    at(-34.626, 19.477),
  ])
  // To the east: the lower left of the picture is in the north-west.
  expect(quadOf(writeKml('Flight', [overlay({ heading: 90 })]))[0]).toEqual(at(-19.477, 34.626))
})

test('an overlay of an oblique picture widens towards the far ground', () => {
  expect(quadOf(writeKml('Flight', [overlay({ pitch: -45 })]))).toEqual([
    at(-32.933, 13.802),
    at(32.933, 13.802),
    at(95.442, 115.924),
    at(-95.442, 115.924),
  ])
})

test('an overlay across the date line stays in one piece, and one beyond it is where it belongs', () => {
  const longitudes = (shot: Shot) => quadOf(writeKml('Flight', [overlay(shot)])).map(([longitude]) => longitude)
  expect(longitudes({ longitude: 180 })).toEqual([179.999689, 180.000311, 180.000311, 179.999689].map(near))
  expect(longitudes({ longitude: -180 })).toEqual([-180.000311, -179.999689, -179.999689, -180.000311].map(near))
  // The lower edge is 13.8 m ahead of the camera, which is on the line.
  const beyond = longitudes({ longitude: 180, pitch: -45, heading: 90 })
  expect(beyond).toEqual([-179.999876, -179.999876, -179.998959, -179.998959].map(near))
  const toTheWest = longitudes({ longitude: -180, pitch: -45, heading: 270 })
  expect(toTheWest).toEqual([179.999876, 179.999876, 179.998959, 179.998959].map(near))
})

test('a document keeps the order of its pictures, and any title', () => {
  const kml = writeKml('Lake & <shore>', [overlay({}, 'first'), overlay({}, 'A\u0000\u000b\ud800 < B & "C"')])
  expect(kml).toContain('<Document><name>Lake &amp; &lt;shore&gt;</name>')
  expect(kml).toContain('<name>first</name><drawOrder>0</drawOrder><Icon><href>files/1.jpg</href></Icon>')
  expect(kml).toContain('<name>A\ufffd &lt; B &amp; "C"</name><drawOrder>1</drawOrder>')
})

/** The numbers of a world file in their order. */
const worldFile = (shot: Shot, size = { width: 4000, height: 2250 }) => {
  const lines = writeWorldFile(cornersOf(shot), size).split('\n')
  expect(lines.pop()).toBe('')
  return lines.map(Number)
}

test('a world file tells the size of a pixel and the middle of the first one, in metres of Web Mercator', () => {
  const pixel = 69.252 / 4000
  const [x, y] = [-34.626 + pixel / 2, 19.477 - pixel / 2]
  const numbers = [pixel, 0, 0, -pixel, x, y].map((value) => expect.closeTo(value, 3))
  expect(worldFile({})).toEqual(numbers)
  expect(worldFile({}, { width: 2000, height: 1125 })[0]).toBeCloseTo(2 * pixel, 6)
  // To the east, columns go south and rows go west.
  const turned = worldFile({ heading: 90 })
  expect(turned).toEqual(
    [0, -pixel, -pixel, 0, 19.477 - pixel / 2, 34.626 - pixel / 2].map((v) => expect.closeTo(v, 3)),
  )
  // At 60 degrees north Web Mercator is twice as large, and 60 degrees north are 8,399,737.89 m.
  const north = worldFile({ latitude: 60 })
  expect(north[0]).toBeCloseTo(2 * pixel, 5)
  expect((north[5] ?? 0) + 1124.5 * (north[3] ?? 0)).toBeCloseTo(8_399_737.89, 2)
})

test('a world file goes on beyond the edge of the map', () => {
  const [, , , , x = 0] = worldFile({ longitude: -180 })
  expect(x).toBeCloseTo(-20_037_508.343 - 34.617, 2)
})

test('names of files are safe, unique and in order', () => {
  expect(fileNameOf('DJI_0018', 7, 120)).toBe('007 DJI_0018')
  expect(fileNameOf('../../etc: "a" \\ b?\n', 1, 9)).toBe('1 .._.._etc_ _a_ _ b_')
  expect(fileNameOf('', 2, 2)).toBe('2')
  expect(fileNameOf('Lac Léman\u202e 湖 🚁', 1, 1)).toBe('1 Lac Léman_ 湖 _')
  expect(fileNameOf('x'.repeat(300), 1, 1)).toHaveLength(52)
})

test('straight pictures are drawn above oblique ones, newer above older', () => {
  const drawn = [
    { id: 1, tilt: 14, takenAt: '2026-06-01T10:00:02' },
    { id: 2, tilt: 0, takenAt: '2026-06-01T10:00:01' },
    { id: 3, tilt: 50, takenAt: '2026-06-01T10:00:09' },
    { id: 4, tilt: 70, takenAt: '2026-06-01T10:00:03' },
    { id: 5, tilt: 0, takenAt: null },
    { id: 6, tilt: -1, takenAt: '2026-06-01T10:00:02' },
  ]
  expect(drawn.toSorted(drawingOrder).map(({ id }) => id)).toEqual([4, 3, 5, 2, 1, 6])
})

test('a plan says why photos are left out', () => {
  const photos = [photo(), photo({ pitch: -84 }), photo({ height: 0 }), photo({ height: -1 }), photo({ pitch: -5 })]
  const noPreview = photo({ thumbnailUrl: null })
  const kmz = planExport('kmz', [...photos, noPreview])
  expect(kmz.photos.map(({ photo }) => photo)).toEqual(photos.slice(0, 2))
  expect(Object.fromEntries(kmz.leftOut)).toEqual({
    'Taken at or below the height of take-off: the ground in the picture is not known': 2,
    'The camera looked too far ahead': 1,
    'This photo has no preview': 1,
  })
  const plans = planExport('world-files', photos)
  expect(plans.photos).toHaveLength(1)
  expect(plans.leftOut.get('The camera did not look straight down')).toBe(1)
})

test('a file has at most 1,000 pictures, and previews of originals that are too large together', () => {
  const many = Array.from({ length: 1003 }, (_, id) => photo({ id }))
  const plan = planExport('world-files', many)
  expect(plan.photos.map(({ photo }) => photo.id)).toEqual(many.slice(0, 1000).map(({ id }) => id))
  expect(Object.fromEntries(plan.leftOut)).toEqual({ 'One file has up to 1,000 pictures': 3 })
  expect(plan.isReduced).toBe(true)
  expect(planExport('world-files', many.slice(0, 400)).isReduced).toBe(false)
  expect(planExport('kmz', many).isReduced).toBe(false)
})
