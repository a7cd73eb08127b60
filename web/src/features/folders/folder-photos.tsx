import { ImagePlus } from 'lucide-react'
import type { ReactNode } from 'react'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { PhotoBrowser } from '../../photos/browser/photo-browser.tsx'

const DELETION = {
  title: 'Are you sure?',
  description:
    'This action cannot be undone. This will permanently delete this photo from your account and remove it from all folders.',
  failureTitle: 'Error',
}

interface FolderPhotosProps {
  folderId: number
  /** The folder is the user's own: an administrator also sees others'. */
  own: boolean
  /** The button that uploads photos into the folder. */
  upload: ReactNode
}

export function FolderPhotos({ folderId, own, upload }: FolderPhotosProps) {
  return (
    <PhotoBrowser
      source={{ kind: 'folder', folderId }}
      deletionTexts={DELETION}
      own={own}
      empty={
        <EmptyState
          icon={<ImagePlus />}
          title="This folder is empty"
          description={own ? 'Upload photos into it, or choose it as the folder of photos that you have.' : undefined}
          action={upload}
        />
      }
    />
  )
}
