import { queryOptions } from '@tanstack/react-query'
import { api } from './client.ts'
import type { MetadataPhoto } from './types.ts'

/** These photos have no live events: while one is being processed, it is polled. */
const PROCESSING_POLL_MS = 1_500

/** True until the photo's metadata has been read. */
export function isProcessing({ status }: Pick<MetadataPhoto, 'status'>): boolean {
  return status === 'processing'
}

/** The user's latest photos of the metadata screen, newest first. */
export const metadataPhotosQuery = queryOptions({
  queryKey: ['metadata-photos'],
  queryFn: ({ signal }) => api('get', '/api/photos/metadata', { signal }),
  // Another tab or device may have added some.
  refetchOnMount: 'always',
  refetchInterval: ({ state }) => (state.data?.some(isProcessing) ? PROCESSING_POLL_MS : false),
})

/** One of these photos with all its metadata. */
export const metadataPhotoQuery = (id: number) =>
  queryOptions({
    queryKey: ['metadata-photos', id],
    queryFn: ({ signal }) => api('get', '/api/photos/metadata/{id}', { path: { id }, signal }),
    refetchInterval: ({ state }) => (state.data && isProcessing(state.data) ? PROCESSING_POLL_MS : false),
  })
