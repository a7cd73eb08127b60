import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { FileImage, ImagePlus, ScanSearch, X } from 'lucide-react'
import { type ChangeEvent, type Ref, useId, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { isProcessing, metadataPhotosQuery } from '../../api/metadata-photos.ts'
import { configQuery } from '../../api/queries.ts'
import type { MetadataPhoto } from '../../api/types.ts'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { Progress, Spinner } from '../../components/ui/loading.tsx'
import { toast } from '../../components/ui/toast.tsx'
import type { ToastContent } from '../../components/ui/toast-store.ts'
import { cx } from '../../lib/cx.ts'
import { useFileDrop } from '../../lib/files.ts'
import { formatBytes, formatMegabytes } from '../../lib/format.ts'
import { ApiError, errorMessage } from '../../lib/http.ts'

const POLL_INTERVAL_MS = 1_000
/** On a busy server processing takes longer: the list will show the result. */
const MAX_WAIT_MS = 90_000
/** The limit until the configuration is loaded. */
const DEFAULT_MAX_BYTES = 50 * 1_048_576

const MEDIA_TYPES = ['image/jpeg', 'image/jpg', 'image/png', 'image/tiff', 'image/gif', 'image/bmp']
const EXTENSION = /\.(jpe?g|png|tiff?|gif|bmp)$/i

const ACCEPTED = [...MEDIA_TYPES, '.jpg', '.jpeg', '.png', '.tif', '.tiff', '.gif', '.bmp'].join(',')

const WORKING_TEXT = 'Processing image and extracting metadata...'
/** The server's progress is unknown: the bar does not move. */
const WORKING_PERCENT = 85

export function ExtractionForm() {
  const { data: config } = useQuery(configQuery)
  const maxBytes = config?.limits.metadataFileBytes ?? DEFAULT_MAX_BYTES
  const [file, setFile] = useState<File | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const extraction = useMetadataUpload()
  const busy = extraction.isPending
  const over = useFileDrop({
    // Handled before the window's listener, which uploads: files taken here are not uploaded.
    target: document,
    // An open dialog covers the screen.
    accepts: () => document.querySelector('[role*="dialog"]') === null,
    onDrop: ({ files: [dropped] }) => dropped && choose(dropped),
  })

  function choose(chosen: File): void {
    if (busy) return
    const rejection = rejectionToast(chosen, maxBytes)
    if (rejection) toast(rejection)
    else setFile(chosen)
  }

  function remove(): void {
    setFile(null)
    input.current?.focus()
  }

  function extract(): void {
    if (file && !busy) extraction.mutate(file, { onSuccess: () => setFile(null) })
  }

  return (
    <section aria-label="Upload a photo" className="grid content-start gap-4">
      <FileArea ref={input} maxBytes={maxBytes} over={over && !busy} disabled={busy} onChoose={choose} />
      <div className="flex flex-wrap items-center gap-x-6 gap-y-4">
        {file && (
          <p className="flex min-w-0 grow items-center gap-3 max-sm:w-full sm:basis-64">
            <FileImage aria-hidden className="size-5 shrink-0 text-muted" />
            <span className="min-w-0 flex-1">
              <span className="block font-semibold wrap-anywhere">{file.name}</span>
              <span className="block text-sm text-muted">{formatBytes(file.size)}</span>
            </span>
            {!busy && <IconButton label={`Remove ${file.name}`} icon={<X />} onClick={remove} />}
          </p>
        )}
        {/* Not `disabled`: the focus would be lost after every photo. */}
        <Button
          variant="primary"
          aria-disabled={!file || busy}
          aria-busy={busy}
          onClick={extract}
          className="max-sm:w-full sm:ml-auto sm:min-w-52"
        >
          {busy ? <Spinner className="text-current" /> : <ScanSearch aria-hidden />}
          <span>{busy ? 'Extracting Metadata...' : 'Extract Metadata'}</span>
        </Button>
      </div>
      <div role="status">
        {busy && (
          <div className="grid gap-2">
            <Progress value={WORKING_PERCENT} label={WORKING_TEXT} />
            <p className="text-sm text-muted">{WORKING_TEXT}</p>
          </div>
        )}
      </div>
    </section>
  )
}

interface FileAreaProps {
  maxBytes: number
  /** Files are dragged over the screen. */
  over: boolean
  disabled: boolean
  onChoose: (file: File) => void
  ref: Ref<HTMLInputElement>
}

/** Takes one file from the file dialog. The whole screen accepts drops. */
function FileArea({ maxBytes, over, disabled, onChoose, ref }: FileAreaProps) {
  const id = useId()

  function choose({ target }: ChangeEvent<HTMLInputElement>): void {
    const file = target.files?.[0]
    target.value = '' // So that the same file can be chosen again.
    if (file) onChoose(file)
  }

  return (
    <label
      className={cx(
        'flex flex-col items-center gap-1 rounded-lg border-2 border-dashed px-4 py-8 text-center transition has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
        over ? 'border-accent bg-accent-soft' : 'border-line bg-surface',
        disabled ? 'opacity-60' : 'cursor-pointer hover:border-accent',
      )}
    >
      <ImagePlus aria-hidden className="mb-1 size-7 text-accent" />
      <span className="font-semibold">
        <span className="pointer-coarse:hidden">Drop a photo here, or choose a file</span>
        <span className="hidden pointer-coarse:inline">Choose a photo</span>
      </span>
      <span id={id} className="text-sm text-pretty text-muted">
        {supportedText(maxBytes)}
      </span>
      <input
        ref={ref}
        type="file"
        name="photo"
        accept={ACCEPTED}
        disabled={disabled}
        aria-label="Photo"
        aria-describedby={id}
        className="sr-only"
        onChange={choose}
      />
    </label>
  )
}

/** Uploads a photo and waits for its metadata; it notifies the user also after the screen was left. */
function useMetadataUpload() {
  const client = useQueryClient()
  const extraction = useMutation({
    mutationFn: async (file: File) => {
      const form = new FormData()
      form.append('metadata', 'true')
      form.append('photo', file, file.name)
      const { id } = await withLeaveWarning(() => api('post', '/api/upload-photo', { body: form }))
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

export function supportedText(maxBytes: number): string {
  return `Supports JPEG, PNG, TIFF, GIF, BMP up to ${formatMegabytes(maxBytes)}`
}

/** Systems that do not know a file's type report none: then its name decides. */
function isAccepted({ name, type }: Pick<File, 'name' | 'type'>): boolean {
  return type === '' ? EXTENSION.test(name) : MEDIA_TYPES.includes(type)
}

/** Why a chosen file is rejected, or null. The server checks the content. */
export function rejectionToast(file: Pick<File, 'name' | 'type' | 'size'>, maxBytes: number): ToastContent | null {
  const problem = (title: string, description: string): ToastContent => ({ title, description, tone: 'danger' })
  if (!isAccepted(file)) return problem('Invalid file type', 'Please select a JPEG, PNG, TIFF, GIF, or BMP image')
  const most = formatMegabytes(maxBytes)
  return file.size > maxBytes ? problem('File too large', `Please select a file smaller than ${most}`) : null
}
