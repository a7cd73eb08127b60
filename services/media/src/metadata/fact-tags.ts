import { parseNumber, parseText, type TagGroups } from './tag-values.ts'

/*
 * Which tags hold a fact, and in which order: the first one with a value counts. `exif:ISO` is the tag ISO of the parser's group
 * `exif`; groups of XMP have the usual prefix of their namespace, tags in a structure its name before a dot. A function stands for a
 * tag whose value is converted.
 *
 * Here and wherever facts are kept, angles are degrees and lengths metres. Yaw is clockwise from true north, pitch above the
 * horizon (-90 looks straight down), roll clockwise as seen from behind the camera.
 *
 * Names are from EXIF 3.0 (CIPA DC-008), XMP part 2 (ISO 16684-2) and IPTC IIM 4.2, and those of drones from their files: DJI,
 * and Autel with DJI's names; Skydio, in the frame north, east, down; Parrot; and Pix4D's specification of XMP camera tags.
 */

export type Source = string | ((tags: TagGroups) => unknown)

/** The raw value of a tag. */
function rawValue(tags: TagGroups, source: Source): unknown {
  if (typeof source === 'function') return source(tags)
  const at = source.indexOf(':')
  return tags[source.slice(0, at)]?.[source.slice(at + 1)]
}

/** The first value that `parse` accepts. */
export function firstValue<T>(
  tags: TagGroups,
  sources: readonly Source[],
  parse: (value: unknown) => T | undefined,
): T | undefined {
  for (const source of sources) {
    const found = parse(rawValue(tags, source))
    if (found !== undefined) return found
  }
  return undefined
}

/** DJI's tag; Autel's drones write the same under prefixes of their own. */
const dji = (tag: string) => [`XMP-drone-dji:${tag}`, `XMP-drone-autel:${tag}`, `XMP-drone:${tag}`]

export const MAKE_SOURCES = ['ifd0:Make', 'XMP-tiff:Make']
/** What cameras write that do not know their serial number or their maker. */
const UNKNOWN = /^(?:[^1-9\p{L}]*|unknown|none|default|null|n\/?a|camera)$/iu

/** A text that says something. */
export function parseKnownText(value: unknown, maxLength?: number): string | undefined {
  const text = parseText(value, maxLength)
  return text !== undefined && !UNKNOWN.test(text) ? text : undefined
}

const FIRST_AUTEL_FIRMWARE = 'Autel Robotics Meta Data'
/** Further back a camera does not look: the angle is of another convention. */
const MAX_DEGREES_BACK = 30
/** A gimbal keeps its camera level to a few degrees. Without one the angles are those of the aircraft, in its own frame. */
const MAX_LEVEL_ROLL = 5

function isLevel({ 'XMP-Camera': camera = {} }: TagGroups): boolean {
  return Math.abs(parseNumber(camera.Roll) ?? 0) <= MAX_LEVEL_ROLL
}

/**
 * The pitch by `Camera:Pitch`, which Pix4D, Parrot and Autel's first firmware count from straight down. Later ones of Autel
 * count it from the horizon: there only a negative angle is certain.
 */
function pitchOfCamera(tags: TagGroups): number | undefined {
  const pitch = parseNumber(tags['XMP-Camera']?.Pitch)
  if (pitch === undefined || !isLevel(tags)) return undefined
  const isAutel = /^autel/i.test(firstValue(tags, MAKE_SOURCES, parseKnownText) ?? '')
  if (isAutel && tags['XMP-rdf']?.about !== FIRST_AUTEL_FIRMWARE) return pitch < 0 && pitch >= -90 ? pitch : undefined
  return pitch >= -MAX_DEGREES_BACK && pitch <= 180 ? pitch - 90 : undefined
}

const rollOfCamera = (tags: TagGroups) => (isLevel(tags) ? tags['XMP-Camera']?.Roll : undefined)

/** The direction of the picture by EXIF; none unless it is from true north: the declination is not known. */
const directionIn = (group: string) => (tags: TagGroups) => {
  const { GPSImgDirection, GPSImgDirectionRef } = tags[group] ?? {}
  const degrees = parseNumber(GPSImgDirection)
  const isTrue = parseText(GPSImgDirectionRef)?.toUpperCase().startsWith('T')
  return isTrue && degrees !== undefined && degrees >= 0 && degrees <= 360 ? degrees : undefined
}

const YAW_OF_CAMERA = [
  ...dji('GimbalYawDegree'),
  'XMP-drone-skydio:CameraOrientationNED.Yaw',
  'XMP-drone-parrot:CameraYawDegree',
  'XMP-Camera:Yaw',
]
const YAW_OF_AIRCRAFT = [
  ...dji('FlightYawDegree'),
  'XMP-drone-skydio:VehicleOrientationNED.Yaw',
  'XMP-drone-parrot:DroneYawDegree',
]

/** Numbers that the drone wrote. */
export const DRONE_SOURCES = {
  AbsoluteAltitude: [...dji('AbsoluteAltitude'), 'XMP-drone-skydio:AbsoluteAltitude'],
  RelativeAltitude: [...dji('RelativeAltitude'), 'XMP-drone-skydio:RelativeAltitude'],
  GimbalRollDegree: [
    ...dji('GimbalRollDegree'),
    'XMP-drone-skydio:CameraOrientationNED.Roll',
    'XMP-drone-parrot:CameraRollDegree',
    rollOfCamera,
  ],
  GimbalYawDegree: YAW_OF_CAMERA,
  GimbalPitchDegree: [
    ...dji('GimbalPitchDegree'),
    'XMP-drone-skydio:CameraOrientationNED.Pitch',
    'XMP-drone-parrot:CameraPitchDegree',
    pitchOfCamera,
  ],
  FlightRollDegree: [
    ...dji('FlightRollDegree'),
    'XMP-drone-skydio:VehicleOrientationNED.Roll',
    'XMP-drone-parrot:DroneRollDegree',
  ],
  FlightYawDegree: YAW_OF_AIRCRAFT,
  FlightPitchDegree: [
    ...dji('FlightPitchDegree'),
    'XMP-drone-skydio:VehicleOrientationNED.Pitch',
    'XMP-drone-parrot:DronePitchDegree',
  ],
  FlightXSpeed: dji('FlightXSpeed'),
  FlightYSpeed: dji('FlightYSpeed'),
  FlightZSpeed: dji('FlightZSpeed'),
  RtkFlag: dji('RtkFlag'),
  RtkStdLat: dji('RtkStdLat'),
  RtkStdLon: dji('RtkStdLon'),
  RtkStdHgt: dji('RtkStdHgt'),
} satisfies Record<string, Source[]>

