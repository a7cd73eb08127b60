import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { foldersQuery, userQuery } from '../../api/queries.ts'
import type { Photo } from '../../api/types.ts'
import type { Box } from '../../lib/picture.ts'
import { Skeleton } from '../ui/skeleton.tsx'
import { DeletePhotoDialog, type Deletion } from './delete-photo-dialog.tsx'
import { FolderChoiceDialog } from './folder-choice-dialog.tsx'
import { PhotoCard } from './photo-card.tsx'

const GRID = 'grid grid-cols-1 gap-x-5 gap-y-7 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4'
const SKELETONS = 8

interface PhotoGridProps {
  photos: Photo[]
  /** The widest that the page gets, in pixels with its gutters. */
  pageWidth: number
  /** What this screen says before it deletes a photo. */
  deletion: Deletion
}

/** The user's photos in 1, 2, 3 or 4 columns, each with its menu. */
export function PhotoGrid({ photos, pageWidth, deletion }: PhotoGridProps) {
  const user = useQuery(userQuery).data
  // Also for the choice of folders: they are there when its dialog opens.
  const folders = useQuery(foldersQuery).data
  const box = useMemo(() => boxOn(pageWidth), [pageWidth])
  const [moving, setMoving] = useState<Photo | null>(null)
  const [deleting, setDeleting] = useState<Photo | null>(null)
  return (
    <>
      <ul className={GRID}>
        {photos.map((photo) => (
          <li key={photo.id} className="min-w-0">
            <PhotoCard
              photo={photo}
              folder={folders?.find((folder) => folder.id === photo.folderId) ?? null}
              own={photo.userId === user?.id}
              box={box}
              onMove={setMoving}
              onDelete={setDeleting}
            />
          </li>
        ))}
      </ul>
      <FolderChoiceDialog photo={moving} onClose={() => setMoving(null)} />
      <DeletePhotoDialog photo={deleting} deletion={deletion} onClose={() => setDeleting(null)} />
    </>
  )
}

/** How wide a card's picture is in the grid above: the page without its gutters and the gaps between the columns. */
function boxOn(pageWidth: number): Box {
  const page = `min(100vw, ${pageWidth}px)`
  return {
    ratio: 3 / 2,
    widths: [
      { when: '(min-width: 1280px)', width: `calc((${page} - 116px) / 4)` },
      { when: '(min-width: 1024px)', width: `calc((${page} - 96px) / 3)` },
      { when: '(min-width: 640px)', width: 'calc((100vw - 76px) / 2)' },
      { width: 'calc(100vw - 32px)' },
    ],
  }
}

/** The shape of a grid whose photos are on their way. */
export function PhotoGridSkeleton() {
  return (
    <div role="status" className={GRID}>
      <span className="sr-only">Loading photos</span>
      {Array.from({ length: SKELETONS }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the shapes have no identity
        <div key={index}>
          <Skeleton className="aspect-3/2 rounded-lg" />
          <Skeleton className="mt-3 h-4 w-3/5" />
          <Skeleton className="mt-2 h-3 w-2/5" />
          <Skeleton className="mt-2 h-3 w-1/2" />
        </div>
      ))}
    </div>
  )
}
