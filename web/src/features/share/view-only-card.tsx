import type { PublicPhoto } from '../../api/types.ts'
import { PublicPicture } from './public-picture.tsx'
import { uploadDate } from './upload-date.ts'

/** Pixels under the picture: three lines of text. */
export const VIEW_ONLY_CAPTION_HEIGHT = 74

interface ViewOnlyCardProps {
  photo: PublicPhoto
  inFirstRow: boolean
  onOpen: () => void
  /** The picture's bytes were rejected. */
  onPictureError: () => void
}

/** One photo of a view-only folder. */
export function ViewOnlyCard({ photo, inFirstRow, onOpen, onPictureError }: ViewOnlyCardProps) {
  return (
    <>
      <PublicPicture photo={photo} inFirstRow={inFirstRow} onClick={onOpen} onPictureError={onPictureError} />
      <div className="px-0.5 pt-2.5">
        <h3 className="truncate font-semibold">{photo.title || 'Untitled'}</h3>
        {photo.city && photo.state && (
          <p className="truncate text-sm text-muted">
            {photo.city}, {photo.state}
          </p>
        )}
        <p className="text-sm text-muted">{uploadDate(photo)}</p>
      </div>
    </>
  )
}
