import { queryOptions } from '@tanstack/react-query'
import { request } from '../lib/http.ts'
import type { MetadataPhoto, MetadataPhotoDetails } from './types.ts'

/** No live event tells of these photos: while one is processed, it is asked for. */
const PROCESSING_POLL_MS = 1_500

/** True while the photo is still read. */
export function isProcessing({ status }: Pick<MetadataPhoto, 'status'>): boolean {
  return status === 'processing'
}

/** The user's last photos of the metadata screen, the newest first. */
export const metadataPhotosQuery = queryOptions({
  queryKey: ['metadata-photos'],
  queryFn: ({ signal }) => request<MetadataPhoto[]>('/api/photos/metadata', { signal }),
  // Another tab or device may have added some.
  refetchOnMount: 'always',
  refetchInterval: ({ state }) => (state.data?.some(isProcessing) ? PROCESSING_POLL_MS : false),
})

/** One of them with all that was read from it. */
export const metadataPhotoQuery = (id: number) =>
  queryOptions({
    queryKey: ['metadata-photos', id],
    queryFn: ({ signal }) => request<MetadataPhotoDetails>(`/api/photos/metadata/${id}`, { signal }),
    refetchInterval: ({ state }) => (state.data && isProcessing(state.data) ? PROCESSING_POLL_MS : false),
  })
