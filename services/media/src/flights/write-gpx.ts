import { linePhotos, type TrackPhoto } from './track-photos.ts'
import { element, escapeXml } from './xml.ts'

const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="Skyfolio" xmlns="http://www.topografix.com/GPX/1/1">
`

/** Yields GPX 1.1: a waypoint for each photo, then a track for each flight. `read` is called for both. */
export async function* writeGpx(title: string, read: () => AsyncIterable<TrackPhoto[]>): AsyncGenerator<string> {
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
