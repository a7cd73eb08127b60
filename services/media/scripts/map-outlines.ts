import { createRequire } from 'node:module'
import type { FeatureCollection, MultiLineString, MultiPolygon } from 'geojson'
import { feature, merge, mesh } from 'topojson-client'
import { topology } from 'topojson-server'
import type { GeometryCollection, MultiPolygon as Piece, Topology } from 'topojson-specification'
import { type Outline, readJson, regions, stateKey, usCounties } from './place-sources.ts'

const require = createRequire(import.meta.url)

/** What the map draws of the outlines. Borders are lines within the land, none follows a coast. */
export interface MapOutlines {
  /** Without the states of which a part is in the Great Lakes. */
  land: MultiPolygon
  /** Those states; only used to find where they are. */
  lakeStates: MultiPolygon
  /** The United States as they end at the shores of the lakes: the land of `lakeStates`. */
  shores: MultiPolygon
  borders: { kind: AreaKind; fromZoom: number; lines: MultiLineString }[]
  areas: MapArea[]
}

/** As in the layers of the Protomaps basemap. */
export type AreaKind = 'country' | 'region' | 'county'

/** An area that has a label. */
export interface MapArea {
  kind: AreaKind
  /** Of a country: its ISO 3166-1 alpha-2 code. */
  name: string
  geometry: MultiPolygon
}

type Names = Pick<Outline, 'country' | 'state' | 'county'>
type Outlines = Topology<{ outlines: GeometryCollection<Names> }>
type UsNation = Topology<{ nation: GeometryCollection }>
type NamesOf = (names: Names) => string

/** Steps of coordinates over the world: 0.00036°, the unit of the largest tiles. */
const QUANTIZATION = 1e6

const country: NamesOf = (names) => names.country
const county: NamesOf = (names) => names.county

/**
 * The outlines of the place data, joined: neighbours have one border in common, and land has no gaps. Borders of states and
 * counties within the United States are those of the counties, which are more exact and end at the Great Lakes.
 */
export function mapOutlines(): MapOutlines {
  const world = topologyOf(regions())
  const us = topologyOf(usCounties())
  const zooms = stateZooms(world)
  return {
    land: merge(
      world,
      piecesOf(world).filter((piece) => !hasLake(piece)),
    ),
    lakeStates: merge(world, piecesOf(world).filter(hasLake)),
    shores: usShores(),
    borders: [
      { kind: 'country', fromZoom: 0, lines: bordersOf(world, country) },
      ...STATE_ZOOMS.map((fromZoom) => {
        const isOfZoom = (a: Names, b: Names) => a.country === b.country && zooms.get(a.country) === fromZoom
        return { kind: 'region' as const, fromZoom, lines: bordersOf(world, stateKey, isOfZoom) }
      }),
      { kind: 'region', fromZoom: FIRST_STATE_ZOOM, lines: bordersOf(us, stateKey) },
      { kind: 'county', fromZoom: COUNTY_ZOOM, lines: bordersOf(us, county, (a, b) => a.state === b.state) },
    ],
    areas: [
      ...areasOf(world, 'country', country, country),
      ...areasOf(world, 'region', stateKey, ({ state }) => state),
      ...areasOf(us, 'county', (names) => `${names.state} ${names.county}`, county),
    ],
  }
}

/** The outline of us-atlas, as the counties have it. */
function usShores(): MultiPolygon {
  const atlas = readJson<UsNation>(require.resolve('us-atlas/nation-10m.json'))
  const [nation] = feature(atlas, atlas.objects.nation).features
  return nation?.geometry as MultiPolygon
}

/** Those of which a part is in the Great Lakes, in the United States. The data has no shore of the Canadian ones. */
const LAKE_STATES = new Set([
  ...['Minnesota', 'Wisconsin', 'Michigan', 'Illinois', 'Indiana', 'Ohio', 'Pennsylvania', 'New York'],
])

function hasLake({ properties }: Piece<Names>): boolean {
  return properties?.country === 'US' && LAKE_STATES.has(properties.state)
}

const FIRST_STATE_ZOOM = 3
const COUNTY_ZOOM = 6
/** Where the states of a country are small, their borders are shown later. */
const STATE_ZOOMS = [FIRST_STATE_ZOOM, 4, 5, 6, 7]
/** Side of a square as large as the mean state of a country, in CSS pixels, from which on the borders are shown. */
const STATE_PX = 24
const PX_PER_DEGREE = 512 / 360

/** The zoom from which on the borders of a country's states are shown; none for the United States, whose states are the counties'. */
function stateZooms(world: Outlines): Map<string, number> {
  const zooms = new Map<string, number>()
  for (const [code, pieces] of Map.groupBy(piecesOf(world), ({ properties }) => country(properties as Names))) {
    const states = new Set(pieces.map(({ properties }) => stateKey(properties as Names))).size
    const side = Math.sqrt(sizeOf(merge(world, pieces)) / states) * PX_PER_DEGREE
    const zoom = Math.ceil(Math.log2(STATE_PX / side))
    zooms.set(code, Math.min(Math.max(zoom, FIRST_STATE_ZOOM), STATE_ZOOMS.at(-1) ?? zoom))
  }
  zooms.delete('US')
  return zooms
}

/** In square degrees. */
function sizeOf({ coordinates }: MultiPolygon): number {
  let twice = 0
  for (const [ring = []] of coordinates) {
    let [ax = 0, ay = 0] = ring[0] ?? []
    let part = 0
    for (const [bx = 0, by = 0] of ring) {
      part += ax * by - bx * ay
      ;[ax, ay] = [bx, by]
    }
    twice += Math.abs(part)
  }
  return twice / 2
}

function topologyOf(outlines: Outline[]): Outlines {
  const collection: FeatureCollection = {
    type: 'FeatureCollection',
    features: outlines.map(({ geometry, country, state, county }) => ({
      type: 'Feature',
      properties: { country, state, county },
      geometry,
    })),
  }
  return topology({ outlines: collection }, QUANTIZATION) as Outlines
}

/** Polygons too: both have their arcs, and the functions of topojson accept either. */
function piecesOf(topology: Outlines): Piece<Names>[] {
  return topology.objects.outlines.geometries as Piece<Names>[]
}

/** The lines between outlines that `key` tells apart, where `where` is true for both. */
function bordersOf(topology: Outlines, key: NamesOf, where: (a: Names, b: Names) => boolean = () => true) {
  const names = (piece: unknown) => (piece as Piece<Names>).properties as Names
  return mesh(topology, topology.objects.outlines, (one, other) => {
    const [a, b] = [names(one), names(other)]
    return key(a) !== key(b) && where(a, b)
  })
}

/** The outlines with the same key as one area each. */
function areasOf(topology: Outlines, kind: AreaKind, key: NamesOf, name: NamesOf): MapArea[] {
  const groups = Map.groupBy(piecesOf(topology), ({ properties }) => key(properties as Names))
  return [...groups.values()].flatMap((pieces) => {
    const names = pieces[0]?.properties as Names
    return name(names) ? [{ kind, name: name(names), geometry: merge(topology, pieces) }] : []
  })
}
