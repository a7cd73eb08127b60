import { BookmarkCheck, BookmarkPlus, Download, Pencil, Printer, Share2 } from 'lucide-react'
import type { Ref } from 'react'
import { PRINTED } from '../../api/printing.ts'
import type { Folder, Photo } from '../../api/types.ts'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { describeVisibility, VisibilityIcon } from '../../components/visibility.tsx'
import { copyText } from '../../lib/clipboard.ts'
import { openPrintWizard } from '../open-print-wizard.ts'
import { useMarkForPrinting } from '../use-mark-for-printing.ts'
import { usePhotoVisibility } from '../use-photo-changes.ts'
import { usePrinting } from '../use-printing.ts'
import { photoLink } from './photo-link.ts'

interface PhotoActionsProps {
  photo: Photo
  folder: Folder | null
  /** The photo is the user's own. */
  own: boolean
  onEdit: () => void
  editButton: Ref<HTMLButtonElement>
}

/** The actions on the photo of the dialog. */
export function PhotoActions({ photo, folder, own, onEdit, editButton }: PhotoActionsProps) {
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <Button size="small" className="px-3 sm:h-9" asChild>
        <a href={photo.url} download={photo.originalName} aria-label="Download" title="Download">
          <Download aria-hidden />
        </a>
      </Button>
      <IconButton label="Share" icon={<Share2 />} onClick={() => share(photo, folder)} />
      <PrintButton photo={photo} />
      {own && (
        <>
          <MarkButton photo={photo} folder={folder} />
          <IconButton ref={editButton} label="Edit details" icon={<Pencil />} onClick={onEdit} />
          <PrivacyButton photo={photo} folder={folder} />
        </>
      )}
    </div>
  )
}

function PrintButton({ photo }: { photo: Photo }) {
  const { reason } = usePrinting()
  const why = photo.status === 'ready' ? reason : 'This photo is not ready.'
  return (
    <IconButton
      label="Print"
      icon={<Printer />}
      disabled={why !== null}
      title={why ? `Print: ${why}` : 'Print'}
      onClick={() => openPrintWizard({ photoIds: [photo.id], photos: [photo] })}
    />
  )
}

function PrivacyButton({ photo, folder }: { photo: Photo; folder: Folder | null }) {
  const { isPublic, setPublic } = usePhotoVisibility(photo, (flag) => describeVisibility(flag, folder))
  return (
    <Button
      size="small"
      variant="quiet"
      aria-label={isPublic ? 'Public: make private' : 'Private: make public'}
      title={`${describeVisibility(isPublic, folder)} Click to make it ${isPublic ? 'private' : 'public'}.`}
      onClick={() => setPublic(!isPublic)}
    >
      <VisibilityIcon isPublic={isPublic} />
      {isPublic ? 'Public' : 'Private'}
    </Button>
  )
}

function MarkButton({ photo, folder }: { photo: Photo; folder: Folder | null }) {
  const mark = useMarkForPrinting()
  const marked = folder?.name === PRINTED
  return (
    <IconButton
      label={marked ? 'Marked for printing' : 'Mark for printing'}
      icon={marked ? <BookmarkCheck /> : <BookmarkPlus />}
      aria-pressed={marked}
      aria-busy={mark.isPending}
      onClick={() => !marked && !mark.isPending && mark.mutate(photo)}
      className="aria-pressed:bg-accent-soft aria-pressed:text-accent"
    />
  )
}

/** Opens the system's share dialog, or copies a link where there is none. */
async function share(photo: Photo, folder: Folder | null): Promise<void> {
  const { url, isPublic } = photoLink(photo, folder, location.origin)
  try {
    await navigator.share({ title: photo.title || 'Untitled Photo', url })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return // The user closed the share dialog.
    if (await copyText(url)) {
      const only = 'Only you can open it, as long as the photo is not in a public folder.'
      toast({ title: 'Link copied', description: isPublic ? undefined : only })
    } else {
      toast({ title: 'Failed to copy', description: 'Could not copy link to clipboard', tone: 'danger' })
    }
  }
}
