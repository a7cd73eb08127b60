import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { isProcessing, metadataPhotosQuery } from '../../api/metadata-photos.ts'
import type { MetadataPhoto, Photo } from '../../api/types.ts'
import { toast } from '../../components/ui/toast.tsx'
import type { ToastContent } from '../../components/ui/toast-store.ts'
import { formatMegabytes } from '../../lib/format.ts'
import { ApiError, errorMessage, request } from '../../lib/http.ts'

const POLL_INTERVAL_MS = 1_000
/** On a busy server processing takes longer: the list will show the result. */
const MAX_WAIT_MS = 90_000

/** Uploads a photo and waits for its metadata; it notifies the user also after the screen was left. */
export function useMetadataUpload() {
  const client = useQueryClient()
  const extraction = useMutation({
    mutationFn: async (file: File) => {
      const form = new FormData()
      form.append('metadata', 'true')
      form.append('photo', file, file.name)
      const { id } = await withLeaveWarning(() => request<Photo>('/api/upload-photo', { method: 'POST', body: form }))
      // The photo is stored: the list shows later failures.
      return waitForPhoto(client, id).catch(() => null)
    },
    onSuccess: (photo) => toast(uploadToast(photo)),
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

/** Runs work that would be lost with the page: until it is done, the browser asks before leaving. */
async function withLeaveWarning<T>(work: () => Promise<T>): Promise<T> {
  const warn = (event: BeforeUnloadEvent) => event.preventDefault()
  addEventListener('beforeunload', warn)
  try {
    return await work()
  } finally {
    removeEventListener('beforeunload', warn)
  }
}

/** Polls the list until the photo is processed; null if it is no longer in the list because it was cleared. */
async function waitForPhoto(client: QueryClient, id: number): Promise<MetadataPhoto | null> {
  const end = Date.now() + MAX_WAIT_MS
  for (;;) {
    const photos = await client.fetchQuery({ ...metadataPhotosQuery, staleTime: 0 })
    const photo = photos.find((one) => one.id === id) ?? null
    if (photo === null || !isProcessing(photo) || Date.now() > end) return photo
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS))
  }
}

/** The server's message and its reasons for rejecting the photo. */
export function failureText(error: unknown): string {
  const issues = error instanceof ApiError ? (error.body?.issues ?? []) : []
  return [...new Set([errorMessage(error, 'Failed to upload photo'), ...issues])].join(', ')
}

/** The toast after an upload. */
export function uploadToast(photo: Pick<MetadataPhoto, 'status' | 'statusMessage'> | null): ToastContent {
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

/** The limit until the configuration is loaded. */
export const DEFAULT_MAX_BYTES = 50 * 1_048_576

const MEDIA_TYPES = ['image/jpeg', 'image/jpg', 'image/png', 'image/tiff', 'image/gif', 'image/bmp']
const EXTENSION = /\.(jpe?g|png|tiff?|gif|bmp)$/i

/** The types offered by the file dialog. */
export const ACCEPTED = [...MEDIA_TYPES, '.jpg', '.jpeg', '.png', '.tif', '.tiff', '.gif', '.bmp'].join(',')

/** The text in the drop area. */
export function supportedText(maxBytes: number): string {
  return `Supports JPEG, PNG, TIFF, GIF, BMP up to ${formatMegabytes(maxBytes)}`
}

/** Systems that do not know a file's type report none: then its name decides. */
function isAccepted({ name, type }: Pick<File, 'name' | 'type'>): boolean {
  return type === '' ? EXTENSION.test(name) : MEDIA_TYPES.includes(type)
}

/** Why a chosen file is rejected, or null. The server checks the content. */
export function rejectionToast(file: Pick<File, 'name' | 'type' | 'size'>, maxBytes: number): ToastContent | null {
  if (!isAccepted(file)) {
    return {
      title: 'Invalid file type',
      description: 'Please select a JPEG, PNG, TIFF, GIF, or BMP image',
      tone: 'danger',
    }
  }
  if (file.size > maxBytes) {
    return {
      title: 'File too large',
      description: `Please select a file smaller than ${formatMegabytes(maxBytes)}`,
      tone: 'danger',
    }
  }
  return null
}
