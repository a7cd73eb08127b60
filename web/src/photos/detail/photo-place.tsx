import { useId } from 'react'
import type { Folder, Photo } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { describeVisibility, VisibilitySwitch } from '../../components/visibility.tsx'
import { usePhotoVisibility } from '../use-photo-changes.ts'

interface PhotoPlaceProps {
  photo: Photo
  folder: Folder | null
  onMove: (photo: Photo) => void
}

/** Where the user's own photo is, and who sees it: both can be changed. */
export function PhotoPlace({ photo, folder, onMove }: PhotoPlaceProps) {
  const id = useId()
  const { isPublic, setPublic } = usePhotoVisibility(photo, (flag) => describeVisibility(flag, folder))
  return (
    <div className="grid grid-cols-1 gap-3">
      <div className="flex items-center justify-between gap-3">
        <div className="min-w-0">
          <p className="font-semibold">Folder</p>
          <p id={id} className="truncate text-sm text-muted">
            {folder?.name ?? 'In no folder'}
          </p>
        </div>
        <Button size="small" aria-describedby={id} onClick={() => onMove(photo)}>
          Choose folder
        </Button>
      </div>
      <VisibilitySwitch isPublic={isPublic} explanation={describeVisibility(isPublic, folder)} onChange={setPublic} />
    </div>
  )
}
