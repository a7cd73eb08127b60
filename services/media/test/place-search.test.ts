import { beforeAll, describe, expect, it } from 'vitest'
import { normalizeName } from '../src/places/names.ts'
import { PLACES_FILE, type PlaceReader, readPlaceFile } from '../src/places/place-file.ts'
import { openPlaces, type Places, placesIn } from '../src/places/places.ts'

let places: Places

beforeAll(() => {
  places = openPlaces(PLACES_FILE)
}, 120_000)

/** "city, state, country" of the place that a text means. */
function meaning(text: string): string | null {
  const found = places.find(text)
  return found && `${found.city}, ${found.state}, ${found.country}`
}

describe('a ZIP code', () => {
  it('is found with its place and position', () => {
    expect(places.find('55802')).toEqual({
      zip: '55802',
      city: 'Duluth',
      county: 'Saint Louis County',
      state: 'Minnesota',
      country: 'US',
      latitude: 46.7685,
      longitude: -92.0865,
    })
  })

  it.each([
    ['with four more digits', '55802-1234', '55802'],
    ['with zeros before it', '00501', '00501'],
    ['after its city', 'Springfield, IL 62701', '62701'],
    ['before the country', '62701, USA', '62701'],
    ['after its city and without commas', 'Springfield IL 62701', '62701'],
  ])('is found %s', (_how, text, zip) => {
    expect(places.find(text)?.zip).toBe(zip)
  })

  it('is not found when it does not exist', () => {
    expect(places.find('99999')).toBeNull()
    expect(places.find('501')).toBeNull()
  })

  it.each([
    ['00901', 'San Juan, Puerto Rico, PR'],
    ['San Juan, PR 00901', 'San Juan, Puerto Rico, PR'],
    ['00802, USA', 'Charlotte Amalie, Saint Thomas, VI'],
    ['96950', 'Saipan, Saipan, MP'],
  ])('may be in a territory: %s', (text, expected) => {
    expect(meaning(text)).toBe(expected)
  })

  it('is not found in another country', () => {
    expect(places.find('62701, Germany')).toBeNull()
  })

  it('is ignored after a place in another country: other countries have five digits too', () => {
    expect(meaning('Berlin 10115')).toBe('Berlin, Berlin, DE')
  })
})

describe('the name of a city', () => {
  it.each([
    ['Springfield', 'Springfield, Missouri, US'],
    ['Paris', 'Paris, Île-de-France, FR'],
    ['London', 'London, England, GB'],
    ['Windsor', 'Windsor, Ontario, CA'],
    ['Kansas City', 'Kansas City, Missouri, US'],
    ['Jersey City', 'Jersey City, New Jersey, US'],
    ['Detroit', 'Detroit, Michigan, US'],
    ['Manhattan', 'Manhattan, New York, US'],
    ['New York', 'New York City, New York, US'],
    ['Tokyo', 'Tokyo, Tokyo, JP'],
    ['Montréal', 'Montréal, Quebec, CA'],
  ])('is the most populous one: %s', (text, expected) => {
    expect(meaning(text)).toBe(expected)
  })

  it.each([
    ['Portland, OR', 'Portland, Oregon, US'],
    ['Portland, Oregon', 'Portland, Oregon, US'],
    ['Portland, ME', 'Portland, Maine, US'],
    ['Kansas City, KS', 'Kansas City, Kansas, US'],
    ['Kansas City, Missouri', 'Kansas City, Missouri, US'],
    ['Paris, TX', 'Paris, Texas, US'],
    ['Ontario, CA', 'Ontario, California, US'],
    ['Washington, DC', 'Washington, District of Columbia, US'],
    ['Windsor, ON', 'Windsor, Ontario, CA'],
    ['Vancouver, CA', 'Vancouver, British Columbia, CA'],
    ['Sydney, NSW', 'Sydney, New South Wales, AU'],
    ['Zürich, Switzerland', 'Zürich, Zürich, CH'],
    ['Springfield, Illinois, USA', 'Springfield, Illinois, US'],
    ['Springfield, Clark County, Ohio, United States', 'Springfield, Ohio, US'],
  ])('goes to the right state or country: %s', (text, expected) => {
    expect(meaning(text)).toBe(expected)
  })

  it.each([
    ['Portland OR', 'Portland, Oregon, US'],
    ['Kansas City Kansas', 'Kansas City, Kansas, US'],
    ['Raleigh North Carolina', 'Raleigh, North Carolina, US'],
    ['washington dc', 'Washington, District of Columbia, US'],
  ])('may be followed by the state without a comma: %s', (text, expected) => {
    expect(meaning(text)).toBe(expected)
  })

  it.each([
    ['  DULUTH ,mn ', 'Duluth, Minnesota, US'],
    ['newyork', 'New York City, New York, US'],
    ['st louis', 'St. Louis, Missouri, US'],
    ['Saint Louis, MO', 'St. Louis, Missouri, US'],
    ['Ft. Worth', 'Fort Worth, Texas, US'],
    ['MT VERNON, NY', 'Mount Vernon, New York, US'],
    ['Washington D.C.', 'Washington, District of Columbia, US'],
    ['montreal', 'Montréal, Quebec, CA'],
    ['Coeur dAlene', "Coeur d'Alene, Idaho, US"],
    ['sao paulo', 'São Paulo, São Paulo, BR'],
  ])('is found whatever its case, accents, spaces and punctuation: %s', (text, expected) => {
    expect(meaning(text)).toBe(expected)
  })

  it.each([
    ['München', 'Munich, Bavaria, DE'],
    ['muenchen, Deutschland', 'Munich, Bavaria, DE'],
    ['Cologne', 'Köln, North Rhine-Westphalia, DE'],
    ['Wien', 'Vienna, Vienna, AT'],
    ['Praha', 'Prague, Prague, CZ'],
    ['Firenze', 'Florence, Toscana, IT'],
    ['København', 'Copenhagen, Denmark, DK'],
    ['Москва', 'Moscow, Moskva, RU'],
    ['東京', 'Tokyo, Tokyo, JP'],
    ['NYC', 'New York City, New York, US'],
  ])('may be in another language, or a nickname: %s', (text, expected) => {
    expect(meaning(text)).toBe(expected)
  })

  it.each([
    ['Roma', 'Rome, Lazio, IT'],
    ['Roma, TX', 'Roma, Texas, US'],
    ['Geneva', 'Genève, Geneva, CH'],
    ['Geneva, IL', 'Geneva, Illinois, US'],
    ['Kiev', 'Kyiv, Kiev City, UA'],
    ['Monterey', 'Monterey, California, US'],
    ['Westport', 'Westport, Connecticut, US'],
  ])(
    'takes precedence over the alias of a larger city, unless that is far larger or a region has the name: %s',
    (text, expected) => {
      expect(meaning(text)).toBe(expected)
    },
  )

  it('may be a place that only has a post office', () => {
    expect(meaning('Knife River, MN')).toBe('Knife River, Minnesota, US')
  })

  it.each(['Xyzzy', 'Xyzzy, Texas', 'Boston, Narnia', '', ' , ', 'USA', 'Canada', '__proto__', 'a, b, c, d, e, f'])(
    'is not found when it means no place: "%s"',
    (text) => {
      expect(places.find(text)).toBeNull()
    },
  )
})

