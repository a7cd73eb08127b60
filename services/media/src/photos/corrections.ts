import type { Database } from '../database.ts'
import { publishChanged } from '../events.ts'
import type { Photo, Prisma } from '../generated/client.ts'
import type { Places } from '../places/places.ts'
import { lockOwn } from './changes.ts'
import type { CorrectedField } from './corrected.ts'

/** What the owner says of a photo; what is absent stays as it is. */
export interface Correction {
  title?: string
  description?: string | null
  city?: string | null
  state?: string | null
  /** Decimal degrees as text; null: the photo has no position. */
  position?: { latitude: string; longitude: string } | null
  dateTaken?: string | null
}

const TEXTS = ['title', 'description', 'city', 'state', 'dateTaken'] as const
/** Those of the texts that processing would set. */
const READ_FROM_FILE: readonly string[] = ['city', 'state', 'dateTaken']

/**
 * Corrects one of the user's photos and gives it; none when it is not the user's. What the owner says is marked, also
 * where the photo says so already (or nothing yet), so that processing leaves it alone.
 */
export async function correctPhoto(
  db: Database,
  places: Places,
  { id, userId }: { id: number; userId: number },
  correction: Correction,
): Promise<Photo[]> {
  return db.$transaction(async (tx) => {
    const [photo] = await lockOwn(tx, [id], userId)
    if (!photo) return []
    const changes = changesBy(photo, correction, places)
    if (!changes) return [photo]
    const corrected = await tx.photo.update({ where: { id }, data: { ...changes, revision: { increment: 1 } } })
    await publishChanged(tx, corrected)
    return [corrected]
  })
}

/** The columns that a correction changes; null when none. */
function changesBy(photo: Photo, wanted: Correction, places: Places): Prisma.PhotoUpdateInput | null {
  const said = TEXTS.filter((field) => wanted[field] !== undefined)
  const texts = said.filter((field) => wanted[field] !== photo[field])
  const moved = wanted.position !== undefined && !isAt(photo, wanted.position)
  const marks: string[] = said.filter((field) => READ_FROM_FILE.includes(field))
  if (wanted.position !== undefined) marks.push('position' satisfies CorrectedField)
  const corrected = [...new Set([...photo.corrected, ...marks])]
  if (texts.length === 0 && !moved && corrected.length === photo.corrected.length) return null
  return {
    ...Object.fromEntries(texts.map((field) => [field, wanted[field]])),
    ...(moved ? movedTo(wanted.position ?? null, { ...photo, corrected }, wanted, places) : {}),
    ...(!moved && texts.includes('state') && { county: null }),
    corrected,
  }
}

function isAt({ latitude, longitude }: Photo, position: Correction['position']): boolean {
  if (!position || latitude === null || longitude === null) return !position && latitude === null && longitude === null
  return latitude.equals(position.latitude) && longitude.equals(position.longitude)
}

/** The new position with its place, as far as the owner does not or did not name it. */
function movedTo(
  position: NonNullable<Correction['position']> | null,
  photo: Photo,
  wanted: Correction,
  places: Places,
): Prisma.PhotoUpdateInput {
  const place = position && places.lookup(Number(position.latitude), Number(position.longitude))
  const named = (field: 'city' | 'state') =>
    wanted[field] !== undefined ? wanted[field] : photo.corrected.includes(field) ? photo[field] : place?.[field]
  const state = named('state') ?? null
  return {
    latitude: position?.latitude ?? null,
    longitude: position?.longitude ?? null,
    city: named('city') ?? null,
    state,
    county: state === (place?.state ?? null) ? (place?.county ?? null) : null,
  }
}
