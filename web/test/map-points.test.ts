import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Area, formatArea, parseArea, parseCircle } from '../src/lib/geography.ts'
import {
  acrossDateLine,
  areaBetween,
  extentOf,
  intersection,
  isWithin,
  nameOf,
  placeOf,
  placePoint,
  pointsOfPhotos,
} from '../src/map/points.ts'

const degrees = (min: number, max: number) => fc.double({ min, max, noNaN: true })
const positions = fc.array(fc.record({ latitude: degrees(-90, 90), longitude: degrees(-180, 180) }), { maxLength: 40 })
const photosAt = (places: { latitude: number; longitude: number }[]) =>
  places.map(({ latitude, longitude }, index) => ({
    id: index + 1,
    title: `Photo ${index + 1}`,
    smallUrl: null,
    thumbnailUrl: null,
    previewUrl: null,
    thumbhash: null,
    city: null,
    state: null,
    latitude: String(latitude),
    longitude: String(longitude),
  }))

/** By less than anybody sees: numbers are not exact. */
const widened = ({ west, south, east, north }: Area): Area => ({
  west: west - 1e-9,
  south: south - 1e-9,
  east: east + 1e-9,
  north: north + 1e-9,
})

async function countOf(source: ReturnType<typeof pointsOfPhotos>, z: number): Promise<number> {
  const side = 2 ** z
  const tiles = Array.from({ length: side * side }, (_, index) =>
    source.tile(z, index % side, Math.floor(index / side)),
  )
  return (await Promise.all(tiles)).flat().reduce((sum, { count }) => sum + count, 0)
}

test('each photo with a position is on exactly one tile, also at the poles and the date line', async () => {
  await fc.assert(
    fc.asyncProperty(positions, fc.integer({ min: 0, max: 3 }), async (places, z) => {
      const source = pointsOfPhotos(photosAt(places))
      return (await countOf(source, z)) === places.length && source.count === places.length
    }),
  )
  const edges = [
    { latitude: 90, longitude: 180 },
    { latitude: -90, longitude: -180 },
    { latitude: 0, longitude: 0 },
  ]
  expect(await countOf(pointsOfPhotos(photosAt(edges)), 2)).toBe(3)
})

test('a point is within the cell that it stands for, and its cell has its photos', async () => {
  await fc.assert(
    fc.asyncProperty(positions, async (places) => {
      const photos = photosAt(places.filter(({ latitude }) => Math.abs(latitude) < 85))
      const source = pointsOfPhotos(photos)
      const tile = { z: 0, x: 0, y: 0 }
      const points = (await source.tile(0, 0, 0)).map((point) => placePoint(tile, point))
      return points.every(({ cell, position, photo }) => {
        const { latitude, longitude } = photos.find(({ id }) => id === photo.id) ?? {}
        const at = { latitude: Number(latitude), longitude: Number(longitude) }
        return isWithin(position, widened(cell)) && isWithin(at, widened(cell))
      })
    }),
  )
})

test('photos without a position, and those that no number describes, are left out', () => {
  const [photo] = photosAt([{ latitude: 1, longitude: 2 }])
  const source = pointsOfPhotos([
    { ...photo, latitude: null },
    { ...photo, longitude: 'x' },
  ] as never)
  expect(source).toMatchObject({ count: 0, extent: null })
})

test('a photo has its small picture, and a DNG without one the preview of its camera', async () => {
  const urls = { smallUrl: null, thumbnailUrl: null, previewUrl: '/preview' }
  const smallOf = async (more: object) => {
    const photos = photosAt([{ latitude: 1, longitude: 1 }]).map((photo) => ({ ...photo, ...urls, ...more }))
    return (await pointsOfPhotos(photos).tile(0, 0, 0)).map(({ photo }) => photo.smallUrl)
  }
  expect(await smallOf({})).toEqual(['/preview'])
  expect(await smallOf({ smallUrl: '/small', thumbnailUrl: '/thumbnail' })).toEqual(['/small'])
  expect(await smallOf({ thumbnailUrl: '/thumbnail' })).toEqual([null])
})

