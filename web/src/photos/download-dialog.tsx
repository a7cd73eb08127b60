import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { createDownload, type DownloadedPhotos, type DownloadSize, prepareDownload } from '../api/photo-changes.ts'
import { Button } from '../components/ui/button.tsx'
import { Dialog } from '../components/ui/dialog.tsx'
import { QueryFailure } from '../components/ui/empty-state.tsx'
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

const SIZES: { size: DownloadSize; label: string; about: string; format: string; leftOut: string }[] = [
  { size: 'original', label: 'Original files', about: '', format: '', leftOut: 'the original file is missing' },
  {
    size: 'web',
    label: 'Web size',
    about: 'about ',
    format: ' · WebP, up to 2,048 pixels',
    leftOut: 'still being processed, or without a preview',
  },
]

/** Downloads photos as one ZIP archive: shows how many and how large before. The browser shows the progress. */
export function DownloadDialog({ request, onClose }: { request: DownloadRequest | null; onClose: () => void }) {
  // Each opening counts anew: photos may have come or gone.
  const [opened, setOpened] = useState({ request, count: 0 })
  if (request && request !== opened.request) setOpened({ request, count: opened.count + 1 })
  const formId = useId()
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['photo-download', formId, opened.count],
    queryFn: () => createDownload(opened.request?.photos ?? { ids: [] }, opened.request?.name ?? null),
    enabled: request !== null,
    gcTime: 0,
  })
  const [size, setSize] = useState<DownloadSize>('original')
  const start = useStart(onClose)
  const leftOut = data ? data.photos - data[size].photos : 0

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
          <Button variant="primary" type="submit" form={formId} busy={start.isPending} disabled={!data?.[size].photos}>
            {start.error ? 'Retry' : 'Download'}
          </Button>
        </>
      }
    >
      {isPending && <Skeleton className="h-28 rounded-md" />}
      {error && <QueryFailure query={{ error, refetch }} title="The photos could not be counted" />}
      {data && (
        <form
          id={formId}
          className="grid gap-3"
          onSubmit={(event) => {
            event.preventDefault()
            start.mutate({ id: data.id, size })
          }}
        >
          <fieldset className="grid gap-2">
            <legend className="sr-only">Size</legend>
            {SIZES.map(({ size: option, label, about, format }) => {
              const { photos, bytes } = data[option]
              const amount = photos === 0 ? 'No photo' : `${countOf(photos, 'photo')} · ${about}${formatBytes(bytes)}`
              return (
                <Radio
                  key={option}
                  name={`${formId}-size`}
                  label={label}
                  hint={amount + format}
                  checked={size === option}
                  disabled={photos === 0}
                  // The choice comes when the dialog is open already.
                  autoFocus={size === option}
                  data-autofocus={size === option || undefined}
                  onChange={() => setSize(option)}
                />
              )
            })}
          </fieldset>
          {leftOut > 0 && (
            <p className="text-sm text-muted">
              {`${countOf(leftOut, 'photo')} left out: ${SIZES.find((option) => option.size === size)?.leftOut}.`}
            </p>
          )}
          <p role="status" className="text-sm text-muted empty:hidden">
            {start.isPending && start.left > 0 && `Preparing photos: ${countOf(start.left, 'photo')} left`}
          </p>
          {start.error && <AlertText>{errorMessage(start.error)}</AlertText>}
        </form>
      )}
    </Dialog>
  )
}

function useStart(onStarted: () => void) {
  const [left, setLeft] = useState(0)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
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

  function cancel(): void {
    running.current?.abort()
    start.reset()
  }

  return { ...start, left, cancel }
}

/** A link, not a request: browsers show the progress of a download and resume it. */
function openInBrowser(href: string): void {
  // The server names the file. An error is a failed download, not a page.
  Object.assign(document.createElement('a'), { href, download: '' }).click()
}
