import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from '../database.ts'
import { publishChanged } from '../events.ts'
import type { Photo } from '../generated/client.ts'
import type { Place, Places } from '../places/places.ts'
import { lockPhotos } from './changes.ts'

/** Photos of one transaction: it holds their locks for some tens of milliseconds. */
const BATCH = 500
/** Places that are looked up before other requests get their turn. */
const LOOKUPS_A_TURN = 50

interface Unnamed {
  id: number
  latitude: number
  longitude: number
}

type Named = Unnamed & { place: Place }

/** Names the places of users' photos, one run a user: who asks while one goes on gets its result. */
export function createLocationFixer(db: Database, places: Places, committed: () => void) {
  const running = new Map<number, Promise<number>>()
  return {
    /**
     * Gives those of the user's photos a place that have a position and no place, unless the owner corrected it. What
     * was done before an error stays done. Gives the number of photos that changed.
     */
    fix(userId: number): Promise<number> {
      const current = running.get(userId)
      if (current) return current
      const run = fixAll(db, places, userId, committed).finally(() => running.delete(userId))
      running.set(userId, run)
      return run
    },
  }
}

async function fixAll(db: Database, places: Places, userId: number, committed: () => void): Promise<number> {
  let updated = 0
  let after = 0
  for (;;) {
    const batch = await unnamedAfter(db, userId, after)
    const named = await lookUp(places, batch)
    if (named.length > 0) updated += await name(db, named)
    committed()
    if (batch.length < BATCH) return updated
    after = batch.at(-1)?.id ?? after
  }
}

function unnamedAfter(db: Database, userId: number, after: number): Promise<Unnamed[]> {
  return db.$queryRaw`
    SELECT id, latitude::float AS latitude, longitude::float AS longitude FROM photos
    WHERE user_id = ${userId}::int AND purpose = 'gallery' AND id > ${after}::int
      AND latitude IS NOT NULL AND longitude IS NOT NULL AND (city IS NULL OR state IS NULL)
      AND NOT corrected && ARRAY['city', 'state']
    ORDER BY id LIMIT ${BATCH}`
}

/** Photos far out at sea are left out: they have no place. */
async function lookUp(places: Places, batch: Unnamed[]): Promise<Named[]> {
  const named: Named[] = []
  for (const [index, photo] of batch.entries()) {
    if (index % LOOKUPS_A_TURN === 0) await nextTurn()
    const place = places.lookup(photo.latitude, photo.longitude)
    if (place) named.push({ ...photo, place })
  }
  return named
}

/** Gives the photos their places and events. One that was moved, named, corrected or deleted meanwhile stays as it is. */
async function name(db: Database, named: Named[]): Promise<number> {
  return db.$transaction(async (tx) => {
    const wanted = new Map(named.map((photo) => [photo.id, photo]))
    const changed = (await lockPhotos(tx, [...wanted.keys()])).flatMap((photo) => {
      const found = wanted.get(photo.id)
      return found && isStillUnnamed(photo, found) ? withPlace(photo, found.place) : []
    })
    if (changed.length === 0) return 0
    await tx.$executeRaw`
      UPDATE photos SET city = place.city, county = place.county, state = place.state, revision = revision + 1
      FROM unnest(
        ${changed.map(({ id }) => id)}::int[], ${changed.map(({ city }) => city)}::text[],
        ${changed.map(({ county }) => county)}::text[], ${changed.map(({ state }) => state)}::text[]
      ) AS place (id, city, county, state)
      WHERE photos.id = place.id`
    await publishChanged(tx, ...changed)
    return changed.length
  })
}

function isStillUnnamed(photo: Photo, { latitude, longitude }: Unnamed): boolean {
  if (photo.corrected.includes('city') || photo.corrected.includes('state')) return false
  return Number(photo.latitude) === latitude && Number(photo.longitude) === longitude
}

/** The photo as it will be; none when it says all that already. */
function withPlace(photo: Photo, { city, county, state }: Place): Photo[] {
  if (photo.city === city && photo.county === county && photo.state === state) return []
  return [{ ...photo, city, county, state, revision: photo.revision + 1 }]
}
