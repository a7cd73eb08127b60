import { Type } from 'typebox'
import type { Database } from '../database.ts'
import { galleryByTaken, TAKEN_NEWEST } from '../gallery/list-query.ts'

/** Within this time a drone is about where it was, and so is who holds a camera. */
const MAX_MINUTES = 10
/** Photos that are looked at for each: a user may have any number of one second, all without a position. */
const MAX_LOOKED_AT = 500

export const PlacedBefore = Type.Object({
  id: Type.Integer(),
  before: Type.Object(
    {
      id: Type.Integer(),
      title: Type.String(),
      latitude: Type.String({ description: 'Decimal degrees' }),
      longitude: Type.String({ description: 'Decimal degrees' }),
      seconds: Type.Integer({ description: 'How long before, by the cameras’ clocks' }),
    },
    { description: 'The photo with a position that was taken last before it' },
  ),
})
type PlacedBefore = Type.Static<typeof PlacedBefore>

/**
 * Finds for each of the user's photos the one with a position that was taken last before it, by the cameras' clocks. Photos without one in
 * the ten minutes before them are left out, and so are those whose date is that of a change of the file.
 */
export function findPlacedBefore(db: Database, userId: number, ids: number[]): Promise<PlacedBefore[]> {
  return db.$queryRaw`
    SELECT photo.id, jsonb_build_object('id', before.id, 'title', before.title, 'latitude', before.latitude::text,
      'longitude', before.longitude::text,
      'seconds', extract(epoch FROM camera_time(photo.date_taken) - camera_time(before.date_taken))::int) AS before
    FROM photos AS photo CROSS JOIN LATERAL (
      SELECT * FROM (
        SELECT id, title, date_taken, latitude, longitude, metadata, ${TAKEN_NEWEST} AS taken FROM photos
        WHERE ${galleryByTaken(userId)} AND id <> photo.id AND ${TAKEN_NEWEST} BETWEEN
          to_char(camera_time(photo.date_taken) - make_interval(mins => ${MAX_MINUTES}::int), 'YYYY-MM-DD"T"HH24:MI:SS')
          AND left(photo.date_taken, 19)
        ORDER BY taken DESC, id DESC LIMIT ${MAX_LOOKED_AT}::int) AS recent
      WHERE latitude IS NOT NULL AND date_taken IS DISTINCT FROM metadata->>'ModifyDate'
      ORDER BY taken DESC, id DESC LIMIT 1) AS before
    WHERE photo.id = ANY (${ids}) AND photo.user_id = ${userId}::int AND photo.purpose = 'gallery'
      AND photo.date_taken IS DISTINCT FROM photo.metadata->>'ModifyDate'
    ORDER BY photo.id`
}
