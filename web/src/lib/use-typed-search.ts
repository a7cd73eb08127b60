import { useEffect, useEffectEvent, useState } from 'react'

const TYPING_PAUSE_MS = 250

/** A search field's text and its setter; `search` searches immediately, otherwise a pause in typing does. */
export function useTypedSearch(value: string, onSearch: (q: string) => void) {
  const [text, setText] = useState(value)
  const [searched, setSearched] = useState(value)
  // The URL has changed otherwise: by Back or 'Clear filters'.
  if (value !== searched) {
    setSearched(value)
    if (value !== text.trim()) setText(value)
  }

  function search(): void {
    const q = text.trim()
    if (q === searched) return
    setSearched(q)
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
