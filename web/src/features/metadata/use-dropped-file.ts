import { useEffect, useEffectEvent, useState } from 'react'

/** Takes the first file of what is dropped anywhere on the screen; true while files are dragged over it. */
export function useDroppedFile(onFile: (file: File) => void): boolean {
  const [over, setOver] = useState(false)
  const take = useEffectEvent(onFile)
  useEffect(() => {
    // An open dialog covers the screen. What is taken here (on the document, before the window) is not uploaded.
    const isMine = ({ dataTransfer }: DragEvent) =>
      Boolean(dataTransfer?.types.includes('Files')) && document.querySelector('[role*="dialog"]') === null
    function drag(event: DragEvent): void {
      const mine = isMine(event)
      if (mine) event.preventDefault()
      setOver(mine)
    }
    function leave(event: DragEvent): void {
      // Between elements of the page there is always a next one.
      if (event.relatedTarget === null) setOver(false)
    }
    function drop(event: DragEvent): void {
      setOver(false)
      if (!isMine(event)) return
      event.preventDefault()
      const file = event.dataTransfer?.files[0]
      if (file) take(file)
    }
    document.addEventListener('dragover', drag)
    document.addEventListener('dragleave', leave)
    document.addEventListener('drop', drop)
    return () => {
      document.removeEventListener('dragover', drag)
      document.removeEventListener('dragleave', leave)
      document.removeEventListener('drop', drop)
    }
  }, [])
  return over
}
