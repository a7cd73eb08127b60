import { Download, Eye, ImageOff, RotateCcw, TriangleAlert } from 'lucide-react'
import type { MouseEvent, ReactNode } from 'react'
import { useReprocess } from '../../api/photo-changes.ts'
import type { Photo } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'

const WELL = 'absolute inset-0 grid place-content-center justify-items-center gap-2 px-2 pt-10 pb-8 text-center text-sm'

interface RawPictureProps {
  photo: Photo
  /** Its buttons are reached by the Tab key unless this is -1. */
  tabIndex: number | undefined
  onOpen: (photo: Photo) => void
}

/** Stands for a raw photo, which no browser shows. */
export function RawPicture({ photo, tabIndex, onOpen }: RawPictureProps) {
  return (
    <div className={`${WELL} text-muted`}>
      <Said icon={<ImageOff aria-hidden />}>DNG files cannot be displayed</Said>
      <div className="flex flex-wrap justify-center gap-1.5">
        <Button size="small" tabIndex={tabIndex} onClick={() => onOpen(photo)}>
          <Eye aria-hidden /> View Details
        </Button>
        <DownloadButton photo={photo} tabIndex={tabIndex} />
      </div>
    </div>
  )
}

/** Stands for a photo that could not be processed; the reason is said under it. */
export function FailedPicture({ photo }: { photo: Photo }) {
  const again = useReprocess(photo)

  /** The button goes while the photo is processed: the focus stays on the card. */
  function tryAgain(event: MouseEvent<HTMLElement>): void {
    event.currentTarget.closest('article')?.focus({ preventScroll: true })
    again.mutate()
  }

  return (
    <div className={`${WELL} rounded-lg bg-danger-soft font-semibold text-danger`}>
      <Said icon={<TriangleAlert aria-hidden />}>Processing failed</Said>
      <div className="flex gap-2">
        <Button size="small" busy={again.isPending} onClick={tryAgain}>
          {!again.isPending && <RotateCcw aria-hidden />} Try again
        </Button>
        <DownloadButton photo={photo} />
      </div>
    </div>
  )
}

function Said({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <p className="flex items-center gap-2 [&>svg]:size-5 [&>svg]:shrink-0">
      {icon}
      {children}
    </p>
  )
}

function DownloadButton({ photo, tabIndex }: { photo: Photo; tabIndex?: number }) {
  return (
    <Button size="small" asChild>
      <a href={photo.url} download={photo.originalName} tabIndex={tabIndex} title="Download the original">
        <Download aria-hidden /> Download
      </a>
    </Button>
  )
}
