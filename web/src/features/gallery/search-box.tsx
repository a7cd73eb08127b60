import { Search } from 'lucide-react'
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

/** Searches after a pause in typing, and immediately on Enter. */
export function SearchBox({ input, value, onSearch, amount }: SearchBoxProps) {
  const { text, setText, search } = useTypedSearch(value, onSearch)
  return (
    <search className="relative min-w-0 grow basis-full lg:basis-64">
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
        className="pr-36 pl-10 [&::-webkit-search-cancel-button]:hidden"
      />
      <span className="pointer-events-none absolute top-1/2 right-3 flex -translate-y-1/2 items-center gap-2">
        {amount !== null && <Badge>{amount}</Badge>}
        <kbd className="hidden h-6 w-5 place-content-center rounded-sm bg-sunken text-center font-sans text-xs text-muted pointer-fine:grid">
          /
        </kbd>
      </span>
    </search>
  )
}
