import { Download, Image, ImageOff } from 'lucide-react'
import type { MouseEvent } from 'react'
import type { PublicPhoto } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'

/** Said where a photo has no picture that a browser shows. */
export function NoPreview() {
  return (
    <span className="absolute inset-0 flex flex-col items-center justify-center gap-2 p-3 text-sm text-muted">
      <ImageOff aria-hidden className="size-6" />
      <span className="first-letter:uppercase">preview not available</span>
    </span>
  )
}

interface NoPreviewActionsProps {
  photo: PublicPhoto
  /** Shows the camera's own small picture; absent where the file has none. */
  onShowEmbedded?: () => void
}

/** The button goes when it has done its work: the focus stays in the viewer, whose arrow keys go on. */
function focusViewer(event: MouseEvent<HTMLElement>): void {
  event.currentTarget.closest<HTMLElement>('[role="dialog"]')?.focus()
}

/** The same in the viewer, with what can be done instead of looking. */
export function NoPreviewActions({ photo, onShowEmbedded }: NoPreviewActionsProps) {
  return (
    <div className="absolute inset-0 grid place-content-center justify-items-center gap-4 px-16 text-center text-muted">
      <ImageOff aria-hidden className="size-8" strokeWidth={1.5} />
      <p className="first-letter:uppercase">preview not available</p>
      <div className="flex flex-wrap justify-center gap-2">
        {onShowEmbedded && (
          <Button
            onClick={(event) => {
              focusViewer(event)
              onShowEmbedded()
            }}
          >
            <Image aria-hidden /> Show camera preview
          </Button>
        )}
        <Button asChild>
          <a href={photo.url} download="">
            <Download aria-hidden /> Download Original File
          </a>
        </Button>
      </div>
    </div>
  )
}
