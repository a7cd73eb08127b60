import type { Database } from '../database.ts'
import type { ListQuery } from '../gallery/list-query.ts'
import { TRACK_FORMATS, type TrackFormatName } from './track-formats.ts'
import { findTrackIds, readTrackPhotos } from './track-photos.ts'

/**
 * Returns a file with the positions of a list's photos as chunks of text. Photos are read in batches as fast as the file
 * is, so that memory holds a batch and the ids.
 */
export async function openTrackFile(
  db: Database,
  query: ListQuery,
  { format, title }: { format: TrackFormatName; title: string },
): Promise<AsyncGenerator<string>> {
  const ids = await findTrackIds(db, query)
  return TRACK_FORMATS[format].write(title, () => readTrackPhotos(db, ids))
}
