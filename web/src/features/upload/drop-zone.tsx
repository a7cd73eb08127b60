import { ImagePlus } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { useLocation } from 'react-router-dom'
import { openUpload, uploadView } from './store.ts'
import { takeDrop } from './uploads.ts'

const SCREENS = /^\/(upload|folders)?$/
const FOLDER = /^\/folders\/(\d+)$/

/** Takes photos dropped anywhere on the home screen, a folder's screen or the open dialog. */
export function DropZone() {
  const { pathname } = useLocation()
  const over = useFileDrop((data) => {
    const folder = FOLDER.exec(pathname)?.[1]
    if (!uploadView().open && !folder && !SCREENS.test(pathname)) return
    const isForm = uploadView().open && uploadView().view === 'form'
    if (!isForm) openUpload(folder ? Number(folder) : null)
    takeDrop(data)
  })
  if (!over) return null
  return (
    <div className="pointer-events-none fixed inset-3 z-70 grid place-content-center justify-items-center gap-2 rounded-lg border-2 border-dashed border-accent bg-accent-soft/90 text-lg font-semibold">
      <ImagePlus aria-hidden className="size-9 text-accent" />
      Drop photos or folders to upload
    </div>
  )
}

/** True while files are dragged over the page. A drop that nobody takes does nothing: the browser would leave the page. */
function useFileDrop(onDrop: (data: DataTransfer) => void): boolean {
  const [over, setOver] = useState(false)
  const take = useEffectEvent(onDrop)
  useEffect(() => {
    const hasFiles = (event: DragEvent) => Boolean(event.dataTransfer?.types.includes('Files'))
    function drag(event: DragEvent): void {
      const mine = hasFiles(event) && !event.defaultPrevented
      if (mine) event.preventDefault()
      setOver(mine)
    }
    function leave(event: DragEvent): void {
      // Between elements of the page there is always a next one.
      if (event.relatedTarget === null) setOver(false)
    }
    function drop(event: DragEvent): void {
      setOver(false)
      if (!hasFiles(event) || event.defaultPrevented || !event.dataTransfer) return
      event.preventDefault()
      take(event.dataTransfer)
    }
    addEventListener('dragover', drag)
    addEventListener('dragleave', leave)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', drag)
      removeEventListener('dragleave', leave)
      removeEventListener('drop', drop)
    }
  }, [])
  return over
}
