import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gunzipSync, gzipSync } from 'node:zlib'
import { VectorTile, type VectorTileLayer } from '@mapbox/vector-tile'
import { sendRequest } from '@skyfolio/kit'
import { baseMapStatus } from '@skyfolio/proto'
import { PbfReader } from 'pbf'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mapLabels } from '../scripts/map-labels.ts'
import { encodeMap, MAP_FILE, MAP_MAX_ZOOM, openBaseMap, tileNumber } from '../src/base-map/map-file.ts'
import { startTestMedia, type TestMedia, user, visitor } from './support.ts'

const folder = mkdtempSync(join(tmpdir(), 'base-map-'))
const map = openBaseMap(MAP_FILE)
afterAll(async () => {
  await map.close()
  rmSync(folder, { recursive: true })
})

/** The largest tiles that a phone should load. */
const MAX_TILE_BYTES = 60_000
const MAX_FILE_BYTES = 25_000_000

/** The tile that contains a position in degrees. */
function tileAt(z: number, latitude: number, longitude: number): [z: number, x: number, y: number] {
  const [x, y] = mercator(latitude, longitude)
  return [z, Math.floor(x * 2 ** z), Math.floor(y * 2 ** z)]
}

function mercator(latitude: number, longitude: number): [x: number, y: number] {
  const sine = Math.sin((latitude * Math.PI) / 180)
  return [longitude / 360 + 0.5, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)]
}

function decode(bytes: Uint8Array) {
  const { layers } = new VectorTile(new PbfReader(bytes))
  const features = (name: string) => {
    const layer = layers[name]
    return Array.from({ length: layer?.length ?? 0 }, (_, index) => layer?.feature(index)).filter((found) => !!found)
  }
  const places = features('places').map(({ properties }) => properties as Record<'kind' | 'name', string>)
  return { layers, land: features('land'), borders: features('boundaries'), places }
}

async function decodedTile(z: number, latitude: number, longitude: number) {
  const bytes = await map.tile(...tileAt(z, latitude, longitude))
  if (!bytes) throw new Error('there is no such tile')
  return decode(gunzipSync(bytes))
}

