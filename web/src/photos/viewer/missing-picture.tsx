import { Download, Image, ImageOff } from 'lucide-react'
import type { PublicPhoto } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import type { ShowEmbedded } from './picture-viewer.tsx'

interface MissingPictureProps {
  photo: Pick<PublicPhoto, 'url'>
  /** Why there is no picture. */
  text: string
  /** A second line. */
  detail?: string | null
  showEmbedded: ShowEmbedded
  downloadLabel: string
  /** The file name of the download; by default the server's. */
  downloadName?: string
}

/** Replaces the picture in a dialog when browsers cannot display it, with the remaining actions. */
export function MissingPicture({
  photo,
  text,
  detail,
  showEmbedded,
  downloadLabel,
  downloadName,
}: MissingPictureProps) {
  return (
    <div className="absolute inset-0 grid place-content-center justify-items-center gap-4 px-16 text-center text-muted">
      <ImageOff aria-hidden className="size-8" strokeWidth={1.5} />
      <div>
        <p className="first-letter:uppercase">{text}</p>
        {detail && <p className="text-sm wrap-anywhere">{detail}</p>}
      </div>
      <div className="flex flex-wrap justify-center gap-2">
        {showEmbedded && (
          <Button onClick={showEmbedded}>
            <Image aria-hidden /> Show camera preview
          </Button>
        )}
        <Button asChild>
          <a href={photo.url} download={downloadName ?? ''}>
            <Download aria-hidden /> {downloadLabel}
          </a>
        </Button>
      </div>
    </div>
  )
}
