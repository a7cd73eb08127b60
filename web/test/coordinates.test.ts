import { describe, expect, test } from 'vitest'
import { coordinatesOf, parseCoordinates, parseDegrees } from '../src/lib/coordinates.ts'
import { formatCoordinates } from '../src/lib/format.ts'
import { mapLink } from '../src/photos/photo-facts.ts'

const PIER = { latitude: '46.8426', longitude: '-92.0036' }
const HARBOUR = { latitude: '46.8426111', longitude: '-92.0036111' }

describe('a pair of coordinates is read', () => {
  test.each([
    '46.8426, -92.0036',
    '46.8426,-92.0036',
    ' 46.8426 -92.0036 ',
    '46.8426\t-92.0036',
    '46.8426; -92.0036',
    '(46.8426, -92.0036)',
    '46.8426°, -92.0036°',
    '46,8426, -92,0036',
    '46,8426; -92,0036',
    '+46.8426-092.0036',
    '46.8426, −92.0036',
    '４６．８４２６，－９２．００３６',
    'geo:46.8426,-92.0036;u=35',
    'Lat: 46.8426, Lon: -92.0036',
    'latitude 46.8426 longitude -92.0036',
    'lat=46.8426 lng=-92.0036',
  ])('from decimal degrees: %s', (text) => expect(parseCoordinates(text)).toEqual(PIER))

  test.each([
    'https://www.google.com/maps/@46.8426,-92.0036,17z',
    'https://www.google.com/maps/place/Pier/@46.8,-92,15z/data=!3m1!4b1!4m5!3m4!1s0x52!8m2!3d46.8426!4d-92.0036',
    'https://www.google.com/maps/search/?api=1&query=46.8426%2C-92.0036',
    'https://maps.apple.com/?ll=46.8426,-92.0036&q=Pier',
    'https://www.openstreetmap.org/#map=17/46.8426/-92.0036',
    'https://www.openstreetmap.org/?mlat=46.8426&mlon=-92.0036#map=12/46.8/-92',
  ])('from a link to a map: %s', (text) => expect(parseCoordinates(text)).toEqual(PIER))

  test('not from other links', () => {
    expect(parseCoordinates('https://example.org/photos/46/92')).toBeNull()
    expect(parseCoordinates(`https://example.org/@46,-92,${'x'.repeat(2000)}`)).toBeNull()
  })

  test('from two numbers of degrees, the second below 60', () => {
    for (const text of ['46° 9.25°', '46°9.25°'])
      expect(parseCoordinates(text)).toEqual({ latitude: '46', longitude: '9.25' })
  })

  test.each([
    '46.8426N, 92.0036W',
    '46.8426° N 92.0036° W',
    '92.0036 w, 46.8426 n',
    'W 92.0036 N 46.8426',
    'N46.8426W92.0036',
    '46.8426 N, -92.0036 W',
    "46°50.556'N 92°0.216'W",
    'N 46° 50,556′; W 92° 0,216′',
  ])('with the letters of the axes, in any order: %s', (text) => expect(parseCoordinates(text)).toEqual(PIER))

  test.each([
    '46°50\'33.4"N 92°00\'13.0"W',
    '46°50′33.4″ N, 92°00′13.0″ W',
    '46º50’33.4’’N92º00’13.0’’W',
    '46° 50\' 33,4" N  92° 0\' 13" W',
    '46 deg 50\' 33.40" N, 92 deg 0\' 13.00" W',
    '46:50:33.4, -92:00:13',
    '46 50 33.4 N 92 0 13 W',
  ])('from minutes and seconds: %s', (text) => expect(parseCoordinates(text)).toEqual(HARBOUR))

  test('from what the screens show and link to', () => {
    expect(parseCoordinates(formatCoordinates('46.8426', '-92.0036') ?? '')).toEqual(PIER)
    expect(parseCoordinates(mapLink('46.8426', '-92.0036'))).toEqual(PIER)
  })

  test('of the south, the east and the edges', () => {
    expect(parseCoordinates('33.8568 S, 151.2153 E')).toEqual({ latitude: '-33.8568', longitude: '151.2153' })
    expect(parseCoordinates('-90, 180.0')).toEqual({ latitude: '-90', longitude: '180' })
    expect(parseCoordinates('0.0, -0.00000001')).toEqual({ latitude: '0', longitude: '0' })
    expect(parseCoordinates('0.0000001, 100')).toEqual({ latitude: '0.0000001', longitude: '100' })
  })
})

test.each([
  '',
  'Duluth',
  '55804',
  '46.8426',
  '46,8426',
  '95, 10',
  '46.8426, -192',
  '46,5,7',
  '46 50 33',
  '46.8426 - 92.0036',
  '46.8426 N, -92.0036',
  '46.8426 N, 46.8426 N',
  '46.8426 N, -92.0036 E',
  "46°61' N, 92° W",
  "46.5°30' N, 92° W",
  '46.8426, -92.0036, 250',
  '4'.repeat(300),
])('no pair is read from: %s', (text) => expect(parseCoordinates(text)).toBeNull())

describe('one coordinate', () => {
  test.each([
    ['46.8426', '46.8426'],
    [' +46.842600 ', '46.8426'],
    ['46,8426', '46.8426'],
    ['46.8426N', '46.8426'],
    ['s 46.8426°', '-46.8426'],
    ['−46.8426', '-46.8426'],
    ['46°50\'33.4"', '46.8426111'],
    ['46.84261234567890123', '46.8426123'],
  ])('%s is the latitude %s', (text, degrees) => expect(parseDegrees(text, 'latitude')).toBe(degrees))

  test.each(['', 'x', '91', '92.0036 W', '-46 N', '46 50', '46.', '1e1'])('%s is no latitude', (text) =>
    expect(parseDegrees(text, 'latitude')).toBeNull(),
  )

  test('of the other axis has its own letters and limit', () => {
    expect(parseDegrees('92.0036 W', 'longitude')).toBe('-92.0036')
    expect(parseDegrees('-180', 'longitude')).toBe('-180')
    expect(parseDegrees('46.8426 N', 'longitude')).toBeNull()
  })
})

test('a position has as many decimals in texts as the server keeps', () => {
  expect(coordinatesOf({ latitude: 46.7 + 5 / 60, longitude: -92.1 })).toEqual({
    ...{ latitude: '46.7833333', longitude: '-92.1' },
  })
  expect(coordinatesOf({ latitude: 90, longitude: -0.00000001 })).toEqual({ latitude: '90', longitude: '0' })
})
