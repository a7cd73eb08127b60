import { type LinePhoto, linePhotos, type TrackPhoto } from './track-photos.ts'

type Coordinates = [longitude: number, latitude: number]

/** Yields GeoJSON (RFC 7946): a point for each photo, then a line for each flight. `read` is called for both. */
export async function* writeGeoJson(title: string, read: () => AsyncIterable<TrackPhoto[]>): AsyncGenerator<string> {
  yield `{"type":"FeatureCollection","name":${JSON.stringify(title)},"features":[`
  let separator = '\n'
  for await (const batch of read()) {
    if (batch.length === 0) continue
    yield separator + batch.map((photo) => JSON.stringify(pointFeature(photo))).join(',\n')
    separator = ',\n'
  }
  let before: TrackPhoto | undefined
  for await (const batch of linePhotos(read())) {
    let text = ''
    for (const photo of batch) {
      text += photo.isFirst ? separator + startLine(photo) : continueLine(before, photo)
      if (photo.isLast) text += ']]}}'
      separator = ',\n'
      before = photo
    }
    yield text
  }
  yield '\n]}\n'
}

function pointFeature({ latitude, longitude, flightId, ...photo }: TrackPhoto) {
  const { altitude } = photo
  const coordinates = altitude === null ? [longitude, latitude] : [longitude, latitude, altitude]
  return { type: 'Feature', geometry: { type: 'Point', coordinates }, properties: { ...photo, flight: flightId } }
}

/** The line of a flight is cut where it crosses the date line, so it may have several parts. */
function startLine({ flightId, dateTaken, longitude, latitude }: LinePhoto): string {
  const properties = JSON.stringify({ flight: flightId, start: dateTaken })
  return `{"type":"Feature","properties":${properties},"geometry":{"type":"MultiLineString","coordinates":[[${toJson([longitude, latitude])}`
}

function continueLine(before: TrackPhoto | undefined, { longitude, latitude }: LinePhoto): string {
  const next = toJson([longitude, latitude])
  if (!before || Math.abs(longitude - before.longitude) <= 180) return `,${next}`
  const edge = before.longitude > 0 ? 180 : -180
  const ahead = longitude + 2 * edge - before.longitude
  const share = ahead === 0 ? 0 : (edge - before.longitude) / ahead
  const crossing = before.latitude + (latitude - before.latitude) * share
  return `,${toJson([edge, crossing])}],[${toJson([-edge, crossing])},${next}`
}

function toJson(coordinates: Coordinates): string {
  return JSON.stringify(coordinates)
}