/** Where the camera looks. */
export const HEADING_SOURCES = [...YAW_OF_CAMERA, directionIn('gps'), directionIn('XMP-exif'), ...YAW_OF_AIRCRAFT]

/** Of EXIF: the picture is shown turned by 180 degrees. */
const UPSIDE_DOWN = 3
const SOFTWARE_SOURCES = ['ifd0:Software', 'XMP-xmp:CreatorTool']
/** It changes files only to turn pictures: it rewrites the pixels, sets `Orientation` to 1 and keeps the angles of the drone. */
const TURNING_SOFTWARE = 'Microsoft Windows Photo Viewer'

/** Whether the picture was turned upside down after it was taken. */
export function isTurned(tags: TagGroups): boolean {
  if (parseNumber(tags.ifd0?.Orientation) === UPSIDE_DOWN) return true
  return SOFTWARE_SOURCES.some((source) => parseText(rawValue(tags, source))?.startsWith(TURNING_SOFTWARE))
}

/** The position that the drone wrote, signed. Some firmware versions misspell `GpsLongitude`. */
export const POSITION_SOURCES = {
  latitude: [...dji('GpsLatitude'), ...dji('GPSLatitude'), 'XMP-drone-skydio:Latitude'],
  longitude: [
    ...['GpsLongitude', 'GpsLongtitude', 'GPSLongitude', 'GPSLongtitude'].flatMap(dji),
    'XMP-drone-skydio:Longitude',
  ],
}

export const TEXT_SOURCES = {
  Model: ['ifd0:Model', 'XMP-tiff:Model'],
  LensModel: ['exif:LensModel', 'XMP-exifEX:LensModel'],
}

/** Numbers of the camera, for which 0 means unknown. */
export const CAMERA_SOURCES = {
  ExposureTime: ['exif:ExposureTime', 'XMP-exif:ExposureTime'],
  FNumber: ['exif:FNumber', 'XMP-exif:FNumber'],
  ISO: ['exif:ISO', 'XMP-exif:ISOSpeedRatings', 'XMP-exifEX:PhotographicSensitivity'],
  FocalLength: ['exif:FocalLength', 'XMP-exif:FocalLength'],
  FocalLengthIn35mmFormat: ['exif:FocalLengthIn35mmFormat', 'XMP-exif:FocalLengthIn35mmFilm'],
  DigitalZoomRatio: ['exif:DigitalZoomRatio', 'XMP-exif:DigitalZoomRatio'],
  ExifImageWidth: ['exif:ExifImageWidth', 'XMP-exif:PixelXDimension'],
  ExifImageHeight: ['exif:ExifImageHeight', 'XMP-exif:PixelYDimension'],
}

/** Of the aircraft by DJI; others, Autel and Parrot among them, write that of the camera. The last is of a DNG. */
export const SERIAL_SOURCES = [
  ...dji('DroneSerialNumber'),
  // EXIF's BodySerialNumber, by the name that exifr has for it.
  'exif:SerialNumber',
  'XMP-exifEX:BodySerialNumber',
  'XMP-aux:SerialNumber',
  'ifd0:CameraSerialNumber',
]

/** A tag with a date, the one with its time if that is apart, and the one with its zone if that is not in the text. */
export interface DateSource {
  date: string
  time?: string
  zone?: string
}

export const ORIGINAL_DATES: DateSource[] = [
  { date: 'exif:DateTimeOriginal', zone: 'exif:OffsetTimeOriginal' },
  { date: 'XMP-exif:DateTimeOriginal' },
]
/** When the file was created, which for cameras is when the photo was taken. */
export const CREATION_DATES: DateSource[] = [
  { date: 'exif:CreateDate', zone: 'exif:OffsetTimeDigitized' },
  { date: 'XMP-exif:DateTimeDigitized' },
  { date: 'iptc:DateCreated', time: 'iptc:TimeCreated' },
  { date: 'iptc:DigitalCreationDate', time: 'iptc:DigitalCreationTime' },
  { date: 'XMP-photoshop:DateCreated' },
  { date: 'XMP-xmp:CreateDate' },
  // Of a PNG.
  { date: 'ihdr:Creation Time' },
]
/** When the file was changed: of a photo that nobody edited when it was taken. */
export const CHANGE_DATES: DateSource[] = [
  { date: 'ifd0:ModifyDate', zone: 'exif:OffsetTime' },
  { date: 'XMP-tiff:DateTime' },
  { date: 'XMP-xmp:ModifyDate' },
]

/** The texts of a date. */
export function dateTexts(tags: TagGroups, { date, time, zone }: DateSource) {
  const parts = [date, ...(time ? [time] : [])].map((source) => parseText(rawValue(tags, source)))
  const isWhole = parts.every((part) => part !== undefined)
  return { written: isWhole ? parts.join(' ') : undefined, zone: zone && parseText(rawValue(tags, zone)) }
}
