import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gunzipSync } from 'node:zlib'
import { VectorTile, type VectorTileLayer } from '@mapbox/vector-tile'
import { createLogger, openObjectStore, sendRequest } from '@skyfolio/kit'
import { baseMapStatus } from '@skyfolio/proto'
import { hasMinio, MINIO_CREDENTIALS, startMinio } from '@skyfolio/testkit'
import { PbfReader } from 'pbf'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { mapLabels } from '../scripts/map-labels.ts'
import { openBaseMap, WORLD_FILE } from '../src/base-map/base-map.ts'
import { mercator, pmtilesOf, tileAt } from './fixtures/streets.ts'
import { startTestMedia, type TestMedia, user, visitor } from './support.ts'

const folder = mkdtempSync(join(tmpdir(), 'base-map-'))
const MAX_ZOOM = 8
const logger = createLogger('test', 'silent')
const store = await openObjectStore({ objectStoreDir: join(folder, 'objects'), s3Region: '' })
const map = openBaseMap({ world: WORLD_FILE, store, logger })
afterAll(async () => {
  await map.close()
  rmSync(folder, { recursive: true })
})

/** The largest tiles that a phone should load. */
const MAX_TILE_BYTES = 60_000
const MAX_FILE_BYTES = 25_000_000

function decode(bytes: Uint8Array) {
  const { layers } = new VectorTile(new PbfReader(bytes))
  const features = (name: string) => {
    const layer = layers[name]
    return Array.from({ length: layer?.length ?? 0 }, (_, index) => layer?.feature(index)).filter((found) => !!found)
  }
  const places = features('places').map(({ properties }) => properties as Record<'kind' | 'name', string>)
  return { layers, land: features('earth'), borders: features('boundaries'), places }
}

async function decodedTile(z: number, latitude: number, longitude: number) {
  const tile = await map.tile(...tileAt(z, latitude, longitude))
  if (!tile) throw new Error('there is no such tile')
  return decode(gunzipSync(tile.bytes))
}

