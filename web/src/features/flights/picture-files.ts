import { EARTH_RADIUS, type Position, project } from '../../lib/geography.ts'

/** Where the corners of a picture are on the ground: top left, top right, bottom right, bottom left. */
type Corners = readonly Position[]

/** Beyond the date line, they move to the side where they are. A picture that crosses it stays in one piece. */
function withinTheWorld(corners: Corners): Corners {
  const move = (by: number) => corners.map((corner) => ({ ...corner, longitude: corner.longitude + by }))
  if (corners.every(({ longitude }) => longitude < -180)) return move(360)
  return corners.every(({ longitude }) => longitude > 180) ? move(-360) : corners
}

export interface Overlay {
  name: string
  /** Of the picture, within the archive. */
  path: string
  corners: Corners
}

/**
 * KML 2.2 with Google's extension for pictures between four corners, the lowest picture first
 * (https://developers.google.com/kml/documentation/kmlreference#gxlatlonquad). Its longitudes go beyond 180 degrees across the date line, as
 * that reference has it for `LatLonBox`.
 */
export function writeKml(title: string, overlays: readonly Overlay[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Document><name>${escapeXml(title)}</name>
<Folder><name>Photos on the ground</name>
${overlays.map(groundOverlay).join('')}</Folder></Document></kml>
`
}

function groundOverlay({ name, path, corners }: Overlay, order: number): string {
  // Counter-clockwise from the lower left.
  const quad = withinTheWorld(corners)
    .toReversed()
    .map(({ longitude, latitude }) => `${longitude.toFixed(8)},${latitude.toFixed(8)}`)
    .join(' ')
  return `<GroundOverlay><name>${escapeXml(name)}</name><drawOrder>${order}</drawOrder><Icon><href>${escapeXml(path)}</href></Icon><gx:LatLonQuad><coordinates>${quad}</coordinates></gx:LatLonQuad></GroundOverlay>\n`
}

/** Characters that XML 1.0 does not allow, not even as references. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** A text as content of an element. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(FORBIDDEN, '')
    .replaceAll(/[&<>]/g, (character) => ENTITIES[character] ?? '')
}

/**
 * The world file of a picture of this size in pixels, in Web Mercator: what a column and a row add to x and y, and the middle of the
 * first pixel (https://desktop.arcgis.com/en/arcmap/latest/manage-data/raster-and-images/world-files-for-raster-datasets.htm). It is
 * the affine transformation that comes closest to the corners by least squares, which of four corners is the mean of opposite edges.
 */
export function writeWorldFile(corners: Corners, { width, height }: { width: number; height: number }): string {
  const points = withinTheWorld(corners).map(toWebMercator)
  const sum = (axis: 'x' | 'y', signs: readonly number[]) =>
    points.reduce((total, point, index) => total + point[axis] * (signs[index] ?? 0), 0)
  const along = (axis: 'x' | 'y') => {
    const column = sum(axis, [-1, 1, 1, -1]) / 2 / width
    const row = sum(axis, [-1, -1, 1, 1]) / 2 / height
    const first = sum(axis, [1, 1, 1, 1]) / 4 - (column * (width - 1)) / 2 - (row * (height - 1)) / 2
    return { column, row, first }
  }
  const [x, y] = [along('x'), along('y')]
  return [x.column, y.column, x.row, y.row, x.first, y.first].map((value) => `${value.toFixed(10)}\n`).join('')
}

/** Metres of EPSG:3857; beyond its edge for longitudes beyond 180 degrees. */
function toWebMercator(position: Position): { x: number; y: number } {
  const x = (position.longitude / 180) * Math.PI * EARTH_RADIUS
  return { x, y: (0.5 - project(position).y) * 2 * Math.PI * EARTH_RADIUS }
}

/** Web Mercator in the words of ESRI, for the programs that read `.prj`. */
export const PROJECTION =
  'PROJCS["WGS_1984_Web_Mercator_Auxiliary_Sphere",GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Mercator_Auxiliary_Sphere"],PARAMETER["False_Easting",0.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",0.0],PARAMETER["Standard_Parallel_1",0.0],PARAMETER["Auxiliary_Sphere_Type",0.0],UNIT["Meter",1.0]]'

/** The same for GDAL, which reads no `.prj` of a JPEG. */
export const GDAL_PROJECTION = '<PAMDataset><SRS>EPSG:3857</SRS></PAMDataset>\n'

/** Characters, so that with its number and extension no name has more than the 255 bytes that file systems allow. */
const MAX_NAME = 50

/** The name of a file without extension: the number makes it unique, and no device, hidden file or option. */
export function fileNameOf(title: string, number: number, count: number): string {
  const name = title.normalize('NFC').replaceAll(/[^\p{L}\p{M}\p{N} ._()-]+/gu, '_')
  return `${String(number).padStart(String(count).length, '0')} ${[...name].slice(0, MAX_NAME).join('')}`.trim()
}
