import type { RenditionNames } from '../src/files/object-keys.ts'
import type { Prisma } from '../src/generated/client.ts'

/** Renditions that several photos share. */
export interface SampleRenditions extends RenditionNames {
  previewBytes?: number | null
  previewCrc32?: number | null
  thumbhash: string
  width: number
  height: number
}

type SamplePlace = [
  city: string,
  state: string,
  county: string | null,
  latitude: number,
  longitude: number,
  /** Relative frequency of flights there. */
  weight: number,
]

/** A home, places around it, and destinations of journeys. */
const PLACES: SamplePlace[] = [
  ['San Diego', 'California', 'San Diego', 32.7157, -117.1611, 30],
  ['La Jolla', 'California', 'San Diego', 32.8328, -117.2713, 12],
  ['Los Angeles', 'California', 'Los Angeles', 34.0522, -118.2437, 8],
  ['Big Sur', 'California', 'Monterey', 36.2704, -121.8081, 6],
  ['Moab', 'Utah', 'Grand', 38.5733, -109.5498, 6],
  ['Sedona', 'Arizona', 'Yavapai', 34.8697, -111.761, 5],
  ['Page', 'Arizona', 'Coconino', 36.9147, -111.4558, 4],
  ['Honolulu', 'Hawaii', 'Honolulu', 21.3069, -157.8583, 4],
  ['Hilo', 'Hawaii', 'Hawaii', 19.7074, -155.0885, 3],
  ['New York', 'New York', 'New York', 40.7128, -74.006, 3],
  ['Kansas City', 'Missouri', 'Jackson', 39.0997, -94.5786, 2],
  ['Kansas City', 'Kansas', 'Wyandotte', 39.1155, -94.6268, 2],
  ['Portland', 'Oregon', 'Multnomah', 45.5152, -122.6784, 2],
  ['Portland', 'Maine', 'Cumberland', 43.6591, -70.2568, 2],
  ['Reykjavík', 'Höfuðborgarsvæði', null, 64.1466, -21.9426, 2],
  ['Zürich', 'Zürich', null, 47.3769, 8.5417, 2],
  ['München', 'Bayern', null, 48.1351, 11.582, 2],
  ['Kyoto', 'Kyoto', null, 35.0116, 135.7681, 2],
  ['Queenstown', 'Otago', null, -45.0312, 168.6626, 2],
  ['Ålesund', 'Møre og Romsdal', null, 62.4722, 6.1495, 1],
]
/** Each place as often as its weight says. */
const WEIGHTED_PLACES = PLACES.flatMap((place) => Array.from({ length: place[5] }, () => place))
const TITLES = ['Harbour at dusk', 'Lighthouse', 'Golden hour over the bay', 'Wedding', 'Construction site', 'Cliffs']
const SENTENCES = ['Taken shortly after sunrise.', 'Orthophoto run, 80 m, 75 % overlap.', 'For the print of the month.']
const CAMERAS = [
  { Make: 'DJI', Model: 'FC3582', LensModel: '24.0 mm f/1.7', FNumber: 1.7, FocalLength: 6.72 },
  { Make: 'Hasselblad', Model: 'L2D-20c', LensModel: '28.0 mm f/2.8', FNumber: 2.8, FocalLength: 12.29 },
  { Make: 'Autel Robotics', Model: 'XT705', LensModel: '25.6 mm f/1.8', FNumber: 1.8, FocalLength: 10.57 },
]
const HOUR_MS = 3600 * 1000
const DAY_MS = 24 * HOUR_MS

/** A reproducible sequence of numbers from 0 to 1. */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

function pick<T>(random: () => number, all: readonly T[]): T {
  return all[Math.floor(random() * all.length)] as T
}

