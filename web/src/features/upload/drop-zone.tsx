import { ImagePlus } from 'lucide-react'
import { useLocation } from 'react-router-dom'
import { useFileDrop } from '../../lib/files.ts'
import { openUpload, uploadDialogState } from './dialog-state.ts'
import { addDroppedFiles } from './upload-actions.ts'

const SCREENS = /^\/(upload|folders)?$/
const FOLDER = /^\/folders\/(\d+)$/

/** Accepts photos dropped anywhere on the home screen, a folder's screen or the open dialog. */
export function DropZone() {
  const { pathname } = useLocation()
  const over = useFileDrop({
    target: window,
    accepts: (event) => !event.defaultPrevented,
    onDrop: (data) => {
      const folder = FOLDER.exec(pathname)?.[1]
      if (!uploadDialogState().open && !folder && !SCREENS.test(pathname)) return
      const isForm = uploadDialogState().open && uploadDialogState().view === 'form'
      if (!isForm) openUpload(folder ? Number(folder) : null)
      addDroppedFiles(data)
    },
  })
  if (!over) return null
  return (
    <div className="pointer-events-none fixed inset-3 z-70 grid place-content-center justify-items-center gap-2 rounded-lg border-2 border-dashed border-accent bg-accent-soft/90 text-lg font-semibold">
      <ImagePlus aria-hidden className="size-9 text-accent" />
      Drop photos or folders to upload
    </div>
  )
}
