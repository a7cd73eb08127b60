import { Keyboard, SlidersHorizontal } from 'lucide-react'
import { type RefObject, useState } from 'react'
import { lazyComponent } from '../../components/lazy.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { cx } from '../../lib/cx.ts'
import { DateField, FolderField, LocationField, SortField } from './filter-fields.tsx'
import type { ListControls } from './filter-sheet.tsx'
import { countFilters } from './filters.ts'
import { SearchBox } from './search-box.tsx'
import { useFolded } from './use-folded.ts'
import { ViewToggle } from './view-toggle.tsx'

const FilterSheet = lazyComponent(() => import('../dialogs.ts').then((code) => code.FilterSheet), {
  afterFirstScreen: true,
})

interface ToolbarProps extends ListControls {
  /** The field that a shortcut focuses. */
  search: RefObject<HTMLInputElement | null>
  empty: boolean
  /** Offers the select mode. */
  selectable: boolean
  selecting: boolean
  onSelecting: (on: boolean) => void
  onHelp: () => void
}

/**
 * Search, filters, order and view of a list of photos, and the switch to select mode. On phones all but the search is in
 * a sheet, and the bar stays in reach: it folds away while the user scrolls down.
 */
export function Toolbar(props: ToolbarProps) {
  const { search, filters, onFilter, byFolder, amount, empty, view, onView, selecting, onSelecting, onHelp } = props
  const [bar, folded] = useFolded<HTMLDivElement>()
  const [sheet, setSheet] = useState(false)
  const chosen = countFilters(filters)
  const field = { filters, onFilter, className: 'min-w-0 flex-1 xl:w-36 xl:flex-none' }
  const sort = { ...field, className: 'min-w-0 flex-1 xl:w-58 xl:flex-none' }
  return (
    <div
      ref={bar}
      className={cx(
        'flex items-center gap-2 sm:mb-3 sm:flex-wrap sm:gap-2.5',
        'max-sm:sticky max-sm:top-[61px] max-sm:z-20 max-sm:-mx-4 max-sm:bg-bg max-sm:px-4 max-sm:py-2 max-sm:transition-transform',
        folded && 'max-sm:not-focus-within:-translate-y-16',
      )}
    >
      <SearchBox input={search} value={filters.q} onSearch={(q) => onFilter({ q })} amount={amount} />
      <div className="hidden min-w-0 gap-2.5 sm:order-last sm:flex sm:basis-full xl:order-none xl:basis-auto">
        <LocationField {...field} />
        {byFolder && <FolderField {...field} />}
        <DateField {...field} />
        <SortField {...sort} />
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
      {props.selectable && (
        <Button aria-pressed={selecting} disabled={!selecting && empty} onClick={() => onSelecting(!selecting)}>
          {selecting ? 'Done' : 'Select'}
        </Button>
      )}
      <FilterSheet {...props} open={sheet} onClose={() => setSheet(false)} />
    </div>
  )
}
