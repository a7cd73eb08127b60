import { invalidFields } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import { publishChanged } from '../events.ts'
import type { Photo, Prisma } from '../generated/client.ts'
import { type Places, placeColumns } from '../places/places.ts'
import type { Folders } from '../projection/folders.ts'
import { lockGalleryPhotos } from './locks.ts'
import { endPairs, pairByOwner, pairFitting } from './pairs.ts'

/** Decimal places of a degree that the database keeps: about a centimetre. */
export const DECIMAL_PLACES = 7

/** Decimal degrees as text. */
interface Position {
  latitude: string
  longitude: string
}

/** A position with the names of its place; null: there is none. */
interface PlacedPosition {
  latitude: string | null
  longitude: string | null
  city: string | null
  county: string | null
  state: string | null
  countryNames: string | null
}

/** What a correction of a user's photos needs. */
interface Correcting {
  db: Database
  places: Places
  userId: number
}

/** New values from the owner; absent fields stay unchanged. */
export interface Correction {
  title?: string
  description?: string | null
  city?: string | null
  state?: string | null
  /** Null removes the position. */
  position?: Position | null
  dateTaken?: string | null
  /** The other file of the pair; null separates it for good. */
  pairedWith?: number | null
}

const TEXT_FIELDS = ['title', 'description', 'city', 'state', 'dateTaken'] as const
/** Text fields that processing sets too. */
const SET_BY_PROCESSING: readonly string[] = ['city', 'state', 'dateTaken']

/**
 * Corrects one of the user's photos, of a pair both files, and returns them; returns nothing when it is not the user's. Corrected
 * fields are marked even when their value does not change, so that processing never overwrites them. A date with which the
 * photo fits another one makes them a pair.
 * @throws AppError 409 for two files that are no pair, 503
 */
export async function correctPhoto(
  { db, folders, places, userId }: Correcting & { folders: Pick<Folders, 'findVoted'> },
  id: number,
  correction: Correction,
): Promise<Photo[]> {
  const { pairedWith, dateTaken } = correction
  return db.$transaction(async (tx) => {
    // Before the correction, so that all is locked in one order.
    const own = await lockGalleryPhotos(tx, pairedWith ? [id, pairedWith] : [id], userId)
    const isSame = (photo: Photo) => photo.id === id || photo.pairedWith === id
    const photos: Photo[] = []
    for (const photo of own.filter(isSame)) photos.push(await correctLocked(tx, photo, correction, places))
    const named = photos.find((photo) => photo.id === id)
    if (!named) return []
    if (pairedWith === null) return endPairs(tx, photos, true)
    if (pairedWith !== undefined)
      return pairByOwner(
        tx,
        named,
        own.find((photo) => photo.id === pairedWith),
      )
    return dateTaken === undefined ? photos : pairFitting(tx, folders, photos)
  })
}

async function correctLocked(tx: Transaction, photo: Photo, correction: Correction, places: Places): Promise<Photo> {
  const changes = findChanges(photo, correction, places)
  if (!changes) return photo
  const data = { ...changes, revision: { increment: 1 } }
  const corrected = await tx.photo.update({ where: { id: photo.id }, data })
  await publishChanged(tx, corrected)
  return corrected
}

/** Returns the columns that the correction changes, or null when there are none. */
function findChanges(photo: Photo, correction: Correction, places: Places): Prisma.PhotoUpdateInput | null {
  const given = TEXT_FIELDS.filter((field) => correction[field] !== undefined)
  const texts = given.filter((field) => correction[field] !== photo[field])
  const moved = correction.position !== undefined && !hasPosition(photo, correction.position)
  const marks: string[] = given.filter((field) => SET_BY_PROCESSING.includes(field))
  if (correction.position !== undefined) marks.push('position' satisfies CorrectedField)
  const corrected = [...new Set([...photo.corrected, ...marks])]
  if (texts.length === 0 && !moved && corrected.length === photo.corrected.length) return null
  return {
    ...Object.fromEntries(texts.map((field) => [field, correction[field]])),
    ...(moved ? positionWithPlace(correction.position ?? null, { ...photo, corrected }, correction, places) : {}),
    ...(!moved && texts.includes('state') && { county: null }),
    corrected,
  }
}

/** Whether a photo is exactly there; null: whether it has no position. */
function hasPosition({ latitude, longitude }: Photo, position: Position | null): boolean {
  if (!position || latitude === null || longitude === null) return !position && latitude === null && longitude === null
  return latitude.equals(position.latitude) && longitude.equals(position.longitude)
}

/** Returns the new position and its place; names that the owner sets now or has set before take precedence. */
function positionWithPlace(
  position: Position | null,
  photo: Photo,
  correction: Correction,
  places: Places,
): PlacedPosition {
  const place = placeColumns(position && places.lookup(Number(position.latitude), Number(position.longitude)))
  const nameFor = (field: 'city' | 'state') => {
    if (correction[field] !== undefined) return correction[field]
    return photo.corrected.includes(field) ? photo[field] : place[field]
  }
  const state = nameFor('state') ?? null
  return {
    latitude: position?.latitude ?? null,
    longitude: position?.longitude ?? null,
    city: nameFor('city') ?? null,
    state,
    county: state === place.state ? place.county : null,
    countryNames: place.countryNames,
  }
}

/** Fields that processing sets and the owner can correct. `position` is latitude and longitude. */
type CorrectedField = 'city' | 'state' | 'position' | 'dateTaken'

export type Correctable = Pick<Photo, 'corrected' | 'state'>

/**
 * Omits the fields that the owner corrected from a result of processing. The place depends on the position: a correction
 * of the position has set the place too. The county is omitted when the owner set a different state.
 */