/** Of the heap and of buffers, without garbage: when that is collected depends on the machine. */
function bytesInUse(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** What is drawn last at a position: land or shores, rather than nothing or water. */
async function isLandAt(z: number, latitude: number, longitude: number): Promise<boolean> {
  const [, column, row] = tileAt(z, latitude, longitude)
  const [x, y] = mercator(latitude, longitude)
  const point = { x: (x * 2 ** z - column) * 4096, y: (y * 2 ** z - row) * 4096 }
  const bytes = await map.tile(z, column, row)
  if (!bytes) return false
  const { layers } = decode(gunzipSync(bytes))
  const covers = (name: string) => polygonsOf(layers[name]).some((rings) => isInside(rings, point))
  return covers('shores') || (covers('land') && !covers('water'))
}

function polygonsOf(layer: VectorTileLayer | undefined) {
  return Array.from({ length: layer?.length ?? 0 }, (_, index) => layer?.feature(index).loadGeometry() ?? [])
}

interface Point {
  x: number
  y: number
}

function isInside(rings: Point[][], { x, y }: Point): boolean {
  const edges = rings.flatMap((ring) => ring.slice(1).map((to, index) => [ring[index] ?? to, to] as const))
  const crossed = edges.filter(([a, b]) => a.y > y !== b.y > y && x < a.x + ((y - a.y) / (b.y - a.y)) * (b.x - a.x))
  return crossed.length % 2 === 1
}

describe('the base map', () => {
  test('has land, borders and names of the world in vector tiles', async () => {
    const world = await decodedTile(0, 0, 0)
    expect(Object.keys(world.layers)).toEqual(['land', 'water', 'shores', 'boundaries'])
    for (const layer of Object.values(world.layers)) expect([layer?.version, layer?.extent]).toEqual([2, 4096])
    const northAmerica = await decodedTile(1, 40, -100)
    expect(northAmerica.places).toContainEqual({ kind: 'country', name: 'United States', minzoom: 1 })
  })

  test('names Duluth, its neighbours and its county, and draws the borders of state and counties', async () => {
    const { places, borders } = await decodedTile(MAP_MAX_ZOOM, 46.78, -92.1)
    expect(places).toContainEqual({ kind: 'city', name: 'Duluth', minzoom: expect.any(Number) })
    expect(places).toContainEqual({ kind: 'city', name: 'Superior', minzoom: expect.any(Number) })
    expect(places).toContainEqual({ kind: 'county', name: 'Carlton County', minzoom: expect.any(Number) })
    expect(new Set(borders.map(({ properties }) => properties.kind))).toEqual(new Set(['state', 'county']))
  })

  test.each([
    ['Wisconsin', 44.5, -90, true],
    ['Duluth', 46.8, -92.15, true],
    ['Lake Superior off Duluth', 46.85, -91.7, false],
    ['Lake Michigan', 43.5, -87, false],
    ['Beaver Island in Lake Michigan', 45.65, -85.55, true],
    ['the Black Sea', 43, 34, false],
    ['Tasmania', -42, 146.5, true],
  ])('%s: land %s', async (_name, latitude, longitude, isLand) => {
    for (const z of [4, MAP_MAX_ZOOM]) expect(await isLandAt(z, latitude, longitude)).toBe(isLand)
  })

  test('draws the borders of states from zoom 3 and of counties from zoom 6', async () => {
    const kinds = async (z: number) =>
      new Set((await decodedTile(z, 39, -95)).borders.map((line) => line.properties.kind))
    expect([await kinds(2), await kinds(3), await kinds(6)]).toEqual([
      new Set(['country']),
      new Set(['country', 'state']),
      new Set(['state', 'county']),
    ])
  })

  test('has no seam between neighbours: land of one piece across the border of two countries', async () => {
    const { land } = await decodedTile(7, 49, -105)
    expect(land.length).toBe(1)
    expect(land[0]?.loadGeometry().map((ring) => ring.length)).toEqual([5])
  })

  test('stays within its sizes, in tiles and as a file', async () => {
    const sizes: number[] = []
    for (let z = 0; z <= MAP_MAX_ZOOM; z++) {
      for (let x = 0; x < 2 ** z; x++) {
        for (let y = 0; y < 2 ** z; y++) sizes.push((await map.tile(z, x, y))?.length ?? 0)
      }
    }
    expect(Math.max(...sizes)).toBeLessThan(MAX_TILE_BYTES)
    expect(new Set(sizes).has(0)).toBe(true)
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(MAX_FILE_BYTES)
  })

  test('is read without memory of its own', async () => {
    const before = bytesInUse()
    for (let x = 0; x < 128; x++) for (let y = 30; y < 60; y++) await map.tile(7, x, y)
    expect(bytesInUse() - before).toBeLessThan(5_000_000)
  })
})

describe('the file', () => {
  const version = '0123456789abcdef'

  test('returns what was written, and stores equal tiles once', async () => {
    const file = join(folder, 'written.bin')
    const [one, two] = [gzipSync('one'), gzipSync('two')]
    const tiles = new Map([
      [tileNumber(0, 0, 0), one],
      [tileNumber(8, 255, 255), two],
      [tileNumber(3, 4, 5), one],
    ])
    writeFileSync(file, encodeMap(version, tiles))
    const written = openBaseMap(file)
    expect(await written.version()).toBe(version)
    expect(await written.tile(0, 0, 0)).toEqual(one)
    expect(await written.tile(3, 4, 5)).toEqual(one)
    expect(await written.tile(8, 255, 255)).toEqual(two)
    expect(await written.tile(3, 5, 4)).toBeNull()
    await written.close()
  })

  test.each([
    [-1, 0, 0],
    [0, 1, 0],
    [3, 0, 8],
    [MAP_MAX_ZOOM + 1, 0, 0],
  ])('has no tile %i/%i/%i', async (z, x, y) => {
    expect(await map.tile(z, x, y)).toBeNull()
  })

  test('is an error when it has another format or ends early', async () => {
    const file = join(folder, 'other.bin')
    await expect(openBaseMap(file).version()).rejects.toThrow('ENOENT')
    writeFileSync(file, 'SKYMAP0'.padEnd(200, ' '))
    await expect(openBaseMap(file).version()).rejects.toThrow('not a base map of this version')
    writeFileSync(file, encodeMap(version, new Map([[0, gzipSync('one')]])))
    truncateSync(file, 1000)
    await expect(openBaseMap(file).tile(8, 255, 255)).rejects.toThrow('ends early')
  })
})

describe('names', () => {
  const city = (name: string, population: number, x: number) => ({ name, population, x, y: 0, region: 'XX.1' })

  test('wait for the zoom at which they have room; the more populous go first', () => {
    const labels = mapLabels([], [city('Small', 200_000, 10.1), city('Large', 6_000_000, 10), city('Far', 200_000, 60)])
    const zooms = Object.fromEntries(labels.map(({ name, minZoom }) => [name, minZoom]))
    expect([zooms.Large, zooms.Far]).toEqual([3, 6])
    // 0.1° are 9.3 pixels at zoom 6 and 74 at zoom 9, which is more than the half of both names.
    expect(zooms.Small).toBe(9)
  })

  test('are left out when they have no room at the last zoom', () => {
    expect(mapLabels([], [city('One', 10, 5), city('Other', 5, 5)]).map(({ name }) => name)).toEqual(['One'])
  })
})

describe('GET /api/map/base/{version}/{z}/{x}/{y}', () => {
  let media: TestMedia
  let base: string
  beforeAll(async () => {
    media = await startTestMedia()
    base = `/api/map/base/${await map.version()}`
  })
  afterAll(() => media.close())

  const get = (path: string, headers: Record<string, string> = {}) => media.call(path, visitor, { headers })
  const IMMUTABLE = 'public, max-age=31536000, immutable'

  test('sends anybody a tile that caches keep for ever', async () => {
    const response = await get(`${base}/0/0/0`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/vnd.mapbox-vector-tile')
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(response.headers.get('cache-control')).toBe(IMMUTABLE)
    expect(response.headers.get('vary')).toBe('accept-encoding')
    expect(decode(new Uint8Array(await response.arrayBuffer())).land.length).toBeGreaterThan(100)
  })

  test('sends it as it is to a client that does not accept gzip', async () => {
    const response = await get(`${base}/0/0/0`, { 'accept-encoding': 'identity' })
    expect(response.headers.get('content-encoding')).toBeNull()
    expect(decode(new Uint8Array(await response.arrayBuffer())).land.length).toBeGreaterThan(100)
  })

  test('is 204 on the open sea', async () => {
    const [z, x, y] = tileAt(8, -45, -120)
    const response = await get(`${base}/${z}/${x}/${y}`)
    expect([response.status, await response.text()]).toEqual([204, ''])
    expect(response.headers.get('cache-control')).toBe(IMMUTABLE)
  })

  test('sends the current tile under the version of another release, for this once', async () => {
    const response = await get('/api/map/base/0123456789abcdef/0/0/0')
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
  })

  test.each(['latest/0/0/0', '0123456789abcdef/9/0/0', '0123456789abcdef/0/-1/0', '0123456789abcdef/1/0/1e0'])(
    '%s is 400',
    async (path) => {
      expect((await get(`/api/map/base/${path}`)).status).toBe(400)
    },
  )

  test('tells the gateway which map there is', async () => {
    const { version, maxZoom } = await sendRequest(media.nats, baseMapStatus, {}, { timeoutMs: 5_000 })
    expect([version, maxZoom]).toEqual([await map.version(), MAP_MAX_ZOOM])
  })

  test('is an error without the file, and the rest of media works', async () => {
    const without = await startTestMedia({ api: { baseMapFile: join(folder, 'missing.bin') } })
    expect((await without.call(`${base}/0/0/0`, visitor)).status).toBe(500)
    expect((await without.call('/api/photos', user(1))).status).toBe(200)
    await without.close()
  })
})
