import { memo, type ReactNode } from 'react'
import { PhotoBrowser } from '../../photos/browser/photo-browser.tsx'

const DELETION = {
  title: 'Delete Photo',
  description: 'Are you sure you want to delete this photo? This action cannot be undone.',
  failureTitle: 'Error deleting photo',
}

interface PhotosTabProps {
  /** Shown to a user without photos, instead of a gallery of which nothing can be searched. */
  firstStep: ReactNode
}

/** The gallery: all photos of the user. */
export const PhotosTab = memo(function PhotosTab({ firstStep }: PhotosTabProps) {
  return <PhotoBrowser source={{ kind: 'gallery' }} deletionTexts={DELETION} empty={firstStep} />
})
