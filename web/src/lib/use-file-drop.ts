import { useEffect, useEffectEvent, useState } from 'react'

interface FileDrop {
  /** Where it listens: an inner target hears of a drop before an outer one. */
  target: Document | Window
  /** Whether files that are dragged or dropped here are this listener's. */
  isMine(event: DragEvent): boolean
  onDrop(data: DataTransfer): void
}

/** True while files are dragged over the page. A drop that nobody takes does nothing: the browser would leave the page. */
export function useFileDrop({ target, isMine, onDrop }: FileDrop): boolean {
  const [over, setOver] = useState(false)
  const takes = useEffectEvent(
    (event: DragEvent) => Boolean(event.dataTransfer?.types.includes('Files')) && isMine(event),
  )
  const take = useEffectEvent(onDrop)
  useEffect(() => {
    function drag(event: DragEvent): void {
      const mine = takes(event)
      if (mine) event.preventDefault()
      setOver(mine)
    }
    function leave(event: DragEvent): void {
      // Between elements of the page there is always a next one.
      if (event.relatedTarget === null) setOver(false)
    }
    function drop(event: DragEvent): void {
      setOver(false)
      if (!takes(event) || !event.dataTransfer) return
      event.preventDefault()
      take(event.dataTransfer)
    }
    // Both targets know these events; their types name them apart.
    const events = target as Document
    events.addEventListener('dragover', drag)
    events.addEventListener('dragleave', leave)
    events.addEventListener('drop', drop)
    return () => {
      events.removeEventListener('dragover', drag)
      events.removeEventListener('dragleave', leave)
      events.removeEventListener('drop', drop)
    }
  }, [target])
  return over
}
