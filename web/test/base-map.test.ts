import { fromGeojsonVt } from '@maplibre/vt-pbf'
import { afterEach, expect, test, vi } from 'vitest'
import { createBaseTiles, decodeTile, isTooCoarse } from '../src/map/base-tiles.ts'
import { clipLine, clipRing, joinLines, placeAlong } from '../src/map/tile-geometry.ts'

const [POINT, LINE, POLYGON] = [1, 2, 3]
const SQUARE = [
  [
    [0, 0],
    [100, 0],
    [100, 100],
    [0, 100],
    [0, 0],
  ],
]
const STROKE = [
  [
    [0, 0],
    [100, 50],
  ],
]

function feature(type: number, tags: Record<string, string | number | boolean>) {
  const geometry = type === POINT ? [[10, 20]] : type === LINE ? STROKE : SQUARE
  return { type, tags, geometry }
}

function tileOf(layers: Record<string, ReturnType<typeof feature>[]>): Uint8Array {
  const tiles = Object.entries(layers).map(([name, features]) => [name, { features }])
  return fromGeojsonVt(Object.fromEntries(tiles), { version: 2, extent: 4096 })
}

test('a tile in the layers of the Protomaps basemap is read by what is drawn alike', () => {
  const { shapes } = decodeTile(
    tileOf({
      earth: [feature(POLYGON, { kind: 'earth' })],
      landuse: [
        feature(POLYGON, { kind: 'park' }),
        feature(POLYGON, { kind: 'beach' }),
        feature(POLYGON, { kind: 'other' }),
      ],
      water: [feature(POLYGON, { kind: 'lake' }), feature(LINE, { kind: 'river' })],
      buildings: [feature(POLYGON, { kind: 'building' }), feature(POINT, { kind: 'address' })],
      roads: [
        feature(LINE, { kind: 'highway', kind_detail: 'motorway', name: 'A 1' }),
        feature(LINE, { kind: 'minor_road', kind_detail: 'residential', name: 'Liisankatu' }),
        feature(LINE, { kind: 'minor_road', kind_detail: 'service' }),
        feature(LINE, { kind: 'path', kind_detail: 'footway' }),
        feature(LINE, { kind: 'rail', kind_detail: 'tram' }),
        feature(LINE, { kind: 'rail', kind_detail: 'subway', is_tunnel: true }),
        feature(LINE, { kind: 'major_road', is_tunnel: true }),
      ],
      boundaries: [feature(LINE, { kind: 'country' }), feature(LINE, { kind: 'locality' })],
      pois: [feature(POINT, { kind: 'cafe', name: 'Ekberg' })],
    }),
  )
  expect(Object.fromEntries([...shapes].map(([kind, all]) => [kind, all.map(({ name }) => name)]))).toEqual({
    ...{ earth: [''], green: [''], sand: [''], water: [''], stream: [''], building: [''], country: [''] },
    ...{ highway: ['A 1'], minor: ['Liisankatu'], service: [''], path: [''], rail: [''], tunnel: [''] },
  })
})

test('names are in English where there is such a one, the most important first', () => {
  const { labels } = decodeTile(
    tileOf({
      places: [
        feature(POINT, { kind: 'locality', name: 'Espoo', min_zoom: 5, population_rank: 8 }),
        feature(POINT, { kind: 'locality', name: 'Helsinki', min_zoom: 5, population_rank: 11 }),
        feature(POINT, { kind: 'country', name: 'Suomi', 'name:en': 'Finland', min_zoom: 2 }),
        feature(POINT, { kind: 'locality', min_zoom: 1 }),
      ],
      water: [feature(POINT, { kind: 'sea', name: 'Itämeri', 'name:en': 'Baltic Sea', min_zoom: 3 })],
    }),
  )
  expect(labels.map(({ name, kind, from }) => [name, kind, from])).toEqual([
    ['Finland', 'country', 2],
    ['Baltic Sea', 'water', 3],
    ['Helsinki', 'locality', 5],
    ['Espoo', 'locality', 5],
  ])
})

afterEach(() => vi.unstubAllGlobals())

/** A server that has the tiles of these paths, and 204 for all others. */
function serve(paths: string[]): string[] {
  const requests: string[] = []
  vi.stubGlobal('fetch', async (address: string) => {
    const path = address.slice('/base/'.length)
    requests.push(path)
    const bytes = tileOf({ earth: [feature(POLYGON, { kind: 'earth' })] }) as Uint8Array<ArrayBuffer>
    return paths.includes(path) ? new Response(bytes) : new Response(null, { status: 204 })
  })
  return requests
}