/** Metadata of a drone photo. */
function sampleMetadata(random: () => number, dateTaken: string) {
  const rounded = (most: number) => Math.round(random() * most * 10) / 10
  return {
    ...pick(random, CAMERAS),
    ExposureTime: 1 / pick(random, [120, 240, 500, 1000, 2000]),
    ISO: pick(random, [100, 100, 100, 200, 400]),
    ExifImageWidth: 4032,
    ExifImageHeight: 3024,
    DateTimeOriginal: dateTaken,
    drone: {
      RelativeAltitude: rounded(120),
      GimbalPitchDegree: -rounded(90),
      GimbalYawDegree: rounded(180),
      FlightYawDegree: rounded(180),
    },
  }
}

/** Titles and descriptions: most titles are the camera's, some are names, three are a rare one. */
function sampleTexts(random: () => number, index: number, count: number) {
  if ([0.1, 0.5, 0.9].some((share) => index === Math.floor(count * share))) {
    return { title: 'Zugspitze at first light', description: null }
  }
  const named = random() < 0.15
  return {
    title: named ? pick(random, TITLES) : `DJI_${String((index % 9999) + 1).padStart(4, '0')}`,
    description: random() < 0.1 ? pick(random, SENTENCES) : null,
  }
}

export interface GalleryOptions {
  userId: number
  count: number
  renditions: SampleRenditions[]
  /** Upload time of the latest photo. */
  until: Date
  /** File name, size and hash of the original of a photo. */
  original(index: number): { filename: string; filesize: number; sha256: string }
}

/**
 * Rows like those of a real gallery, oldest first: flights of dozens to hundreds of photos at one place, uploaded
 * together, over years; one in twenty photos has no place.
 */
export function* galleryRows(options: GalleryOptions): Generator<Prisma.PhotoCreateManyInput> {
  const { userId, count, renditions, until } = options
  const random = seededRandom(count)
  const flights: { place: SamplePlace; photos: number }[] = []
  for (let photos = 0; photos < count; photos += flights.at(-1)?.photos ?? 0) {
    const longest = Math.max(5, Math.min(800, count / 10))
    flights.push({ place: pick(random, WEIGHTED_PLACES), photos: 5 + Math.floor(random() ** 3 * longest) })
  }
  let index = 0
  for (const [flight, { place, photos }] of flights.entries()) {
    const uploadedAt =
      until.getTime() - (flights.length - 1 - flight) * Math.min(DAY_MS, (1500 * DAY_MS) / flights.length)
    const [city, state, county, latitude, longitude] = place
    const flownAt = uploadedAt - random() * 3 * DAY_MS
    for (let within = 0; within < photos && index < count; within += 1, index += 1) {
      const dateTaken = new Date(flownAt + within * 4000).toISOString().slice(0, 19)
      const located = random() >= 0.05
      const near = (degrees: number) => (degrees + (random() - 0.5) * 0.04).toFixed(7)
      yield {
        userId,
        ...sampleTexts(random, index, count),
        ...options.original(index),
        ...(renditions[index % renditions.length] as SampleRenditions),
        originalName: `${GENERATED_PREFIX}${index}.jpg`,
        ownIsPublic: false,
        metadata: sampleMetadata(random, dateTaken),
        latitude: located ? near(latitude) : null,
        longitude: located ? near(longitude) : null,
        altitude: Math.round(random() * 500),
        city: located ? city : null,
        county: located ? county : null,
        state: located ? state : null,
        countryNames: located && county ? 'USA United States of America' : null,
        dateTaken,
        // Ten photos per request have the same time.
        createdAt: new Date(uploadedAt - (photos - within) * 100 + (within % 10) * 100),
        status: 'ready',
      }
    }
  }
}

/** Groups rows into batches, one per INSERT statement. */
export function* inBatches<T>(rows: Iterable<T>, size: number): Generator<T[]> {
  let batch: T[] = []
  for (const row of rows) {
    if (batch.push(row) < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Prefix of the original names of generated photos, by which they are found again. */
export const GENERATED_PREFIX = 'generated/'
