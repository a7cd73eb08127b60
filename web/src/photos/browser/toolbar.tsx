import { Keyboard, Search, SlidersHorizontal, X } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { lazyComponent } from '../../components/lazy.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { Input } from '../../components/ui/field.tsx'
import { cx } from '../../lib/cx.ts'
import { useTypedSearch } from '../../lib/use-typed-search.ts'
import { FilterFields, type ListControls } from './filter-fields.tsx'
import { countFilters, MAX_SEARCH_LENGTH } from './filters.ts'
import type { PhotoSelection } from './selection.ts'
import { ViewToggle } from './view-toggle.tsx'

const FilterSheet = lazyComponent(() => import('../dialogs.ts').then((code) => code.FilterSheet), {
  afterFirstScreen: true,
})

interface ToolbarProps extends ListControls {
  /** The field that a shortcut focuses. */
  search: RefObject<HTMLInputElement | null>
  /** Null: without select mode. */
  selected: PhotoSelection | null
  empty: boolean
  onHelp: () => void
}

/**
 * Search, filters, order and view of a list of photos, and the switch to select mode. Filters and order have a row of
 * their own. On phones all but the search is in a sheet, and the bar stays in reach: it folds away while the user
 * scrolls down.
 */
export function Toolbar(props: ToolbarProps) {
  const { filters, onFilter, folderId, view, onView, selected, empty, onHelp } = props
  const [bar, folded] = useFolded()
  const [sheet, setSheet] = useState(false)
  const chosen = countFilters(filters)
  return (
    <div
      ref={bar}
      className={cx(
        'flex items-center gap-2 sm:mb-3 sm:flex-wrap sm:gap-2.5',
        'max-sm:sticky max-sm:top-[61px] max-sm:z-20 max-sm:-mx-4 max-sm:bg-bg max-sm:px-4 max-sm:py-2 max-sm:transition-transform',
        folded && 'max-sm:not-focus-within:-translate-y-16',
      )}
    >
      <SearchBox {...props} />
      <div className="hidden gap-2.5 sm:order-last sm:grid sm:basis-full sm:grid-cols-3 lg:auto-cols-fr lg:grid-flow-col lg:grid-cols-none">
        <FilterFields filters={filters} onFilter={onFilter} folderId={folderId} inRow />
      </div>
      <Button
        aria-label={chosen === 0 ? 'Filters and view' : `Filters and view, ${chosen} in use`}
        aria-haspopup="dialog"
        onClick={() => setSheet(true)}
        className="px-3 sm:hidden"
      >
        <SlidersHorizontal aria-hidden />
        {chosen > 0 && <Badge tone="accent">{chosen}</Badge>}
      </Button>
      {view && (
        <div className="hidden sm:flex">
          <ViewToggle value={view} onChange={onView} />
        </div>
      )}
      <div className="hidden sm:pointer-fine:flex">
        <IconButton
          label="Keyboard shortcuts"
          icon={<Keyboard />}
          aria-haspopup="dialog"
          aria-keyshortcuts="?"
          onClick={onHelp}
        />
      </div>
      {selected && (
        <Button
          aria-pressed={selected.active}
          disabled={!selected.active && empty}
          onClick={selected.active ? selected.clear : selected.start}
        >
          {selected.active ? 'Done' : 'Select'}
        </Button>
      )}
      <FilterSheet {...props} open={sheet} onClose={() => setSheet(false)} />
    </div>
  )
}

/** Searches after a pause in typing, and immediately on Enter and after Clear. */
function SearchBox({ search: input, filters, onFilter, amount }: ToolbarProps) {
  const { text, setText, search } = useTypedSearch(filters.q, (q) => onFilter({ q }))

  function clear(): void {
    setText('')
    if (filters.q !== '') onFilter({ q: '' })
    input.current?.focus()
  }

  return (
    <search className="relative min-w-0 grow basis-32 sm:basis-56">
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

/** Shorter scrolls, a finger that trembles say, change nothing. */
const MIN_SCROLL = 8

/**
 * For a sticky bar: true while the user scrolls down the list below it. It is shown again by scrolling up, and at its
 * own place in the page.
 */
function useFolded(): [RefObject<HTMLDivElement | null>, boolean] {
  const bar = useRef<HTMLDivElement>(null)
  const [folded, setFolded] = useState(false)
  useEffect(() => {
    let last = scrollY
    function follow(): void {
      const moved = scrollY - last
      if (Math.abs(moved) < MIN_SCROLL) return
      last = scrollY
      const page = bar.current?.parentElement
      setFolded(moved > 0 && page != null && page.getBoundingClientRect().top < 0)
    }
    addEventListener('scroll', follow, { passive: true })
    return () => removeEventListener('scroll', follow)
  }, [])
  return [bar, folded]
}
