import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { createDownload, type DownloadedPhotos, prepareDownload } from '../api/photo-changes.ts'
import type { PhotoDownload } from '../api/types.ts'
import { Button } from '../components/ui/button.tsx'
import { Dialog } from '../components/ui/dialog.tsx'
import { QueryFailure } from '../components/ui/empty-state.tsx'
import { AlertText, Radio } from '../components/ui/field.tsx'
import { Skeleton } from '../components/ui/loading.tsx'
import { toast } from '../components/ui/toast.tsx'
import { startDownload } from '../lib/files.ts'
import { countOf, formatBytes } from '../lib/format.ts'
import { errorMessage } from '../lib/http.ts'

export interface DownloadRequest {
  title: string
  /** Of the archive; null: that of the server. */
  name: string | null
  photos: DownloadedPhotos
}

/** What is downloaded: all originals, those of one kind, or previews. */
type Choice = 'original' | 'jpeg' | 'raw' | 'web'

const LABELS: Record<Choice, string> = {
  original: 'Original files',
  jpeg: 'Without raw files',
  raw: 'Raw files only',
  web: 'Web size',
}
/** Why photos are left out. */
const REASONS: Record<Choice, string> = {
  original: 'the original file is missing',
  jpeg: 'only a raw file',
  raw: 'without a raw file',
  web: 'still being processed, or without a preview',
}

/** The choices of a download; kinds of files only where there are both. */
function choicesOf({ jpeg, raw }: PhotoDownload): { choice: Choice; label: string }[] {
  const choices: Choice[] = ['original', 'web']
  const hasBoth = jpeg.files > 0 && raw.files > 0
  if (hasBoth) choices.splice(1, 0, 'jpeg', 'raw')
  const labels = hasBoth ? { ...LABELS, original: 'JPEG and raw files' } : LABELS
  return choices.map((choice) => ({ choice, label: labels[choice] }))
}

/** '12 photos, 24 files · 310.00 MB' */
function describeChoice(choice: Choice, { photos, files, bytes }: PhotoDownload[Choice]): string {
  if (photos === 0) return 'No photo'
  const amount = countOf(photos, 'photo') + (files === photos ? '' : `, ${countOf(files, 'file')}`)
  const size = formatBytes(bytes)
  return `${amount} · ${choice === 'web' ? `about ${size} · WebP, up to 2,048 pixels` : size}`
}

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
  const [chosen, setChoice] = useState<Choice>('original')
  const choices = data ? choicesOf(data) : []
  // A kind that was chosen for other photos may be missing here.
  const choice = choices.some((other) => other.choice === chosen) ? chosen : 'original'
  const start = useStart(onClose)
  const leftOut = data ? data.photos - data[choice].photos : 0

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
            disabled={!data?.[choice].photos}
          >
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
            if (opened.request) start.mutate({ request: opened.request, id: data.id, choice })
          }}
        >
          <fieldset className="grid gap-2">
            <legend className="sr-only">Files</legend>
            {choices.map(({ choice: option, label }) => (
              <Radio
                key={option}
                name={`${formId}-files`}
                label={label}
                hint={describeChoice(option, data[option])}
                checked={choice === option}
                disabled={data[option].photos === 0}
                // The choice comes when the dialog is open already.
                autoFocus={choice === option}
                data-autofocus={choice === option || undefined}
                onChange={() => setChoice(option)}
              />
            ))}
          </fieldset>
          {leftOut > 0 && (
            <p className="text-sm text-muted">{`${countOf(leftOut, 'photo')} left out: ${REASONS[choice]}.`}</p>
          )}
          <p role="status" className="text-sm text-muted empty:hidden">
            {start.isPending && start.left > 0 && `Preparing: ${countOf(start.left, 'file')} left`}
          </p>
          {start.error && <AlertText>{errorMessage(start.error)}</AlertText>}
        </form>
      )}
    </Dialog>
  )
}

/** `id`: the ticket for all files; one kind of them needs its own. */
interface Start {
  request: DownloadRequest
  id: string
  choice: Choice
}

function useStart(onStarted: () => void) {
  const [left, setLeft] = useState(0)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const start = useMutation({
    mutationFn: async ({ request: { photos, name }, id, choice }: Start) => {
      running.current = new AbortController()
      const { signal } = running.current
      setLeft(0)
      const isKind = choice === 'jpeg' || choice === 'raw'
      const ticket = isKind ? (await createDownload(photos, name, choice)).id : id
      return prepareDownload(ticket, isKind ? 'original' : choice, setLeft, signal)
    },
    onSuccess: (url) => {
      startDownload(url)
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