/** Of the heap and of buffers, without garbage: when that is collected depends on the machine. */
function bytesInUse(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

async function isLandAt(z: number, latitude: number, longitude: number): Promise<boolean> {
  const [, column, row] = tileAt(z, latitude, longitude)
  const [x, y] = mercator(latitude, longitude)
  const point = { x: (x * 2 ** z - column) * 4096, y: (y * 2 ** z - row) * 4096 }
  const tile = await map.tile(z, column, row)
  return (
    tile !== null && polygonsOf(decode(gunzipSync(tile.bytes)).layers.earth).some((rings) => isInside(rings, point))
  )
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
    expect(Object.keys(world.layers)).toEqual(['earth', 'boundaries'])
    for (const layer of Object.values(world.layers)) expect([layer?.version, layer?.extent]).toEqual([2, 4096])
    const northAmerica = await decodedTile(1, 40, -100)
    expect(northAmerica.places).toContainEqual({ kind: 'country', name: 'United States', min_zoom: 1 })
  })

  test('names Duluth, its neighbours and its county, and draws the borders of state and counties', async () => {
    const { places, borders } = await decodedTile(MAX_ZOOM, 46.78, -92.1)
    expect(places).toContainEqual({ kind: 'locality', name: 'Duluth', min_zoom: expect.any(Number) })
    expect(places).toContainEqual({ kind: 'locality', name: 'Superior', min_zoom: expect.any(Number) })
    expect(places).toContainEqual({ kind: 'county', name: 'Carlton County', min_zoom: expect.any(Number) })
    expect(new Set(borders.map(({ properties }) => properties.kind))).toEqual(new Set(['region', 'county']))
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
    for (const z of [4, MAX_ZOOM]) expect(await isLandAt(z, latitude, longitude)).toBe(isLand)
  })

  test('draws the borders of states from zoom 3 and of counties from zoom 6', async () => {
    const kinds = async (z: number) =>
      new Set((await decodedTile(z, 39, -95)).borders.map((line) => line.properties.kind))
    expect([await kinds(2), await kinds(3), await kinds(6)]).toEqual([
      new Set(['country']),
      new Set(['country', 'region']),
      new Set(['region', 'county']),
    ])
  })

  test('has no seam between neighbours: land of one piece across the border of two countries', async () => {
    const { land } = await decodedTile(7, 49, -105)
    expect(land.length).toBe(1)
    expect(land[0]?.loadGeometry().map((ring) => ring.length)).toEqual([5])
  })

  test('stays within its sizes, in tiles and as a file', async () => {
    const sizes: number[] = []
    for (let z = 0; z <= MAX_ZOOM; z++) {
      for (let x = 0; x < 2 ** z; x++) {
        for (let y = 0; y < 2 ** z; y++) sizes.push((await map.tile(z, x, y))?.bytes.length ?? 0)
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

/** An archive with these tiles, each of which has its name as a text. */
function archiveOf(names: [z: number, x: number, y: number][], { attribution = '' } = {}): Promise<Buffer> {
  return pmtilesOf(
    names.map((tile) => [...tile, Buffer.from(tile.join('/'))]),
    attribution,
  )
}

const put = (key: string, bytes: Buffer) =>
  store.put(key, Readable.from([bytes]), { contentType: 'application/vnd.pmtiles' })

describe('archives', () => {
  const OSM = '<a href="https://www.openstreetmap.org/copyright">&copy; OpenStreetMap</a>'
  const text = async (base: Pick<typeof map, 'tile'>, ...tile: [number, number, number]) => {
    const found = await base.tile(...tile)
    return found && gunzipSync(found.bytes).toString()
  }

  test('tiles of the zooms that the world does not have are those of the detail, a file or an object of the store', async () => {
    const world = join(folder, 'world.pmtiles')
    writeFileSync(
      world,
      await archiveOf(
        [
          [0, 0, 0],
          [1, 1, 0],
        ],
        { attribution: 'Example' },
      ),
    )
    const detail = await archiveOf(
      [
        [0, 0, 0],
        [14, 5, 6],
        [15, 10, 12],
      ],
      { attribution: OSM },
    )
    await put('maps/city', detail)
    const inStore = openBaseMap({ world, detail: 'store:maps/city', store, logger })
    writeFileSync(join(folder, 'city.pmtiles'), detail)
    const inFile = openBaseMap({ world, detail: join(folder, 'city.pmtiles'), store, logger })
    for (const base of [inStore, inFile]) {
      expect([await text(base, 0, 0, 0), await text(base, 14, 5, 6), await text(base, 15, 10, 12)]).toEqual([
        '0/0/0',
        '14/5/6',
        '15/10/12',
      ])
      expect([await text(base, 1, 0, 0), await text(base, 14, 5, 7)]).toEqual([null, null])
      expect(await base.describe()).toMatchObject({
        maxZoom: 1,
        attribution: '© OpenStreetMap · Example',
        detail: { maxZoom: 15 },
      })
    }
    expect((await inStore.describe()).version).toBe((await inFile.describe()).version)
    await inFile.close()
  })

  test('another archive is another version', async () => {
    const versionOf = async (bytes: Buffer) => {
      await put('world', bytes)
      return openBaseMap({ world: 'store:world', store, logger }).version()
    }
    const [one, other] = [
      await archiveOf([[0, 0, 0]]),
      await archiveOf([
        [0, 0, 0],
        [1, 0, 0],
      ]),
    ]
    expect(await versionOf(one)).toMatch(/^[0-9a-f]{16}$/)
    expect(await versionOf(one)).not.toBe(await versionOf(other))
  })

  test('a detail that comes later is served from then on; until then the world is, and what is missing is an error', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const base = openBaseMap({ world: WORLD_FILE, detail: 'store:later', store, logger })
    const before = await base.describe()
    expect(before).toMatchObject({ maxZoom: MAX_ZOOM, detail: undefined })
    await expect(base.tile(14, 5, 6)).rejects.toThrow('store:later')
    await put('later', await archiveOf([[14, 5, 6]]))
    await expect(base.tile(14, 5, 6)).rejects.toThrow('store:later')
    vi.advanceTimersByTime(10_000)
    expect(await base.describe()).toMatchObject({ detail: { maxZoom: 14 } })
    expect(await text(base, 14, 5, 6)).toBe('14/5/6')
    expect(await base.version()).not.toBe(before.version)
    await base.close()
  })

  test('a store that does not answer delays neither tiles of the world nor the description', async () => {
    const silent = { get: () => new Promise<never>(() => {}) }
    const base = openBaseMap({ world: WORLD_FILE, detail: 'store:city', store: silent, logger })
    expect(await base.tile(0, 0, 0)).not.toBeNull()
    expect(await base.describe()).toMatchObject({ detail: undefined })
    await base.close()
  })

  test('an object that was replaced is opened anew', async () => {
    await put('replaced', await archiveOf([[0, 0, 0]]))
    const base = openBaseMap({ world: 'store:replaced', store, logger })
    const before = await base.version()
    await put('replaced', await archiveOf([...Array(60).keys()].map((x) => [6, x, 0])))
    await expect(base.tile(0, 0, 0)).rejects.toThrow('was replaced')
    expect(await text(base, 6, 5, 0)).toBe('6/5/0')
    expect(await base.version()).not.toBe(before)
  })

  test.each([0, 2 ** 31, 2 ** 40])('an archive whose metadata has %d bytes is an error', async (length) => {
    const damaged = await archiveOf([[0, 0, 0]])
    // The header has the length of the metadata at byte 32.
    damaged.writeBigUInt64LE(BigInt(length), 32)
    const file = join(folder, `${length}.pmtiles`)
    writeFileSync(file, damaged)
    await put('damaged', damaged)
    for (const world of [file, 'store:damaged']) {
      await expect(openBaseMap({ world, store, logger }).describe()).rejects.toThrow('not a usable PMTiles archive')
    }
  })

  test('credits of several sources are kept whole', async () => {
    const link = (name: string) => `<a href="https://example.org/${'x'.repeat(120)}">&copy; ${name}</a>`
    await put(
      'credits',
      await archiveOf([[0, 0, 0]], { attribution: `${link('One')} ${link('Two')} ${link('Three')}` }),
    )
    const base = openBaseMap({ world: 'store:credits', store, logger })
    expect((await base.describe()).attribution).toBe('© One © Two © Three')
  })

  test.each([
    [-1, 0, 0],
    [0, 1, 0],
    [3, 0, 8],
    [16, 0, 0],
  ])('there is no tile %i/%i/%i', async (z, x, y) => {
    expect(await map.tile(z, x, y)).toBeNull()
  })

  test('what is missing, has another format or ends early is an error', async () => {
    const whole = await archiveOf([[0, 0, 0]])
    const raster = Buffer.from(whole)
    raster[99] = 2
    await put('other', Buffer.from('not an archive'.padEnd(200)))
    await put('raster', raster)
    // Its directories are at the end.
    await put('short', readFileSync(WORLD_FILE).subarray(0, 200_000))
    const describeOf = (world: string) => openBaseMap({ world, store, logger }).describe()
    await expect(describeOf(join(folder, 'missing.pmtiles'))).rejects.toThrow('ENOENT')
    await expect(describeOf('store:missing')).rejects.toThrow('store:missing is not a usable PMTiles archive')
    await expect(describeOf('store:other')).rejects.toThrow('store:other is not a usable PMTiles archive')
    await expect(describeOf('store:raster')).rejects.toThrow('is not a usable')
    const short = openBaseMap({ world: 'store:short', store, logger })
    await expect(short.tile(8, 60, 90)).rejects.toThrow('ends early')
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

  test.each(['latest/0/0/0', '0123456789abcdef/16/0/0', '0123456789abcdef/0/-1/0', '0123456789abcdef/1/0/1e0'])(
    '%s is 400',
    async (path) => {
      expect((await get(`/api/map/base/${path}`)).status).toBe(400)
    },
  )

  test('tells the gateway which map there is', async () => {
    const status = await sendRequest(media.nats, baseMapStatus, {}, { timeoutMs: 5_000 })
    const { detail, ...known } = await map.describe()
    expect(status).toMatchObject(known)
    expect(status.detail).toBe(detail)
    expect(status.attribution).toBe('GeoNames, Natural Earth, US Census Bureau')
  })

  test('is an error without the file, and the rest of media works', async () => {
    const without = await startTestMedia({ env: { BASE_MAP_FILE: join(folder, 'missing.pmtiles') } })
    expect((await without.call(`${base}/0/0/0`, visitor)).status).toBe(500)
    expect((await without.call('/api/photos', user(1))).status).toBe(200)
    await without.close()
  })
})

const minio = await hasMinio()
if (!minio) console.log('SKIPPED: streets on a real MinIO (run services/testkit/scripts/fetch-tool.sh minio)')

test.skipIf(!minio)('streets are read from a real MinIO by ranges', async () => {
  const server = await startMinio()
  const { accessKey: S3_ACCESS_KEY, secretKey: S3_SECRET_KEY } = MINIO_CREDENTIALS
  const s3 = { S3_ENDPOINT: server.url, S3_BUCKET: 'photos', S3_ACCESS_KEY, S3_SECRET_KEY }
  const media = await startTestMedia({ env: { ...s3, BASE_MAP_DETAIL_FILE: 'store:maps/city.pmtiles' } })
  const bytes = await archiveOf([[14, 5, 6]])
  await media.store.put('maps/city.pmtiles', Readable.from([bytes]), { contentType: 'application/vnd.pmtiles' })
  const { version } = await sendRequest(media.nats, baseMapStatus, {}, { timeoutMs: 5_000 })
  const tile = await media.call(`/api/map/base/${version}/14/5/6`, visitor)
  expect([tile.status, await tile.text()]).toEqual([200, '14/5/6'])
  expect((await media.call(`/api/map/base/${version}/14/5/7`, visitor)).status).toBe(204)
  await media.close()
  await server.stop()
})
