import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { isProcessing, metadataPhotosQuery } from '../../api/metadata-photos.ts'
import type { MetadataPhoto, Photo } from '../../api/types.ts'
import { type Notice, toast } from '../../components/ui/toast.tsx'
import { ApiError, errorMessage, request } from '../../lib/http.ts'

const POLL_INTERVAL_MS = 1_000
/** A busy server reads it later: the list will show it. */
const MAX_WAIT_MS = 90_000

/** Uploads a photo and waits until its metadata is read; it says how it went, also when the screen has been left. */
export function useMetadataUpload() {
  const client = useQueryClient()
  const extraction = useMutation({
    mutationFn: async (file: File) => {
      const form = new FormData()
      form.append('metadata', 'true')
      form.append('photo', file, file.name)
      const { id } = await withLeaveWarning(() => request<Photo>('/api/upload-photo', { method: 'POST', body: form }))
      // It is stored: what fails from here on is the list's to say.
      return waitForPhoto(client, id).catch(() => null)
    },
    onSuccess: (photo) => toast(uploadNotice(photo)),
    onError: (error, file) =>
      toast({
        title: 'Upload failed',
        description: failureText(error),
        tone: 'danger',
        action: { label: 'Retry', onSelect: () => extraction.mutate(file) },
      }),
  })
  return extraction
}

/** Does something that ends with the page: until it is done, the browser asks before it leaves. */
async function withLeaveWarning<T>(work: () => Promise<T>): Promise<T> {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault()
  addEventListener('beforeunload', ask)
  try {
    return await work()
  } finally {
    removeEventListener('beforeunload', ask)
  }
}

/** Reads the list until the photo is processed; null when it is not in the list, because it has been cleared. */
async function waitForPhoto(client: QueryClient, id: number): Promise<MetadataPhoto | null> {
  const end = Date.now() + MAX_WAIT_MS
  for (;;) {
    const photos = await client.fetchQuery({ ...metadataPhotosQuery, staleTime: 0 })
    const photo = photos.find((one) => one.id === id) ?? null
    if (photo === null || !isProcessing(photo) || Date.now() > end) return photo
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS))
  }
}

/** The server's sentence, and why it refused the photo. */
export function failureText(error: unknown): string {
  const issues = error instanceof ApiError ? (error.body?.issues ?? []) : []
  return [...new Set([errorMessage(error, 'Failed to upload photo'), ...issues])].join(', ')
}

/** What is said of an uploaded photo. */
export function uploadNotice(photo: Pick<MetadataPhoto, 'status' | 'statusMessage'> | null): Notice {
  if (photo?.status === 'failed') {
    const description = photo.statusMessage ?? 'The photo could not be processed.'
    return { title: 'Processing failed', description, tone: 'danger' }
  }
  const isRead = photo?.status === 'ready'
  return {
    title: 'Photo uploaded successfully',
    description: isRead
      ? 'Metadata has been extracted and is now displayed below'
      : 'Its metadata will be displayed below as soon as it has been read',
  }
}