describe('the name of a state', () => {
  it.each([
    ['Texas', 'Texas', 'US'],
    ['tx', 'Texas', 'US'],
    ['Georgia', 'Georgia', 'US'],
    ['West Virginia', 'West Virginia', 'US'],
    ['Ontario', 'Ontario', 'CA'],
    ['Bavaria', 'Bavaria', 'DE'],
  ])('is %s', (text, state, country) => {
    const found = places.find(text)
    expect(found).toMatchObject({ city: null, county: null, state, country, zip: null })
    expect(places.lookup(found?.latitude ?? 0, found?.longitude ?? 0)).toMatchObject({ state, country })
  })

  it.each(['Washington', 'Oklahoma', 'Delaware', 'Virginia', 'Indiana', 'Puerto Rico'])(
    'means the state rather than smaller places of the same name: %s',
    (state) => {
      expect(places.find(state)).toMatchObject({ city: null, state })
    },
  )

  it('may be the two letters of any state of the United States or province of Canada', () => {
    const codes = `AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY
      NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY AB BC MB NB NL NS NT NU ON PE QC SK YT`.split(/\s+/)
    const states = codes.map((code) => places.find(code)?.state)
    expect(new Set(states.filter(Boolean)).size).toBe(51 + 13)
  })
})

it('searches within milliseconds, also for names of hundreds of places', () => {
  const texts = ['San Antonio', 'Santa Cruz, nowhere', 'Springfield, nowhere', '10001', 'New York, NY', 'no such place']
  const times = texts.flatMap((text) =>
    Array.from({ length: 20 }, () => {
      const start = performance.now()
      places.find(text)
      return performance.now() - start
    }),
  )
  expect(times.sort((a, b) => a - b)[times.length >> 1]).toBeLessThan(20)
})

it('keeps the letters of all scripts in a normalized name', () => {
  expect(normalizeName('Łódź-Straße ’s')).toBe('lodzstrasses')
  expect(normalizeName('東京 2')).toBe('東京2')
})

describe('a search', () => {
  it.each(['Salem, yy', 'Georgetown, yy yy yy yy', 'Franklin, Washington County', 'Salem, Vulcan, yy, yy, yy'])(
    'reads little of the outlines, however frequent the name is: %s',
    (text) => {
      const reader = readPlaceFile(PLACES_FILE)
      let reads = 0
      const areaSouth = (area: number) => {
        reads += 1
        return reader.areaSouth(area)
      }
      placesIn({ ...reader, areaSouth } satisfies PlaceReader).find(text)
      // Twice per look-up of one position.
      expect(reads).toBeLessThan(3 * 2 * reader.areas)
    },
  )
})
