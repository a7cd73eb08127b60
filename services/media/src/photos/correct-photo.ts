import type { Database } from '../database.ts'
import { publishChanged } from '../events.ts'
import type { Photo, Prisma } from '../generated/client.ts'
import type { Places } from '../places/places.ts'
import type { CorrectedField } from './corrected-fields.ts'
import { lockOwnPhotos } from './locks.ts'

/** Decimal degrees as text. */
export interface Position {
  latitude: string
  longitude: string
}

/** A position with the names of its place; null: there is none. */
export interface PlacedPosition {
  latitude: string | null
  longitude: string | null
  city: string | null
  county: string | null
  state: string | null
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
}

const TEXT_FIELDS = ['title', 'description', 'city', 'state', 'dateTaken'] as const
/** Text fields that processing sets too. */
const SET_BY_PROCESSING: readonly string[] = ['city', 'state', 'dateTaken']

/**
 * Corrects one of the user's photos and returns it; returns nothing when it is not the user's. Corrected fields are
 * marked even when their value does not change, so that processing never overwrites them.
 */
export async function correctPhoto(
  db: Database,
  places: Places,
  { id, userId }: { id: number; userId: number },
  correction: Correction,
): Promise<Photo[]> {
  return db.$transaction(async (tx) => {
    const [photo] = await lockOwnPhotos(tx, [id], userId)
    if (!photo) return []
    const changes = findChanges(photo, correction, places)
    if (!changes) return [photo]
    const corrected = await tx.photo.update({ where: { id }, data: { ...changes, revision: { increment: 1 } } })
    await publishChanged(tx, corrected)
    return [corrected]
  })
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
export function hasPosition({ latitude, longitude }: Photo, position: Position | null): boolean {
  if (!position || latitude === null || longitude === null) return !position && latitude === null && longitude === null
  return latitude.equals(position.latitude) && longitude.equals(position.longitude)
}

/** Returns the new position and its place; names that the owner sets now or has set before take precedence. */
export function positionWithPlace(
  position: Position | null,
  photo: Photo,
  correction: Correction,
  places: Places,
): PlacedPosition {
  const place = position && places.lookup(Number(position.latitude), Number(position.longitude))
  const nameFor = (field: 'city' | 'state') => {
    if (correction[field] !== undefined) return correction[field]
    return photo.corrected.includes(field) ? photo[field] : place?.[field]
  }
  const state = nameFor('state') ?? null
  return {
    latitude: position?.latitude ?? null,
    longitude: position?.longitude ?? null,
    city: nameFor('city') ?? null,
    state,
    county: state === (place?.state ?? null) ? (place?.county ?? null) : null,
  }
}
