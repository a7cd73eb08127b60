import type { Photo } from '../api/types.ts'
import { formatNumber } from '../lib/format.ts'

/** What the camera wrote into a photo. */
export type Metadata = NonNullable<Photo['metadata']>
export type Drone = NonNullable<Metadata['drone']>

/** '1/240 s', '0.5 s', '30 s'. */
export function formatExposureTime(seconds: number): string {
  if (seconds < 0.25001) return `1/${formatNumber(Math.round(1 / seconds))} s`
  return `${Number(seconds.toFixed(1))} s`
}

/** Time, f-number and ISO: '1/240 s · f/2.8 · ISO 100', as far as they are known; null without any. */
export function formatExposure({ ExposureTime, FNumber, ISO }: Metadata): string | null {
  const parts = [
    ExposureTime && formatExposureTime(ExposureTime),
    FNumber && `f/${Number(FNumber.toFixed(1))}`,
    ISO && `ISO ${ISO}`,
  ]
  return parts.filter(Boolean).join(' · ') || null
}

/** 'DJI FC7303'; models that begin with the maker's name say it once. Null without both. */
export function formatCamera({ Make, Model }: Metadata): string | null {
  if (Make && Model?.toLowerCase().startsWith(Make.toLowerCase())) return Model
  return [Make, Model].filter(Boolean).join(' ') || null
}

/** '5,280 × 3,956 pixels': after orientation where it is known, otherwise as the camera wrote it. */
export function formatDimensions(photo: Pick<Photo, 'width' | 'height'>, metadata: Metadata | null): string | null {
  const width = photo.width ?? metadata?.ExifImageWidth
  const height = photo.height ?? metadata?.ExifImageHeight
  return width && height ? `${formatNumber(width)} × ${formatNumber(height)} pixels` : null
}

const FORMATS: Record<string, string> = { jpg: 'JPEG', png: 'PNG', tif: 'TIFF', gif: 'GIF', bmp: 'BMP', dng: 'DNG' }

/** The format by the stored name, whose extension is the true one: 'JPEG'. */
export function formatOf({ filename }: Pick<Photo, 'filename'>): string {
  const extension = filename.slice(filename.lastIndexOf('.') + 1).toLowerCase()
  return FORMATS[extension] ?? extension.toUpperCase()
}

const POINTS = ['N', 'NNE', 'NE', 'ENE', 'E', 'ESE', 'SE', 'SSE', 'S', 'SSW', 'SW', 'WSW', 'W', 'WNW', 'NW', 'NNW']

export interface Heading {
  /** 0 to 359, clockwise from north. */
  degrees: number
  /** Of the 16 points of the compass. */
  point: string
}

/** Where the drone headed, or where its camera did; null when it wrote neither. Drones count from -180 to 180. */
export function headingOf({ FlightYawDegree, GimbalYawDegree }: Drone): Heading | null {
  const yaw = FlightYawDegree ?? GimbalYawDegree
  if (yaw === undefined) return null
  const degrees = Math.round(((yaw % 360) + 360) % 360) % 360
  return { degrees, point: POINTS[Math.round(degrees / 22.5) % POINTS.length] ?? '' }
}

/** '−89.9°', '12.5°'; a real minus sign. */
export function formatDegrees(degrees: number): string {
  return `${formatSigned(degrees)}°`
}

/** '119.7 m'. */
export function formatMetres(metres: number): string {
  return `${formatSigned(metres)} m`
}

function formatSigned(value: number): string {
  const rounded = Number(value.toFixed(1)) + 0
  return formatNumber(rounded).replace('-', '−')
}

/** A search for the position in an external maps service. */
export function mapLink(latitude: string, longitude: string): string {
  const query = `${Number(latitude).toFixed(6)},${Number(longitude).toFixed(6)}`
  return `https://www.google.com/maps/search/?api=1&query=${encodeURIComponent(query)}`
}
