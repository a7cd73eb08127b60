import { BookmarkCheck, BookmarkPlus, Download, Pencil, Printer, Share2, Trash2 } from 'lucide-react'
import type { Ref } from 'react'
import { PRINTED } from '../../api/photo-changes.ts'
import type { Folder, Photo } from '../../api/types.ts'
import { IconButton } from '../../components/ui/button.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { describeVisibility } from '../../components/visibility.tsx'
import { copyText } from '../../lib/clipboard.ts'
import type { PhotoDialogsState } from '../grid/use-photo-dialogs.ts'
import { printPhoto, usePrinting } from '../printing.ts'

interface PhotoActionsProps {
  photo: Photo
  folder: Folder | null
  own: boolean
  deletable: boolean
  dialogs: PhotoDialogsState
  editing: boolean
  onEdit: () => void
  editButton: Ref<HTMLButtonElement>
}

/** Larger where a finger uses them. */
const SIZE = 'pointer-coarse:size-11'
const PRESSED = `aria-pressed:bg-accent-soft aria-pressed:text-accent ${SIZE}`

/** The actions on the photo of the dialog: always the same buttons at the same places, whatever its state. */
export function PhotoActions(props: PhotoActionsProps) {
  const { photo, folder, own, deletable, editing, onEdit, editButton } = props
  const { marking, setDeleting } = props.dialogs
  const marked = folder?.name === PRINTED
  const printing = usePrinting()
  const noPrints = photo.status === 'ready' ? printing.reason : 'This photo is not ready.'
  return (
    <div className="flex items-center gap-0.5 sm:gap-1">
      <a
        href={photo.url}
        download={photo.originalName}
        aria-label="Download"
        title="Download"
        className={`inline-grid size-11 shrink-0 place-items-center rounded-md text-muted transition hover:bg-sunken hover:text-text sm:size-9 [&>svg]:size-[18px] ${SIZE}`}
      >
        <Download aria-hidden />
      </a>
      <IconButton label="Share" icon={<Share2 />} onClick={() => share(photo, folder)} className={SIZE} />
      <IconButton
        label="Print"
        icon={<Printer />}
        disabled={noPrints !== null}
        title={noPrints ? `Print: ${noPrints}` : 'Print'}
        onClick={() => printPhoto(photo)}
        className={SIZE}
      />
      {own && (
        <>
          <IconButton
            label={marked ? 'Marked for printing' : 'Mark for printing'}
            icon={marked ? <BookmarkCheck /> : <BookmarkPlus />}
            aria-pressed={marked}
            aria-busy={marking.busy}
            onClick={() => !marked && !marking.busy && marking.mark(photo)}
            className={PRESSED}
          />
          <IconButton
            ref={editButton}
            label="Edit details"
            // A question that closes the form returns the focus to it.
            data-autofocus
            icon={<Pencil />}
            aria-pressed={editing}
            onClick={onEdit}
            className={PRESSED}
          />
        </>
      )}
      {deletable && <IconButton label="Delete" icon={<Trash2 />} onClick={() => setDeleting(photo)} className={SIZE} />}
    </div>
  )
}

/** Opens the system's share dialog, or copies the link where there is none. Of a photo that only its owner sees it says so instead. */
async function share(photo: Photo, folder: Folder | null): Promise<void> {
  const { url, isPublic } = photoLink(photo, folder, location.origin)
  const visibility = describeVisibility(photo.isPublic, folder)
  if (!isPublic) {
    const action = { label: 'Copy link for me', onSelect: () => void copyLink(url, 'Only you can open it.') }
    toast({ title: 'Not shared', description: visibility, tone: 'neutral', action })
    return
  }
  try {
    await navigator.share({ title: photo.title || 'Untitled Photo', url })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return // The user closed the share dialog.
    await copyLink(url, visibility)
  }
}

async function copyLink(url: string, description: string): Promise<void> {
  if (await copyText(url)) toast({ title: 'Link copied', description })
  else toast({ title: 'Failed to copy', description: 'Could not copy link to clipboard', tone: 'danger' })
}

/**
 * The link to a photo: the share page's for a photo that visitors see, otherwise the app's, which only its owner can
 * open.
 */
export function photoLink(photo: Photo, folder: Folder | null, origin: string): { url: string; isPublic: boolean } {
  const isPublic = photo.isPublic && folder?.isPublic === true
  const path = isPublic ? `/share/${folder.shareCode}` : folder ? `/folders/${folder.id}` : '/'
  return { url: `${origin}${path}?photo=${photo.id}`, isPublic }
}