test('a photo is named by title and place, and several by their number and what their places have in common', async () => {
  type Place = { city: string | null; state: string | null }
  const textOf = async (...places: Place[]) => {
    const photos = photosAt(places.map(() => ({ latitude: 1, longitude: 1 })))
    const [point] = await pointsOfPhotos(photos.map((photo, index) => ({ ...photo, ...places[index] }))).tile(0, 0, 0)
    return point && [nameOf(point), placeOf(point)]
  }
  const [reine, bodo] = ['Reine', 'Bodø'].map((city) => ({ city, state: 'Nordland' })) as [Place, Place]
  const unknown = { city: null, state: null }
  expect(await textOf(reine)).toEqual(['Photo 1', 'Reine, Nordland'])
  expect(await textOf(unknown)).toEqual(['Photo 1', null])
  expect(await textOf(reine, reine, reine)).toEqual(['3 photos', 'Reine, Nordland'])
  expect(await textOf(reine, unknown)).toEqual(['2 photos', 'Reine, Nordland'])
  expect(await textOf(reine, bodo)).toEqual(['2 photos', 'Nordland'])
  expect(await textOf(reine, { city: 'Oulu', state: 'Finland' })).toEqual([
    '2 photos',
    'Reine, Nordland, and other places',
  ])
  expect(await textOf(unknown, unknown)).toEqual(['2 photos', null])
})

test('the position on a repeated world is beyond the date line, and the cell is on the first one', () => {
  const photo = { id: 1, title: '', place: null, smallUrl: null, thumbnailUrl: null, thumbhash: null }
  const { position, cell } = placePoint({ z: 1, x: 2, y: 0 }, { x: 2048, y: 2048, count: 2, place: null, photo })
  expect(position.longitude).toBeCloseTo(270, 0)
  expect([cell.west, cell.east]).toEqual([-90, -67.5])
  const atDateLine = (x: number) => placePoint({ z: 1, x, y: 0 }, { x: 0, y: 2048, count: 2, place: null, photo })
  expect([atDateLine(2).cell, atDateLine(-2).cell]).toEqual([atDateLine(0).cell, atDateLine(0).cell])
  const [coarse, fine] = [0, 14].map((z) => {
    return placePoint({ z, x: 0, y: 0 }, { x: 0, y: 2048, count: 1, place: null, photo }).decimals
  })
  expect([coarse, fine]).toEqual([1, 5])
})

test('the extent is the narrowest, across the date line where that is shorter', () => {
  const at = (...longitudes: number[]) => extentOf(longitudes.map((longitude) => ({ latitude: 1, longitude })))
  expect(at(179, -178)).toMatchObject({ west: 179, east: -178 })
  expect(at(-10, 20, 5)).toMatchObject({ west: -10, east: 20 })
  expect(at(7)).toEqual({ west: 7, east: 7, south: 1, north: 1 })
  expect(extentOf([])).toBeNull()
  fc.assert(
    fc.property(positions, (places) => {
      const extent = extentOf(places)
      return extent === null ? places.length === 0 : places.every((place) => isWithin(place, extent))
    }),
  )
})

test('a track across the date line stays together', () => {
  const at = (...longitudes: number[]) =>
    acrossDateLine(longitudes.map((longitude) => ({ latitude: 1, longitude }))).map(({ longitude }) => longitude)
  expect(at(179.5, -179.5, -179, 179)).toEqual([179.5, 180.5, 181, 179])
  expect(at(-179, -100)).toEqual([-179, -100])
  expect(at()).toEqual([])
})

test('areas are rounded outwards, and come back from their text', () => {
  fc.assert(
    fc.property(degrees(-179, 0), degrees(-80, 0), degrees(0, 179), degrees(0, 80), (west, south, east, north) => {
      const area = parseArea(formatArea({ west, south, east, north }))
      if (!area) return false
      const { west: w, south: s, east: e, north: n } = widened(area)
      return w <= west && s <= south && e >= east && n >= north
    }),
  )
  expect(formatArea({ west: 170.1, south: -20, east: -170.1, north: -10 })).toBe('170.1,-20,-170.1,-10')
  expect(areaBetween(-500, -10, 500, 10)).toEqual({ west: -180, south: -10, east: 180, north: 10 })
  expect(areaBetween(170, -10, 190, 10)).toEqual({ west: 170, south: -10, east: -170, north: 10 })
  expect(parseCircle('1,2,3')).toEqual({ latitude: 1, longitude: 2, metres: 3 })
  expect(intersection({ west: 0, south: 0, east: 2, north: 2 }, { west: 1, south: -1, east: 3, north: 1 })).toEqual({
    west: 1,
    south: 0,
    east: 2,
    north: 1,
  })
})
