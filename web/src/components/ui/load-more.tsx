import { useEffect, useEffectEvent, useRef } from 'react'
import { Button } from './button.tsx'
import { Spinner } from './loading.tsx'

/** The next page is loaded when its button is this near. */
const NEAR = '800px'

interface LoadMoreProps {
  /** As in 'More orders could not be loaded.' */
  what: string
  busy: boolean
  failed: boolean
  onLoad: () => void
}

/** Loads the next page of a list when it comes near, and by a click; after a failure only by a click. */
export function LoadMore({ what, busy, failed, onLoad }: LoadMoreProps) {
  const place = useRef<HTMLDivElement>(null)
  const load = useEffectEvent(onLoad)
  useEffect(() => {
    if (busy || failed || !place.current) return
    // On a busy page one call has several entries; the last one says how it is now.
    const observer = new IntersectionObserver((entries) => entries.at(-1)?.isIntersecting && load(), {
      rootMargin: NEAR,
    })
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [busy, failed])
  return (
    <div ref={place} className="mt-6 grid justify-items-center gap-3">
      {failed && <p role="alert">{`More ${what} could not be loaded.`}</p>}
      {/* Not `disabled`: it would lose the focus. */}
      <Button aria-disabled={busy} aria-busy={busy} onClick={() => !busy && onLoad()}>
        {busy && <Spinner className="text-current" />}
        <span>{failed ? 'Try again' : 'Load more'}</span>
      </Button>
    </div>
  )
}
