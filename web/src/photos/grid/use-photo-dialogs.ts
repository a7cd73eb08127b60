import { useState } from 'react'
import type { Photo } from '../../api/types.ts'
import { useMarkForPrinting } from '../use-mark-for-printing.ts'
import { useOpenPhoto } from '../use-open-photo.ts'

/** What the dialogs about single photos of a list show, and the functions that open them. */
export function usePhotoDialogs() {
  const [moving, setMoving] = useState<Photo | null>(null)
  const [deleting, setDeleting] = useState<Photo | null>(null)
  const opened = useOpenPhoto()
  const marking = useMarkForPrinting()
  return { opened, marking, moving, setMoving, deleting, setDeleting }
}
