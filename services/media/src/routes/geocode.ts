import { type App, errorFieldResponses, Nullable, notFound } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { MediaDeps } from '../deps.ts'
import { limitPerUser } from '../limits.ts'
import { countryName } from '../places/names.ts'
import type { FoundPlace, Places } from '../places/places.ts'
import { signedIn } from './schemas.ts'

const NOT_FOUND = 'Unable to find location. Please check your entry and try again.'
const EMPTY_QUERY = 'Please enter a ZIP code, city, or state to find stores.'
const TOO_MANY = 'You are searching for too many places at once. Please wait a moment.'
const SEARCHES_PER_USER = 2
const POSITION = /^\s*([+-]?\d{1,3}(?:\.\d+)?)\s*[,;\s]\s*([+-]?\d{1,3}(?:\.\d+)?)\s*$/

const Name = Nullable(Type.String())
const GeocodeRequest = Type.Object({
  query: Type.String({
    maxLength: 200,
    pattern: '\\S',
    description: 'A ZIP code, a city, "city, state" or a state; with `reverse` a latitude and a longitude',
    'x-message': {
      required: EMPTY_QUERY,
      type: EMPTY_QUERY,
      pattern: EMPTY_QUERY,
      maxLength: 'Please enter up to 200 characters.',
    },
  }),
  reverse: Type.Optional(Type.Boolean()),
})
const GeocodeResponse = Type.Object({
  latitude: Type.String({ description: 'Decimal degrees' }),
  longitude: Type.String({ description: 'Decimal degrees' }),
  display_name: Type.String(),
  address: Type.Object({ city: Name, county: Name, state: Name }),
})
const geocode = {
  summary: 'Returns the position of a place, or the place of a position',
  body: GeocodeRequest,
  response: { 200: GeocodeResponse, ...errorFieldResponses },
}

export function geocodeRoutes(app: App, { places }: Pick<MediaDeps, 'places'>): void {
  // A search is work of this thread: between two of a user's others have their turn.
  const limit = limitPerUser({
    perKey: SEARCHES_PER_USER,
    limit: 'place-searches-of-user',
    messages: { tooManyOfKey: TOO_MANY },
  })

  app.post('/api/geocode', { ...signedIn, ...limit, schema: geocode }, async (request) => {
    const { query, reverse = false } = request.body
    const place = reverse ? findPlaceAt(places, query) : places.find(query)
    if (!place) throw notFound(NOT_FOUND)
    return toResponse(place)
  })
}

function findPlaceAt(places: Places, query: string): FoundPlace | null {
  const [, latitude = '', longitude = ''] = POSITION.exec(query) ?? []
  const position = { latitude: Number(latitude || Number.NaN), longitude: Number(longitude || Number.NaN) }
  const place = places.lookup(position.latitude, position.longitude)
  return place && { ...place, ...position, zip: null }
}

function toResponse(place: FoundPlace): Type.Static<typeof GeocodeResponse> {
  const { latitude, longitude, city, county, state, country, zip } = place
  const names = [city, county, state, zip, country && countryName(country)]
  return {
    latitude: String(latitude),
    longitude: String(longitude),
    display_name: names.filter(Boolean).join(', '),
    address: { city, county, state },
  }
}
