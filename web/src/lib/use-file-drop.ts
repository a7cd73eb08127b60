import { useEffect, useEffectEvent, useState } from 'react'

interface FileDrop {
  /** The event target: an inner target receives a drop before an outer one. */
  target: Document | Window
  /** Whether this listener accepts the files that are dragged or dropped. */
  isMine(event: DragEvent): boolean
  onDrop(data: DataTransfer): void
}

/**
 * True while files are dragged over the page. A drop that no listener accepts is ignored: the browser would leave the
 * page.
 */
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
      // Between two elements of the page there is always a related target.
      if (event.relatedTarget === null) setOver(false)
    }
    function drop(event: DragEvent): void {
      setOver(false)
      if (!takes(event) || !event.dataTransfer) return
      event.preventDefault()
      take(event.dataTransfer)
    }
    // Both targets have these events, but different types for them.
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
