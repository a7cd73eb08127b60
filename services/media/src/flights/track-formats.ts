import { writeGeoJson } from './write-geojson.ts'
import { writeGpx } from './write-gpx.ts'
import { writeKml } from './write-kml.ts'

/** The formats of tracks as files. */
export const TRACK_FORMATS = {
  gpx: { mediaType: 'application/gpx+xml', extension: 'gpx', write: writeGpx },
  kml: { mediaType: 'application/vnd.google-earth.kml+xml', extension: 'kml', write: writeKml },
  geojson: { mediaType: 'application/geo+json', extension: 'geojson', write: writeGeoJson },
}
export type TrackFormatName = keyof typeof TRACK_FORMATS
