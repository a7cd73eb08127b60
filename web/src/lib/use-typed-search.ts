import { useEffect, useEffectEvent, useState } from 'react'

const TYPING_PAUSE_MS = 250

/** A search field's text and its setter; `search` searches immediately, otherwise a pause in typing does. */
export function useTypedSearch(value: string, onSearch: (q: string) => void) {
  const [text, setText] = useState(value)
  const [known, setKnown] = useState(value)
  const [requested, setRequested] = useState(value)
  // The URL follows a request later, in a transition: what was typed meanwhile stays. Otherwise it was changed by Back or
  // 'Clear filters'.
  if (value !== known) {
    setKnown(value)
    if (value !== requested) {
      setRequested(value)
      setText(value)
    }
  }

  function search(): void {
    const q = text.trim()
    if (q === requested) return
    setRequested(q)
    onSearch(q)
  }

  // What else changed during the pause, a filter in the URL say, must not be taken back.
  const searchNow = useEffectEvent(search)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each key starts the pause again
  useEffect(() => {
    const timer = setTimeout(() => searchNow(), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return { text, setText, search }
}
