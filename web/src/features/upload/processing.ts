import { type QueryClient, QueryObserver, queryOptions } from '@tanstack/react-query'
import type { Photo } from '../../api/types.ts'
import { requestPage } from '../../lib/http.ts'

/** How the processing of the uploaded photos stands; a photo that was deleted meanwhile counts as finished. */
export interface Processing {
  total: number
  finished: number
  /** One sentence for each photo that could not be processed. */
  issues: string[]
}

const POLL_MS = 3_000
const PAGE = '/api/photos?limit=100'

/** Reads the photos with these ids: they are among the newest. */
async function readPhotos(ids: readonly number[], signal: AbortSignal): Promise<Photo[]> {
  const wanted = new Set(ids)
  const found: Photo[] = []
  let path: string | null = PAGE
  while (path !== null && found.length < wanted.size) {
    const page: { items: Photo[]; next: string | null } = await requestPage<Photo>(path, { signal })
    found.push(...page.items.filter((photo) => wanted.has(photo.id)))
    path = page.items.every((photo) => photo.id < Math.min(...ids)) ? null : page.next
  }
  return found
}

/** How the processing of `ids` stands, by what the list of photos says of them. */
export function processingOf(ids: readonly number[], photos: readonly Photo[]): Processing {
  const failed = photos.filter((photo) => photo.status === 'failed')
  return {
    total: ids.length,
    finished: ids.length - photos.filter((photo) => photo.status === 'processing').length,
    issues: failed.map((photo) => `${photo.originalName}: ${photo.statusMessage ?? 'could not be processed'}`),
  }
}

/** Follows the processing of photos until all are finished: by the live events, and by asking where these fail. */
export function followProcessing(
  client: QueryClient,
  ids: readonly number[],
  onChange: (now: Processing) => void,
): void {
  const observer = new QueryObserver(
    client,
    queryOptions({
      // Under `photos`, so that the live events read it again.
      queryKey: ['photos', 'processing', ...ids],
      queryFn: ({ signal }) => readPhotos(ids, signal),
      refetchInterval: POLL_MS,
      refetchIntervalInBackground: true,
      gcTime: 0,
    }),
  )
  const stop = observer.subscribe(({ data }) => {
    if (!data) return
    const now = processingOf(ids, data)
    if (now.finished === now.total) stop()
    onChange(now)
  })
}
