import { linePhotos, type TrackPhoto } from './track-photos.ts'
import { element } from './xml.ts'

/** Yields KML 2.2: a point for each photo, then a line for each flight. `read` is called for both. */
export async function* writeKml(title: string, read: () => AsyncIterable<TrackPhoto[]>): AsyncGenerator<string> {
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
        const start = isFirst ? startLine(photo) : ''
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

function startLine(photo: TrackPhoto): string {
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
