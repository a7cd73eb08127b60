import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { populatedPlaces } from '../scripts/place-sources.ts'
import { PLACES_FILE } from '../src/places/place-file.ts'
import { openPlaces, type Places } from '../src/places/places.ts'

let places: Places

beforeAll(() => {
  places = openPlaces(PLACES_FILE)
}, 120_000)

/** "city, state, country" of a position. */
function at(latitude: number, longitude: number): string | null {
  const place = places.lookup(latitude, longitude)
  return place && `${place.city}, ${place.state}, ${place.country}`
}

describe('the city of a position', () => {
  it('is Duluth at Brighton Beach, although the smaller Arnold is nearer', () => {
    expect(places.lookup(46.8426, -91.9946)).toEqual({
      city: 'Duluth',
      county: 'Saint Louis County',
      state: 'Minnesota',
      country: 'US',
    })
  })

  it('is the small town, not the metropolis next to it, when the position is in the town', () => {
    expect(at(42.0451, -87.6877)).toBe('Evanston, Illinois, US')
  })

  it('is New York City in all of its boroughs', () => {
    expect(at(40.758, -73.9855)).toBe('New York City, New York, US')
    expect(at(40.7033, -73.9903)).toBe('New York City, New York, US')
  })

  it('is unknown where no place is within 60 km', () => {
    expect(places.lookup(51.88, -176.6581)).toEqual({
      city: null,
      county: 'Aleutians West Census Area',
      state: 'Alaska',
      country: 'US',
    })
  })
})

describe('the state of a position near a border', () => {
  it.each([
    ['Manhattan, on the Hudson', 40.7644, -74.0003, 'New York City, New York, US'],
    ['the southern tip of Manhattan', 40.7033, -74.017, 'New York City, New York, US'],
    ['Jersey City, on the Hudson', 40.7163, -74.033, 'Jersey City, New Jersey, US'],
    ['Hoboken, on the Hudson', 40.7363, -74.0255, 'Hoboken, New Jersey, US'],
    ['Detroit, on the river', 42.3283, -83.0445, 'Detroit, Michigan, US'],
    ['Windsor, on the river', 42.319, -83.04, 'Windsor, Ontario, CA'],
    ['Kansas City, Missouri', 39.0997, -94.5786, 'Kansas City, Missouri, US'],
    ['Kansas City, Kansas', 39.1155, -94.6268, 'Kansas City, Kansas, US'],
    ['Texarkana, Texas', 33.4331, -94.0578, 'Texarkana, Texas, US'],
    ['Texarkana, Arkansas', 33.438, -94.03, 'Texarkana, Arkansas, US'],
    ['Bristol, Tennessee', 36.5905, -82.183, 'Bristol, Tennessee, US'],
    ['Bristol, Virginia', 36.602, -82.185, 'Bristol, Virginia, US'],
    ['the American falls of Niagara', 43.081, -79.069, 'Niagara Falls, New York, US'],
    ['the Canadian side of Niagara', 43.079, -79.079, 'Niagara Falls, Ontario, CA'],
    ['San Diego', 32.7157, -117.1611, 'San Diego, California, US'],
    ['Tijuana', 32.5343, -117.0382, 'Tijuana, Baja California, MX'],
    ['Strasbourg', 48.5734, 7.7521, 'Strasbourg, Grand Est, FR'],
    ['Kehl', 48.5726, 7.8155, 'Kehl, Baden-Württemberg, DE'],
    ['Geneva', 46.2044, 6.1432, 'Genève, Geneva, CH'],
    ['Annemasse', 46.1934, 6.2343, 'Annemasse, Auvergne-Rhône-Alpes, FR'],
    ['Washington', 38.8895, -77.0353, 'Washington, District of Columbia, US'],
    ['Arlington', 38.8816, -77.091, 'Arlington, Virginia, US'],
  ])('is right at %s', (_where, latitude, longitude, expected) => {
    expect(at(latitude, longitude)).toBe(expected)
  })

  it.each([
    ['Konstanz, which is south of its simplified border', 47.6603, 9.1758, 'Konstanz, Baden-Württemberg, DE'],
    ['Büsingen, an exclave', 47.6966, 8.6906, 'Büsingen, Baden-Württemberg, DE'],
    ['Monaco, 300 m from France', 43.7384, 7.4246, 'Monaco, Monaco, MC'],
  ])('is corrected for %s', (_where, latitude, longitude, expected) => {
    expect(at(latitude, longitude)).toBe(expected)
  })

  it('is right at 999 of 1000 towns of the United States', () => {
    const towns = populatedPlaces().filter((town) => town.region.startsWith('US.') && town.population >= 1000)
    const states = new Map<string, Map<string, number>>()
    for (const { region, x, y } of towns) {
      const found = states.get(region) ?? new Map<string, number>()
      const state = places.lookup(y, x)?.state ?? 'none'
      states.set(region, found.set(state, (found.get(state) ?? 0) + 1))
    }
    const right = [...states.values()].reduce((sum, found) => sum + Math.max(...found.values()), 0)
    expect(states.size).toBe(51)
    expect(right / towns.length).toBeGreaterThan(0.999)
  })

  it('is in the right country at every large city of the world', () => {
    const large = populatedPlaces().filter((city) => city.population >= 500_000)
    const wrong = large.filter(({ region, x, y }) => places.lookup(y, x)?.country !== region.slice(0, 2))
    expect(large.length).toBeGreaterThan(700)
    expect(wrong.map((city) => city.name)).toEqual([])
  })
})

