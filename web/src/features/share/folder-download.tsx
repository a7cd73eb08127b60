import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { createFolderDownload } from '../../api/folder-download.ts'
import { linkKey } from '../../api/queries.ts'
import type { PublicFolder, PublicPhoto } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Radio } from '../../components/ui/field.tsx'
import { AttemptFailure, SubmitButton } from '../../components/ui/submit.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { startDownload } from '../../lib/files.ts'
import { countOf, formatBytes } from '../../lib/format.ts'
import { isRetryable } from '../../lib/http.ts'
import { cleansFiles, type DownloadSize, downloadSizes } from './link-rules.ts'

interface FolderDownloadProps {
  shareCode: string
  folder: PublicFolder
  photos: PublicPhoto[]
  onClose: () => void
}

/** Downloads all photos of a shared folder as one ZIP archive. The browser shows the progress. */
export function FolderDownload({ onClose, ...props }: FolderDownloadProps) {
  // What was offered stays, also when the folder changes meanwhile.
  const [{ shareCode, folder, photos }] = useState(props)
  const formId = useId()
  const sizes: DownloadSize[] = folder.downloads === 'original' ? ['original', 'web'] : ['web']
  const withSize = (size: DownloadSize) => photos.filter((photo) => downloadSizes(folder, photo).includes(size))
  const [size, setSize] = useState(() => sizes.find((some) => withSize(some).length > 0) ?? 'web')
  const start = useStart(shareCode, onClose)
  const notes = notesOn(size, folder, {
    leftOut: photos.length - withSize(size).length,
    pairs: photos.some(({ raw }) => raw),
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Download all photos"
      description="One ZIP archive. Your browser shows how far it is."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton variant="primary" form={formId} busy={start.isPending} error={start.error}>
            Download
          </SubmitButton>
        </>
      }
    >
      <form
        id={formId}
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          start.mutate(size)
        }}
      >
        {sizes.length > 1 ? (
          <fieldset className="grid gap-2" disabled={start.isPending}>
            <legend className="sr-only">Files</legend>
            {sizes.map((option) => (
              <Radio
                key={option}
                name={`${formId}-size`}
                label={option === 'original' ? 'Original files' : 'Web size'}
                hint={describe(option, withSize(option))}
                checked={size === option}
                disabled={withSize(option).length === 0}
                data-autofocus={size === option || undefined}
                onChange={() => setSize(option)}
              />
            ))}
          </fieldset>
        ) : (
          <p>{describe(size, withSize(size))}</p>
        )}
        {notes.map((note) => (
          <p key={note} className="text-sm text-muted">
            {note}
          </p>
        ))}
        <p role="status" className="text-sm text-muted empty:hidden">
          {start.progress}
        </p>
        <AttemptFailure busy={start.isPending} error={start.error} />
      </form>
    </Dialog>
  )
}

/** '12 photos · 310.00 MB' */
function describe(size: DownloadSize, photos: PublicPhoto[]): string {
  const count = countOf(photos.length, 'photo')
  if (size === 'web') return `${count} · WebP, up to 2,048 pixels`
  const bytes = photos.reduce((sum, { filesize }) => sum + filesize, 0)
  return `${count} · ${formatBytes(bytes)}`
}

/** What the archive does not have. `pairs`: photos have a raw file beside the JPEG. */
export function notesOn(
  size: DownloadSize,
  folder: PublicFolder,
  { leftOut, pairs }: { leftOut: number; pairs: boolean },
): string[] {
  const left = countOf(leftOut, 'photo')
  if (size === 'web') return leftOut > 0 ? [`${left} left out: still being processed, or without a preview.`] : []
  if (!cleansFiles(folder)) return pairs ? ['Raw files are left out: download them with their photos.'] : []
  const hidden = [!folder.showPlaces && 'places', !folder.showCamera && 'camera data'].filter(Boolean).join(' and ')
  const notes = [`The files come without ${hidden}.`]
  return leftOut > 0 ? [...notes, `${left} left out: only JPEG and PNG files can be cleaned of ${hidden}.`] : notes
}

function useStart(shareCode: string, onStarted: () => void) {
  const client = useQueryClient()
  const [progress, setProgress] = useState('')
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const start = useMutation({
    mutationFn: (size: DownloadSize) => {
      running.current = new AbortController()
      return createFolderDownload(shareCode, size, setProgress, running.current.signal)
    },
    onSuccess: (url) => {
      startDownload(url)
      toast({ title: 'Download started', description: 'Your browser saves the archive.' })
      onStarted()
    },
    onError: (error) => {
      // The link may have been locked, withdrawn or changed.
      if (!isRetryable(error)) void client.invalidateQueries({ queryKey: linkKey(shareCode) })
    },
    onSettled: () => setProgress(''),
  })
  return { ...start, progress }
}