const DETAIL = { maxZoom: 15, west: 24.9, south: 60.1, east: 25, north: 60.2 }
/** Tile in the middle of Helsinki, and one in Stockholm, at zoom 17. */
const HELSINKI = [17, 74616, 37940] as const
const STOCKHOLM = [17, 72114, 38516] as const

test('deep tiles are those of the detail within its area, and parts of those of the world elsewhere', async () => {
  const requests = serve(['15/18654/9485', '8/140/75'])
  const tiles = createBaseTiles({ base: '/base', maxZoom: 8, detail: DETAIL })
  expect(await tiles.find(...HELSINKI)).toMatchObject({ z: 15, x: 18654, y: 9485 })
  expect(await tiles.find(...STOCKHOLM)).toMatchObject({ z: 8, x: 140, y: 75 })
  expect(requests).toEqual(['15/18654/9485', '8/140/75'])
})

test('where the detail has no tile it is a part of one of the world, and without a detail nothing else is requested', async () => {
  const requests = serve(['8/145/74'])
  expect(await createBaseTiles({ base: '/base', maxZoom: 8, detail: DETAIL }).find(...HELSINKI)).toMatchObject({ z: 8 })
  expect(await createBaseTiles({ base: '/base', maxZoom: 8, detail: null }).find(...HELSINKI)).toMatchObject({ z: 8 })
  expect(requests).toEqual(['15/18654/9485', '8/145/74', '8/145/74'])
})

test('outlines of the world are not drawn where streets would be seen', () => {
  expect([isTooCoarse(8, 9), isTooCoarse(8, 10), isTooCoarse(15, 18)]).toEqual([false, true, false])
})

test('a ring is cut at the sides of a box', () => {
  const box = [0, 0, 10, 10] as const
  const area = (ring: number[]) => {
    let sum = 0
    for (let at = 0; at < ring.length; at += 2) {
      const next = (at + 2) % ring.length
      sum += (ring[at] as number) * (ring[next + 1] as number) - (ring[next] as number) * (ring[at + 1] as number)
    }
    return Math.abs(sum / 2)
  }
  expect(area(clipRing([-5, -5, 5, -5, 5, 5, -5, 5], box))).toBe(25)
  expect(area(clipRing([-50, -50, 50, -50, 50, 50, -50, 50], box))).toBe(100)
  expect(clipRing([20, 20, 30, 20, 30, 30], box)).toEqual([])
})

test('a line is cut at the sides of a box, into as many parts as it is inside', () => {
  const box = [0, 0, 10, 10] as const
  expect(clipLine([-5, 5, 15, 5], box)).toEqual([[0, 5, 10, 5]])
  expect(clipLine([1, 1, 2, 2, 3, 1], box)).toEqual([[1, 1, 2, 2, 3, 1]])
  expect(clipLine([5, 5, 5, 20, 8, 20, 8, 5], box)).toEqual([
    [5, 5, 5, 10],
    [8, 10, 8, 5],
  ])
  expect(clipLine([20, 0, 20, 10, 30, 10], box)).toEqual([])
})

test('lines are joined at their ends, whichever way they run', () => {
  expect(
    joinLines([
      [0, 0, 1, 0],
      [2, 0, 1, 0],
      [5, 5, 6, 6],
      [2, 0, 3, 0],
    ]),
  ).toEqual([
    [5, 5, 6, 6],
    [0, 0, 1, 0, 2, 0, 3, 0],
  ])
  expect(
    joinLines([
      [0, 0, 1, 0],
      [2, 0, 3, 0],
      [1, 0, 2, 0],
    ]),
  ).toEqual([[0, 0, 1, 0, 2, 0, 3, 0]])
  expect(joinLines([[0, 0, 1, 0, 1, 1, 0, 0]])).toEqual([[0, 0, 1, 0, 1, 1, 0, 0]])
})

test('the name of a road stands in the middle of its longest straight stretch, never upside down', () => {
  expect(placeAlong([0, 0, 50, 1, 100, 0, 100, 80], 60)).toEqual({ x: 50, y: 0, angle: 0 })
  expect(placeAlong([100, 0, 50, 1, 0, 0], 60)).toEqual({ x: 50, y: 0, angle: 0 })
  expect(placeAlong([0, 100, 0, 0], 60)?.angle).toBeCloseTo(-Math.PI / 2)
  expect(placeAlong([0, 0, 0, 100], 60)?.angle).toBeCloseTo(-Math.PI / 2)
})

test('a road has no name where it bends, turns back or is short', () => {
  expect(placeAlong([0, 0, 30, 20, 60, 0, 90, 20], 60)).toBeNull()
  expect(placeAlong([0, 0, 55, 0, 10, 0], 60)).toBeNull()
  expect(placeAlong([0, 0, 59, 0], 60)).toBeNull()
})
