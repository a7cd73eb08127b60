import { setImmediate as nextTick } from 'node:timers/promises'
import { type Static, Type } from 'typebox'
import type { Database } from '../database.ts'
import type { Photo } from '../generated/client.ts'
import { type Place, type Places, placeColumns } from '../places/places.ts'
import { lockPhotos } from './locks.ts'
import { changePhotos } from './placement.ts'

/** Photos per transaction: it holds their locks for some tens of milliseconds, longer when they are of many places. */
const BATCH = 500
/** Places that are looked up before the event loop serves other requests. */
const LOOKUPS_PER_TICK = 50

export const FixedLocations = Type.Object({
  updatedCount: Type.Integer(),
  checkedCount: Type.Integer({ description: 'Photos that had a position but no place' }),
  withoutPlaceCount: Type.Integer({ description: 'Photos that have neither city nor state now' }),
})
export type FixedLocations = Static<typeof FixedLocations>

interface UnnamedPhoto {
  id: number
  latitude: number
  longitude: number
}

type NamedPhoto = UnnamedPhoto & { place: Place }

/** Sets missing places of users' photos. There is one run per user: a request during a run shares its result. */
export function createLocationFixer(db: Database, places: Places, afterCommit: () => void) {
  const running = new Map<number, Promise<FixedLocations>>()
  return {
    /**
     * Sets the place of the user's photos that have a position and no place, unless the owner corrected the place.
     * Committed batches remain after an error.
     */
    fix(userId: number): Promise<FixedLocations> {
      const current = running.get(userId)
      if (current) return current
      const run = fixAll(db, places, userId, afterCommit).finally(() => running.delete(userId))
      running.set(userId, run)
      return run
    },
  }
}

async function fixAll(db: Database, places: Places, userId: number, afterCommit: () => void): Promise<FixedLocations> {
  let [updatedCount, checkedCount] = [0, 0]
  let after = 0
  for (;;) {
    const batch = await findUnnamed(db, userId, after)
    const named = await lookUpPlaces(places, batch)
    if (named.length > 0) updatedCount += await savePlaces(db, named)
    checkedCount += batch.length
    afterCommit()
    if (batch.length < BATCH) break
    after = batch.at(-1)?.id ?? after
  }
  const where = { userId, purpose: 'gallery', city: null, state: null } as const
  return { updatedCount, checkedCount, withoutPlaceCount: await db.photo.count({ where }) }
}

function findUnnamed(db: Database, userId: number, after: number): Promise<UnnamedPhoto[]> {
  return db.$queryRaw`
    SELECT id, latitude::float AS latitude, longitude::float AS longitude FROM photos
    WHERE user_id = ${userId}::int AND purpose = 'gallery' AND id > ${after}::int
      AND latitude IS NOT NULL AND longitude IS NOT NULL AND (city IS NULL OR state IS NULL)
      AND NOT corrected && ARRAY['city', 'state']
    ORDER BY id LIMIT ${BATCH}`
}

/** Omits photos that have no place, such as those far out at sea. */
async function lookUpPlaces(places: Places, batch: UnnamedPhoto[]): Promise<NamedPhoto[]> {
  const named: NamedPhoto[] = []
  for (const [index, photo] of batch.entries()) {
    if (index % LOOKUPS_PER_TICK === 0) await nextTick()
    const place = places.lookup(photo.latitude, photo.longitude)
    if (place) named.push({ ...photo, place })
  }
  return named
}

/** Saves places and publishes events. Photos that were moved, named, corrected or deleted meanwhile stay unchanged. */
async function savePlaces(db: Database, named: NamedPhoto[]): Promise<number> {
  return db.$transaction(async (tx) => {
    const byId = new Map(named.map((photo) => [photo.id, photo]))
    const locked = await lockPhotos(tx, [...byId.keys()])
    // A raw file is where its JPEG is.
    const foundFor = (photo: Photo) => byId.get(photo.purpose === 'raw' ? (photo.pairedWith ?? 0) : photo.id)
    const unnamed = locked.filter((photo) => isStillUnnamed(photo, foundFor(photo)))
    const after = await changePhotos(tx, unnamed, (photo) => placeColumns(foundFor(photo)?.place ?? null))
    return after.filter((photo, index) => photo !== unnamed[index] && photo.purpose === 'gallery').length
  })
}

function isStillUnnamed(photo: Photo, found: UnnamedPhoto | undefined): boolean {
  if (photo.corrected.includes('city') || photo.corrected.includes('state')) return false
  return Number(photo.latitude) === found?.latitude && Number(photo.longitude) === found.longitude
}
