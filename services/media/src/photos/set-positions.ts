import type { Database } from '../database.ts'
import { publishChanged } from '../events.ts'
import type { Photo } from '../generated/client.ts'
import type { Places } from '../places/places.ts'
import { hasPosition, type PlacedPosition, type Position, positionWithPlace } from './correct-photo.ts'
import type { CorrectedField } from './corrected-fields.ts'
import { DECIMAL_PLACES } from './correction-request.ts'
import { lockOwnPhotos } from './locks.ts'

/** Degrees. */
export interface Coordinates {
  latitude: number
  longitude: number
}

/** Where photos are to be: all at one position, or each this far from where it is. */
export type PositionChange = { to: Coordinates } | { by: Coordinates }

const POSITION: CorrectedField = 'position'

/**
 * Corrects the positions of the user's photos among these, with their places, and returns the photos. Those without a
 * position cannot be moved from it: they are left out.
 */
export async function setPositions(
  db: Database,
  places: Places,
  ids: number[],
  { userId, change }: { userId: number; change: PositionChange },
): Promise<Photo[]> {
  return db.$transaction(async (tx) => {
    const own = (await lockOwnPhotos(tx, ids, userId)).filter((photo) => 'to' in change || photo.latitude !== null)
    const changed = own.flatMap((photo) => {
      const position = positionAfter(photo, change)
      const isDone = hasPosition(photo, position) && photo.corrected.includes(POSITION)
      return isDone ? [] : { id: photo.id, ...positionWithPlace(position, photo, {}, places) }
    })
    if (changed.length === 0) return own
    await savePositions(tx, changed)
    const saved = await tx.photo.findMany({ where: { id: { in: changed.map(({ id }) => id) } } })
    await publishChanged(tx, ...saved)
    const savedById = new Map(saved.map((photo) => [photo.id, photo]))
    return own.map((photo) => savedById.get(photo.id) ?? photo)
  })
}

async function savePositions(tx: Pick<Database, '$executeRaw'>, changed: ({ id: number } & PlacedPosition)[]) {
  const column = <Key extends keyof PlacedPosition>(key: Key) => changed.map((photo) => photo[key])
  await tx.$executeRaw`
    UPDATE photos SET latitude = new.latitude, longitude = new.longitude, city = new.city, county = new.county,
      state = new.state, revision = revision + 1,
      corrected = CASE WHEN ${POSITION} = ANY (corrected) THEN corrected ELSE corrected || ${POSITION}::text END
    FROM unnest(
      ${changed.map(({ id }) => id)}::int[], ${column('latitude')}::numeric[], ${column('longitude')}::numeric[],
      ${column('city')}::text[], ${column('county')}::text[], ${column('state')}::text[]
    ) AS new (id, latitude, longitude, city, county, state)
    WHERE photos.id = new.id`
}

function positionAfter({ latitude, longitude }: Photo, change: PositionChange): Position {
  const { latitude: y, longitude: x } =
    'to' in change
      ? change.to
      : { latitude: Number(latitude) + change.by.latitude, longitude: Number(longitude) + change.by.longitude }
  // A move ends at the pole, and goes on behind the date line.
  const within = x < -180 ? x + 360 : x > 180 ? x - 360 : x
  return {
    latitude: Math.min(90, Math.max(-90, y)).toFixed(DECIMAL_PLACES),
    longitude: within.toFixed(DECIMAL_PLACES),
  }
}