describe('the county of a position', () => {
  it.each([
    ['a parish in Louisiana', 29.9511, -90.0715, 'Orleans Parish'],
    ['a municipality in Alaska', 61.2181, -149.9003, 'Anchorage Municipality'],
    ['an independent city', 38.6247, -90.1848, 'Saint Louis City'],
    ['a county across the Mississippi', 38.6245, -90.1509, 'Saint Clair County'],
    ['a county in Hawaii', 21.3069, -157.8583, 'Honolulu County'],
  ])('is %s', (_what, latitude, longitude, county) => {
    expect(places.lookup(latitude, longitude)?.county).toBe(county)
  })

  it('is the nearest of the state over the water of a great lake', () => {
    expect(places.lookup(46.82, -91.95)).toMatchObject({ county: 'Saint Louis County', state: 'Minnesota' })
  })

  it('is unknown outside the United States', () => {
    expect(places.lookup(48.5734, 7.7521)?.county).toBeNull()
  })
})

describe('positions at the edges', () => {
  it('are found off a coast, where the outline is simplified', () => {
    expect(at(21.262, -157.84)).toBe('Honolulu, Hawaii, US')
    expect(at(45.4341, 12.3388)).toBe('Venice, Veneto, IT')
  })

  it('are found on both sides of the antimeridian', () => {
    expect(places.lookup(-16.85, -179.97)).toMatchObject({ state: 'Northern', country: 'FJ' })
    expect(places.lookup(-16.85, 179.99)).toMatchObject({ state: 'Northern', country: 'FJ' })
    expect(places.lookup(52.84, 173.18)).toMatchObject({ state: 'Alaska', country: 'US' })
    expect(places.lookup(71, 180)).toMatchObject({ country: 'RU' })
    expect(places.lookup(71, -180)).toMatchObject({ country: 'RU' })
  })

  it('are Antarctica in the south and nothing in the north', () => {
    expect(places.lookup(-90, 0)).toEqual({ city: null, county: null, state: 'Antarctica', country: 'AQ' })
    expect(places.lookup(90, 0)).toBeNull()
  })

  it.each([
    ['the Atlantic', 30, -40],
    ['the position 0, 0', 0, 0],
    ['the Pacific', -48.9, -123.4],
    ['30 km off Honolulu', 21, -157.9],
  ])('have no place in %s', (_where, latitude, longitude) => {
    expect(places.lookup(latitude, longitude)).toBeNull()
  })

  it.each([
    [Number.NaN, 0],
    [0, Number.NaN],
    [Number.POSITIVE_INFINITY, 0],
    [90.01, 0],
    [0, 180.01],
  ])('have no place for %s, %s, which is no position', (latitude, longitude) => {
    expect(places.lookup(latitude, longitude)).toBeNull()
  })
})

describe('the place file', () => {
  it('is rejected when it is another file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'places-'))
    const file = join(folder, 'places.bin')
    writeFileSync(file, 'something else')
    expect(() => openPlaces(file)).toThrow('is not a place file')
    rmSync(folder, { recursive: true })
  })

  it('uses less than 40 MB of resident memory', () => {
    const script = `
      const { openPlaces } = await import(${JSON.stringify(new URL('../src/places/places.ts', import.meta.url).href)})
      const before = process.memoryUsage().rss
      const places = openPlaces(${JSON.stringify(PLACES_FILE)})
      for (let i = 0; i < 500; i++) places.lookup((i * 7.3) % 80, (i * 13.7) % 180)
      console.log(process.memoryUsage().rss - before)`
    const grown = Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }))
    expect(grown).toBeGreaterThan(10_000_000)
    expect(grown).toBeLessThan(40_000_000)
  })

  it('is searched within a millisecond', () => {
    const times = Array.from({ length: 1000 }, (_, i) => {
      const start = performance.now()
      places.lookup(((i * 7.31) % 140) - 60, ((i * 13.7) % 360) - 180)
      return performance.now() - start
    })
    expect(times.sort((a, b) => a - b)[500]).toBeLessThan(1)
  })
})
