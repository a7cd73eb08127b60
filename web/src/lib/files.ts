import { useEffect, useEffectEvent, useState } from 'react'

interface FileDrop {
  /** The event target: an inner target receives a drop before an outer one. */
  target: Document | Window
  /** Whether this listener accepts the files that are dragged or dropped. */
  accepts(event: DragEvent): boolean
  onDrop(data: DataTransfer): void
}

/**
 * True while files are dragged over the page. A drop that no listener accepts is ignored: the browser would leave the
 * page.
 */
export function useFileDrop({ target, accepts, onDrop }: FileDrop): boolean {
  const [over, setOver] = useState(false)
  const acceptsFiles = useEffectEvent(
    (event: DragEvent) => Boolean(event.dataTransfer?.types.includes('Files')) && accepts(event),
  )
  const handleDrop = useEffectEvent(onDrop)
  useEffect(() => {
    function drag(event: DragEvent): void {
      const accepted = acceptsFiles(event)
      if (accepted) event.preventDefault()
      setOver(accepted)
    }
    function leave(event: DragEvent): void {
      // Between two elements of the page there is always a related target.
      if (event.relatedTarget === null) setOver(false)
    }
    function drop(event: DragEvent): void {
      setOver(false)
      if (!acceptsFiles(event) || !event.dataTransfer) return
      event.preventDefault()
      handleDrop(event.dataTransfer)
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

/** How long the browser may need the URL after the click. */
const URL_LIFETIME_MS = 60_000

/** Downloads a file under this name. */
export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), URL_LIFETIME_MS)
}

/** Downloads what is at this address, under the server's name. A link, not a request: browsers show the progress of a download and resume it. */
export function startDownload(href: string): void {
  // An error is a failed download, not a page.
  Object.assign(document.createElement('a'), { href, download: '' }).click()
}
