/** A photo of a track as a file. */
export interface TrackPhoto {
  id: number
  title: string
  /** By the camera's clock, with its zone where that is known; ISO 8601. */
  dateTaken: string | null
  /** Degrees. */
  latitude: number
  longitude: number
  /** Metres above sea level. */
  altitude: number | null
  /** Metres above take-off. */
  relativeAltitude: number | null
  /** Degrees from north, of the gimbal or else of the aircraft. */
  yaw: number | null
  pitch: number | null
  roll: number | null
  city: string | null
  state: string | null
  flightId: number | null
}

/** A photo of a flight with at least one more. */
interface LinePhoto extends TrackPhoto {
  isFirst: boolean
  isLast: boolean
}

/** The formats of tracks as files. */
export const TRACK_FORMATS = {
  gpx: { mediaType: 'application/gpx+xml', extension: 'gpx', write: writeGpx },
  kml: { mediaType: 'application/vnd.google-earth.kml+xml', extension: 'kml', write: writeKml },
  geojson: { mediaType: 'application/geo+json', extension: 'geojson', write: writeGeoJson },
}
export type TrackFormatName = keyof typeof TRACK_FORMATS

const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="Skyfolio" xmlns="http://www.topografix.com/GPX/1/1">
`

/** Yields GPX 1.1: a waypoint for each photo, then a track for each flight. `read` is called for both. */
async function* writeGpx(title: string, read: () => AsyncIterable<TrackPhoto[]>): AsyncGenerator<string> {
  yield `${HEAD}<metadata>${element('name', title)}</metadata>\n`
  for await (const batch of read()) {
    yield batch.map((photo) => `<wpt ${position(photo)}>${facts(photo)}${names(photo)}</wpt>\n`).join('')
  }
  for await (const batch of linePhotos(read())) {
    yield batch
      .map(({ isFirst, isLast, ...photo }) => {
        const start = isFirst
          ? `<trk>${element('name', `Flight ${photo.dateTaken?.slice(0, 16) ?? ''}`)}<trkseg>\n`
          : ''
        return `${start}<trkpt ${position(photo)}>${facts(photo)}</trkpt>\n${isLast ? '</trkseg></trk>\n' : ''}`
      })
      .join('')
  }
  yield '</gpx>\n'
}

/** Numbers of GPX have no exponents. */
const DECIMAL = new Intl.NumberFormat('en', { useGrouping: false, maximumFractionDigits: 10 })

/** 180 degrees east is -180: GPX excludes the former. */
function position({ latitude, longitude }: TrackPhoto): string {
  return `lat="${DECIMAL.format(latitude)}" lon="${DECIMAL.format(longitude === 180 ? -180 : longitude)}"`
}

function facts({ altitude, dateTaken }: TrackPhoto): string {
  return element('ele', altitude === null ? null : DECIMAL.format(altitude)) + element('time', toUtc(dateTaken))
}

function names({ title, dateTaken }: TrackPhoto): string {
  const description = dateTaken === null ? null : `Taken ${dateTaken} by the camera's clock`
  return `<name>${escapeXml(title)}</name>${element('desc', description)}`
}

/** GPX has times in UTC only; null where the camera's zone is unknown. */
function toUtc(dateTaken: string | null): string | null {
  return dateTaken !== null && dateTaken.length > 19 ? new Date(dateTaken).toISOString() : null
}

/** Yields KML 2.2: a point for each photo, then a line for each flight. `read` is called for both. */
async function* writeKml(title: string, read: () => AsyncIterable<TrackPhoto[]>): AsyncGenerator<string> {
  yield `<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2"><Document>${element('name', title)}
<Folder><name>Photos</name>
`
  for await (const batch of read()) yield batch.map(placemark).join('')
  yield '</Folder>\n<Folder><name>Flights</name>\n'
  let altitude: number | null = null
  for await (const batch of linePhotos(read())) {
    yield batch
      .map(({ isFirst, isLast, ...photo }) => {
        // A photo without an altitude is drawn at that of the one before; a flight that begins without one is on the ground.
        if (isFirst) altitude = photo.altitude
        else if (altitude !== null) altitude = photo.altitude ?? altitude
        const start = isFirst ? startKmlLine(photo) : ''
        return `${start}${coordinates({ ...photo, altitude })}\n${isLast ? '</coordinates></LineString></Placemark>\n' : ''}`
      })
      .join('')
  }
  yield '</Folder></Document></kml>\n'
}

function placemark(photo: TrackPhoto): string {
  const { title, city, state, dateTaken } = photo
  const place = [city, state].filter(Boolean).join(', ') || null
  const time = dateTaken === null ? '' : `<TimeStamp>${element('when', dateTaken)}</TimeStamp>`
  const point = `<Point>${altitudeMode(photo)}<coordinates>${coordinates(photo)}</coordinates></Point>`
  return `<Placemark>${element('name', title)}${element('description', place)}${time}${point}</Placemark>\n`
}

function startKmlLine(photo: TrackPhoto): string {
  const name = element('name', `Flight ${photo.dateTaken?.slice(0, 16) ?? ''}`)
  const onGround = photo.altitude === null ? '<tessellate>1</tessellate>' : ''
  return `<Placemark>${name}<LineString>${onGround}${altitudeMode(photo)}<coordinates>\n`
}

function altitudeMode({ altitude }: TrackPhoto): string {
  return altitude === null ? '' : '<altitudeMode>absolute</altitudeMode>'
}

function coordinates({ longitude, latitude, altitude }: TrackPhoto): string {
  return `${longitude},${latitude}${altitude === null ? '' : `,${altitude}`}`
}

type Coordinates = [longitude: number, latitude: number]

/** Yields GeoJSON (RFC 7946): a point for each photo, then a line for each flight. `read` is called for both. */
async function* writeGeoJson(title: string, read: () => AsyncIterable<TrackPhoto[]>): AsyncGenerator<string> {
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

/** Characters that XML 1.0 does not allow, not even as references. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

/** A text as content of an element, or of an attribute, of XML 1.0; without characters that it does not allow. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(FORBIDDEN, '')
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

/** An element with a text; nothing for null. */
function element(name: string, value: string | number | null): string {
  return value === null ? '' : `<${name}>${escapeXml(String(value))}</${name}>`
}

/** The photos that make lines: of each flight with at least two, in order. */
async function* linePhotos(batches: AsyncIterable<TrackPhoto[]>): AsyncGenerator<LinePhoto[]> {
  let before: TrackPhoto | undefined
  let current: TrackPhoto | undefined
  const step = (next: TrackPhoto | undefined): LinePhoto[] => {
    const photo = current
    const isFirst = before?.flightId !== photo?.flightId
    const isLast = next?.flightId !== photo?.flightId
    before = photo
    current = next
    const isInLine = photo && photo.flightId !== null && !(isFirst && isLast)
    return isInLine ? [{ ...photo, isFirst, isLast }] : []
  }
  for await (const batch of batches) yield batch.flatMap(step)
  yield step(undefined)
}
