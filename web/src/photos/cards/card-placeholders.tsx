import { Download, Eye, ImageOff, Printer, RotateCcw, TriangleAlert } from 'lucide-react'
import type { MouseEvent, ReactNode } from 'react'
import type { Photo } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { useReprocess } from '../use-photo-changes.ts'

const PLACEHOLDER =
  'absolute inset-0 grid place-content-center justify-items-center gap-2 px-2 pt-10 pb-8 text-center text-sm'

interface RawPlaceholderProps {
  photo: Photo
  /** -1 takes its buttons out of the tab order. */
  tabIndex: number | undefined
  onOpen: (photo: Photo) => void
  onPrint: (photo: Photo) => void
  /** Why prints cannot be ordered; null if they can. */
  printingReason: string | null
}

/** Placeholder of a raw photo, which browsers cannot display. */
export function RawPlaceholder({ photo, tabIndex, onOpen, onPrint, printingReason }: RawPlaceholderProps) {
  return (
    <div className={`${PLACEHOLDER} text-muted`}>
      <PlaceholderText icon={<ImageOff aria-hidden />}>DNG files cannot be displayed</PlaceholderText>
      <div className="flex flex-wrap justify-center gap-1.5">
        <Button size="small" tabIndex={tabIndex} onClick={() => onOpen(photo)}>
          <Eye aria-hidden /> View Details
        </Button>
        <DownloadButton photo={photo} tabIndex={tabIndex} />
        <Button
          size="small"
          tabIndex={tabIndex}
          disabled={printingReason !== null}
          title={printingReason ?? 'Order prints'}
          onClick={() => onPrint(photo)}
        >
          <Printer aria-hidden /> Print
        </Button>
      </div>
    </div>
  )
}

/** Placeholder of a photo whose processing failed; the caption shows the reason. */
export function FailedPlaceholder({ photo }: { photo: Photo }) {
  const reprocess = useReprocess(photo)

  /** The button disappears while the photo is processed: the focus stays on the card. */
  function retry(event: MouseEvent<HTMLElement>): void {
    event.currentTarget.closest('article')?.focus({ preventScroll: true })
    reprocess.mutate()
  }

  return (
    <div className={`${PLACEHOLDER} rounded-lg bg-danger-soft font-semibold text-danger`}>
      <PlaceholderText icon={<TriangleAlert aria-hidden />}>Processing failed</PlaceholderText>
      <div className="flex gap-2">
        <Button size="small" busy={reprocess.isPending} onClick={retry}>
          {!reprocess.isPending && <RotateCcw aria-hidden />} Try again
        </Button>
        <DownloadButton photo={photo} />
      </div>
    </div>
  )
}

function PlaceholderText({ icon, children }: { icon: ReactNode; children: ReactNode }) {
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
