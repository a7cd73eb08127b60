import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { createDownload, type DownloadedPhotos, type DownloadSize, prepareDownload } from '../api/photo-changes.ts'
import type { PhotoDownload } from '../api/types.ts'
import { Button } from '../components/ui/button.tsx'
import { Dialog } from '../components/ui/dialog.tsx'
import { ErrorState } from '../components/ui/empty-state.tsx'
import { AlertText, Radio } from '../components/ui/field.tsx'
import { Skeleton } from '../components/ui/loading.tsx'
import { toast } from '../components/ui/toast.tsx'
import { countOf, formatBytes } from '../lib/format.ts'
import { errorMessage } from '../lib/http.ts'

export interface DownloadRequest {
  title: string
  /** Of the archive; null: that of the server. */
  name: string | null
  photos: DownloadedPhotos
}

interface DownloadDialogProps {
  /** Null: closed. */
  request: DownloadRequest | null
  onClose: () => void
}

const SIZES: { size: DownloadSize; label: string; format: string; leftOut: string }[] = [
  { size: 'original', label: 'Original files', format: '', leftOut: 'the original file is missing' },
  {
    size: 'web',
    label: 'Web size',
    format: ' · WebP, up to 2,048 pixels',
    leftOut: 'still being processed, or without a preview',
  },
]

/** Downloads photos as one ZIP archive: shows how many and how large before. The browser shows the progress. */
export function DownloadDialog({ request, onClose }: DownloadDialogProps) {
  // Each opening counts anew: photos may have come or gone.
  const [opened, setOpened] = useState({ request, count: 0 })
  if (request && request !== opened.request) setOpened({ request, count: opened.count + 1 })
  const formId = useId()
  const key = ['photo-download', formId, opened.count]
  const download = useQuery({
    queryKey: key,
    queryFn: () => createDownload(opened.request?.photos ?? { ids: [] }, opened.request?.name ?? null),
    enabled: request !== null,
    gcTime: 0,
  })
  const [size, setSize] = useState<DownloadSize>('original')
  const start = useStart(onClose)
  const amount = download.data?.[size]

  function close(): void {
    start.cancel()
    onClose()
  }

  return (
    <Dialog
      open={request !== null}
      onOpenChange={(open) => !open && close()}
      title={opened.request?.title ?? ''}
      description="One ZIP archive. Your browser shows how far it is."
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            variant="primary"
            type="submit"
            form={formId}
            busy={start.isPending}
            disabled={!amount || amount.photos === 0}
          >
            {start.error ? 'Retry' : 'Download'}
          </Button>
        </>
      }
    >
      {download.isPending && <Skeleton className="h-28 rounded-md" />}
      {download.error && (
        <ErrorState
          title="The photos could not be counted"
          description={errorMessage(download.error)}
          onRetry={() => void download.refetch()}
        />
      )}
      {download.data && (
        <form
          id={formId}
          className="grid gap-3"
          onSubmit={(event) => {
            event.preventDefault()
            if (download.data) start.begin(download.data.id, size)
          }}
        >
          <fieldset className="grid gap-2">
            <legend className="sr-only">Size</legend>
            {SIZES.map((option) => (
              <Radio
                key={option.size}
                name={`${formId}-size`}
                label={option.label}
                hint={describe(download.data, option.size) + option.format}
                checked={size === option.size}
                disabled={download.data[option.size].photos === 0}
                // The choice comes when the dialog is open already.
                autoFocus={size === option.size}
                data-autofocus={size === option.size || undefined}
                onChange={() => setSize(option.size)}
              />
            ))}
          </fieldset>
          <LeftOut download={download.data} size={size} />
          <p role="status" className="text-sm text-muted empty:hidden">
            {start.isPending && start.left > 0 && `Preparing photos: ${countOf(start.left, 'photo')} left`}
          </p>
          {start.error && <AlertText>{errorMessage(start.error)}</AlertText>}
        </form>
      )}
    </Dialog>
  )
}

function describe(download: PhotoDownload, size: DownloadSize): string {
  const { photos, bytes } = download[size]
  if (photos === 0) return 'No photo'
  return `${countOf(photos, 'photo')} · ${size === 'web' ? 'about ' : ''}${formatBytes(bytes)}`
}

function LeftOut({ download, size }: { download: PhotoDownload; size: DownloadSize }) {
  const count = download.photos - download[size].photos
  if (count === 0) return null
  const reason = SIZES.find((option) => option.size === size)?.leftOut
  return (
    <p className="text-sm text-muted">
      {countOf(count, 'photo')} left out: {reason}.
    </p>
  )
}

/** Prepares a download and hands it to the browser. */
function useStart(onStarted: () => void) {
  const [left, setLeft] = useState(0)
  const running = useRef<AbortController>(undefined)
  const start = useMutation({
    mutationFn: ({ id, size }: { id: string; size: DownloadSize }) => {
      running.current = new AbortController()
      setLeft(0)
      return prepareDownload(id, size, setLeft, running.current.signal)
    },
    onSuccess: (url) => {
      openInBrowser(url)
      toast({ title: 'Download started', description: 'Your browser saves the archive.' })
      onStarted()
    },
  })
  const { mutate, reset, isPending, error } = start
  useEffect(() => () => running.current?.abort(), [])
  return {
    left,
    isPending,
    error: isAbort(error) ? null : error,
    begin: (id: string, size: DownloadSize) => mutate({ id, size }),
    cancel(): void {
      running.current?.abort()
      reset()
    },
  }
}

const isAbort = (error: unknown) => error instanceof DOMException && error.name === 'AbortError'

/** A link, not a request: browsers show the progress of a download and resume it. */
function openInBrowser(url: string): void {
  const link = document.createElement('a')
  link.href = url
  // The server names the file. An error is a failed download, not a page.
  link.download = ''
  link.click()
}
