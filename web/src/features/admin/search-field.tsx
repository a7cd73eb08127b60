import { Search } from 'lucide-react'
import { Input } from '../../components/ui/field.tsx'
import { useTypedSearch } from '../../lib/use-typed-search.ts'

export const MAX_SEARCH_LENGTH = 100

interface SearchFieldProps {
  label: string
  placeholder: string
  /** The current search. */
  value: string
  onSearch: (q: string) => void
}

/** Searches after a pause in typing, and immediately on Enter. */
export function SearchField({ label, placeholder, value, onSearch }: SearchFieldProps) {
  const { text, setText, search } = useTypedSearch(value, onSearch)
  return (
    <search className="relative min-w-0 grow basis-full sm:basis-64">
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-3.5 z-1 size-4 -translate-y-1/2 text-muted"
      />
      <Input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="search"
        maxLength={MAX_SEARCH_LENGTH}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && search()}
        className="pl-10"
      />
    </search>
  )
}