export function omitCorrectedFields<Result extends Prisma.PhotoUpdateManyMutationInput>(
  result: Result,
  { corrected, state }: Correctable,
): Result {
  const kept = { ...result }
  const isCorrected = (field: CorrectedField) => corrected.includes(field)
  if (isCorrected('dateTaken')) delete kept.dateTaken
  if (isCorrected('position')) {
    delete kept.latitude
    delete kept.longitude
    delete kept.countryNames
  }
  if (isCorrected('position') || isCorrected('city')) delete kept.city
  if (isCorrected('position') || (isCorrected('state') && kept.state !== state)) delete kept.county
  if (isCorrected('position') || isCorrected('state')) delete kept.state
  return kept
}

/** Degrees. */
interface Coordinates {
  latitude: number
  longitude: number
}

/** A position of a photo; null: there is none. */
export interface PhotoPosition {
  id: number
  position: Coordinates | null
  /** Whether it is a correction, which processing never overwrites; true if absent. */
  corrected?: boolean
}

/** Where photos are to be: all at one position, each this far from where it is, or each at its own position. */
export type PositionChange = { to: Coordinates } | { by: Coordinates } | { each: PhotoPosition[] }

const POSITION: CorrectedField = 'position'
/** Files of a request with a position for each, with both of each pair: the positions that they had are as many, and undo it. */
export const MAX_PLACED_FILES = 200

/**
 * Corrects the positions of the user's photos among these, with their places, and returns the photos as they were before.
 * Those without a position cannot be moved from it: they are left out.
 * @throws AppError 400 for too many files with a position for each
 */
export async function setPositions(
  { db, places, userId }: Correcting,
  ids: number[],
  change: PositionChange,
): Promise<Photo[]> {
  const after = positionsAfter(change)
  return db.$transaction(async (tx) => {
    const own = (await lockGalleryPhotos(tx, ids, userId)).filter(
      (photo) => !('by' in change) || photo.latitude !== null,
    )
    if ('each' in change && own.length > MAX_PLACED_FILES) throw invalidFields({ positions: TOO_MANY_FILES })
    const changed = own.flatMap((photo) => {
      const { position, corrected } = after(photo)
      const isDone = hasPosition(photo, position) && photo.corrected.includes(POSITION) === corrected
      return isDone ? [] : { id: photo.id, corrected, ...positionWithPlace(position, photo, {}, places) }
    })
    if (changed.length === 0) return own
    await savePositions(tx, changed)
    const saved = await tx.photo.findMany({ where: { id: { in: changed.map(({ id }) => id) } } })
    await publishChanged(tx, ...saved)
    return own
  })
}

const TOO_MANY_FILES = 'There are too many photos, with both files of each pair. Please send fewer.'

/**
 * Gives each of the user's photos among these its own position, or none, and returns the positions that they had, of a pair both:
 * sent back, these undo the change.
 */
export async function placePhotos(correcting: Correcting, each: PhotoPosition[]): Promise<PhotoPosition[]> {
  const before = await setPositions(
    correcting,
    each.map(({ id }) => id),
    { each },
  )
  return before.map(({ id, latitude, longitude, corrected }) => ({
    id,
    position: latitude && longitude && { latitude: latitude.toNumber(), longitude: longitude.toNumber() },
    corrected: corrected.includes(POSITION),
  }))
}

interface ChangedPosition extends PlacedPosition {
  id: number
  corrected: boolean
}

async function savePositions(tx: Pick<Database, '$executeRaw'>, changed: ChangedPosition[]) {
  const column = <Key extends keyof ChangedPosition>(key: Key) => changed.map((photo) => photo[key])
  await tx.$executeRaw`
    UPDATE photos SET latitude = new.latitude, longitude = new.longitude, city = new.city, county = new.county,
      state = new.state, country_names = new.country_names, revision = revision + 1,
      corrected = array_remove(photos.corrected, ${POSITION}) || CASE WHEN new.corrected THEN ARRAY[${POSITION}] ELSE '{}' END
    FROM unnest(
      ${column('id')}::int[], ${column('corrected')}::boolean[], ${column('latitude')}::numeric[],
      ${column('longitude')}::numeric[], ${column('city')}::text[], ${column('county')}::text[],
      ${column('state')}::text[], ${column('countryNames')}::text[]
    ) AS new (id, corrected, latitude, longitude, city, county, state, country_names)
    WHERE photos.id = new.id`
}

/** Of a pair, the file that is not named goes with the other one. */
function positionsAfter(change: PositionChange): (photo: Photo) => { position: Position | null; corrected: boolean } {
  if ('to' in change) return () => ({ position: toPosition(change.to), corrected: true })
  if ('by' in change) {
    const { by } = change
    return ({ latitude, longitude }) => ({
      position: toPosition({ latitude: Number(latitude) + by.latitude, longitude: Number(longitude) + by.longitude }),
      corrected: true,
    })
  }
  const given = new Map(change.each.map((one) => [one.id, one]))
  return ({ id, pairedWith }) => {
    const { position = null, corrected = true } = given.get(id) ?? given.get(pairedWith ?? id) ?? {}
    return { position: position && toPosition(position), corrected }
  }
}

function toPosition({ latitude: y, longitude: x }: Coordinates): Position {
  // A move ends at the pole, and goes on behind the date line.
  const within = x < -180 ? x + 360 : x > 180 ? x - 360 : x
  return {
    latitude: Math.min(90, Math.max(-90, y)).toFixed(DECIMAL_PLACES),
    longitude: within.toFixed(DECIMAL_PLACES),
  }
}
