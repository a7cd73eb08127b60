import { Search, X } from 'lucide-react'
import type { RefObject } from 'react'
import { Badge } from '../../components/ui/badge.tsx'
import { Input } from '../../components/ui/field.tsx'
import { useTypedSearch } from '../../lib/use-typed-search.ts'
import { MAX_SEARCH_LENGTH } from './filters.ts'

interface SearchBoxProps {
  input: RefObject<HTMLInputElement | null>
  /** The current search. */
  value: string
  onSearch: (q: string) => void
  /** The number of matches; null until it is known. */
  amount: string | null
}

/** Searches after a pause in typing, and immediately on Enter and after Clear. */
export function SearchBox({ input, value, onSearch, amount }: SearchBoxProps) {
  const { text, setText, search } = useTypedSearch(value, onSearch)

  function clear(): void {
    setText('')
    if (value !== '') onSearch('')
    input.current?.focus()
  }

  return (
    <search className="relative min-w-0 grow basis-32 sm:basis-full xl:basis-56">
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-3.5 z-1 size-4 -translate-y-1/2 text-muted"
      />
      <Input
        ref={input}
        type="search"
        aria-label="Search photos"
        aria-keyshortcuts="/"
        placeholder="Search photos..."
        autoComplete="off"
        enterKeyHint="search"
        maxLength={MAX_SEARCH_LENGTH}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') search()
          if (event.key === 'Escape' && text === '') event.currentTarget.blur()
        }}
        className="pr-11 pl-10 text-ellipsis sm:pr-36 [&::-webkit-search-cancel-button]:hidden"
      />
      <span className="pointer-events-none absolute inset-y-0 right-0 flex items-center gap-2">
        {amount !== null && (
          <span className="max-sm:sr-only">
            <Badge>{amount}</Badge>
          </span>
        )}
        {text === '' ? (
          <kbd className="mr-3 hidden h-6 w-5 place-content-center rounded-sm bg-sunken text-center font-sans text-xs text-muted sm:pointer-fine:grid">
            /
          </kbd>
        ) : (
          <button
            type="button"
            aria-label="Clear search"
            title="Clear search"
            onClick={clear}
            className="pointer-events-auto grid size-11 place-items-center rounded-md text-muted hover:text-text sm:-ml-2 sm:size-10 [&>svg]:size-4"
          >
            <X aria-hidden />
          </button>
        )}
      </span>
    </search>
  )
}
