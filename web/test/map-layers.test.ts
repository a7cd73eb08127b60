import { describe, expect, test } from 'vitest'
import { hostOf, layerToShow, mayLoad, NO_CHOICE, parseChoice, withLayer } from '../src/map/map-layers.ts'

const layer = (name: string, host: string) => {
  return { name, url: `https://${host}/${name}/{z}/{x}/{y}.png`, attribution: 'Example', maxZoom: 19 }
}
const STREETS = layer('Streets', 'tiles.example.org')
const TERRAIN = layer('Terrain', 'tiles.example.org')
const SATELLITE = layer('Satellite', 'pictures.example.org:8443')
const LAYERS = [STREETS, TERRAIN, SATELLITE]

describe("another server's layer", () => {
  test('is shown once the user has chosen it and agreed to its host, and not without', () => {
    const chosen = { mapLayer: 'Streets', mapHosts: ['tiles.example.org'] }
    expect(layerToShow(LAYERS, chosen)).toBe(STREETS)
    for (const choice of [null, NO_CHOICE, { ...chosen, mapLayer: null }, { ...chosen, mapHosts: [] }]) {
      expect(layerToShow(LAYERS, choice)).toBeNull()
    }
    expect(layerToShow([], chosen)).toBeNull()
  })

  test('is not shown when its name has another host, port or domain by now', () => {
    const chosen = { mapLayer: 'Streets', mapHosts: ['tiles.example.org'] }
    for (const host of ['tiles.example.com', 'tiles.example.org:8443', 'tiles.example.org.example.com']) {
      expect(layerToShow([layer('Streets', host)], chosen)).toBeNull()
    }
  })
})

describe('choosing a layer', () => {
  test('agrees to its host for all layers of it, and keeps the other hosts', () => {
    const first = withLayer(LAYERS, NO_CHOICE, STREETS)
    expect(first).toEqual({ mapLayer: 'Streets', mapHosts: ['tiles.example.org'] })
    expect(LAYERS.map((other) => mayLoad(other, first))).toEqual([true, true, false])
    expect(withLayer(LAYERS, first, SATELLITE)).toEqual({
      mapLayer: 'Satellite',
      mapHosts: ['tiles.example.org', 'pictures.example.org:8443'],
    })
  })

  test('forgets hosts that the operator has taken away', () => {
    const before = { mapLayer: 'Old', mapHosts: ['old.example.org', 'tiles.example.org'] }
    expect(withLayer(LAYERS, before, TERRAIN)).toEqual({ mapLayer: 'Terrain', mapHosts: ['tiles.example.org'] })
  })
})

test('the question before another server is asked names it with its port', () => {
  expect([STREETS, SATELLITE].map(hostOf)).toEqual(['tiles.example.org', 'pictures.example.org:8443'])
})

test('a browser remembers a choice, and nothing of what is no choice', () => {
  const choice = { mapLayer: 'Streets', mapHosts: ['tiles.example.org'] }
  expect(parseChoice(JSON.parse(JSON.stringify(choice)))).toEqual(choice)
  expect(parseChoice({ mapLayer: null, mapHosts: ['tiles.example.org'] }).mapHosts).toEqual(['tiles.example.org'])
  for (const value of [null, 'tiles.example.org', 1, [], { mapLayer: 1 }, { mapLayer: 'Streets', mapHosts: 'x' }]) {
    expect(parseChoice(value)).toEqual(NO_CHOICE)
  }
  expect(parseChoice({ mapLayer: 'Streets', mapHosts: [1, null] }).mapHosts).toEqual([])
})
