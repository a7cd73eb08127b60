import type { FeatureCollection, MultiLineString, MultiPolygon } from 'geojson'
import { merge, mesh } from 'topojson-client'
import { topology } from 'topojson-server'
import type { GeometryCollection, MultiPolygon as Piece, Topology } from 'topojson-specification'
import { type Outline, regions, stateKey, usCounties } from './place-sources.ts'

/** What the map draws of the outlines. Borders are lines within the land, none follows a coast. */
export interface MapOutlines {
  land: MultiPolygon
  borders: { kind: AreaKind; lines: MultiLineString }[]
  areas: MapArea[]
}

export type AreaKind = 'country' | 'state' | 'county'

/** An area that has a label. */
export interface MapArea {
  kind: AreaKind
  /** Of a country: its ISO 3166-1 alpha-2 code. */
  name: string
  geometry: MultiPolygon
}

type Names = Pick<Outline, 'country' | 'state' | 'county'>
type Outlines = Topology<{ outlines: GeometryCollection<Names> }>
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
  const isForeign = (names: Names) => names.country !== 'US'
  return {
    land: merge(world, piecesOf(world)),
    borders: [
      { kind: 'country', lines: bordersOf(world, country) },
      { kind: 'state', lines: bordersOf(world, stateKey, (a, b) => a.country === b.country && isForeign(a)) },
      { kind: 'state', lines: bordersOf(us, stateKey) },
      { kind: 'county', lines: bordersOf(us, county, (a, b) => a.state === b.state) },
    ],
    areas: [
      ...areasOf(world, 'country', country, country),
      ...areasOf(world, 'state', stateKey, ({ state }) => state),
      ...areasOf(us, 'county', (names) => `${names.state} ${names.county}`, county),
    ],
  }
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
