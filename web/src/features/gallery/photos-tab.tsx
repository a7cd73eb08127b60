import { ImageOff } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, ErrorState } from '../../components/ui/empty-state.tsx'
import { cx } from '../../lib/cx.ts'
import { countOf, formatNumber } from '../../lib/format.ts'
import { noticeOf } from '../../lib/http.ts'
import { PhotoGrid } from '../../photos/grid/photo-grid.tsx'
import { PhotoGridSkeleton } from '../../photos/grid/photo-grid-skeleton.tsx'
import { usePhotoList } from '../../photos/grid/use-photo-pages.ts'
import { BulkBar } from './bulk-bar.tsx'
import { BulkDialogs, useBulkChange } from './bulk-dialogs.tsx'
import { isFiltered, listOf, serverFilter } from './filters.ts'
import { HelpDialog } from './help-dialog.tsx'
import { amountOf, COUNTED } from './selection.ts'
import { Toolbar } from './toolbar.tsx'
import { useFilters } from './use-filters.ts'
import { useSelection } from './use-selection.ts'
import { useShortcuts } from './use-shortcuts.ts'
import { useView } from './view-toggle.tsx'

const DELETION = {
  title: 'Delete Photo',
  description: 'Are you sure you want to delete this photo? This action cannot be undone.',
  failureTitle: 'Error deleting photo',
}

/** All photos of the user: searched, filtered, sorted, selected. */
export function PhotosTab() {
  const { filters, change } = useFilters()
  const wanted = listOf(filters)
  const read = usePhotoList(wanted)
  const list = useLastRead(wanted, read.total !== undefined || read.error !== null)
  const { total, more, error, refetch } = usePhotoList(list)
  const [view, setView] = useView()
  const [help, setHelp] = useState(false)
  const search = useRef<HTMLInputElement>(null)
  const selected = useSelection(list, total ?? 0, more)
  const bulk = useBulkChange(selected, serverFilter(filters))
  useShortcuts({
    '/': () => {
      search.current?.focus()
      search.current?.select()
    },
    '?': () => setHelp(true),
  })

  function gallery() {
    if (total === undefined) {
      if (!error) return <PhotoGridSkeleton compact={view === 'list'} />
      return <ErrorState title="Failed to fetch photos" description={noticeOf(error)} onRetry={() => refetch()} />
    }
    if (total === 0) return <NothingFound filtered={isFiltered(filters)} onClear={() => change(NO_FILTERS)} />
    return (
      <PhotoGrid
        key={list}
        list={list}
        total={total}
        more={more}
        pageWidth={1320}
        deletion={DELETION}
        compact={view === 'list'}
        selection={{ ...selected, remove: () => selected.count > 0 && bulk.ask('delete') }}
      />
    )
  }

  return (
    <>
      <Toolbar
        search={search}
        filters={filters}
        onFilter={change}
        amount={total === undefined ? null : more ? `${formatNumber(COUNTED)}+ photos` : countOf(total, 'photo')}
        empty={!total}
        view={view}
        onView={setView}
        selecting={selected.active}
        onSelecting={(on) => (on ? selected.start() : selected.clear())}
      />
      <p role="status" className="sr-only">
        {total !== undefined && (selected.active ? `${selected.amount} selected` : amountOf(total, more))}
      </p>
      <div
        aria-busy={list !== wanted || undefined}
        className={cx('transition-opacity', list !== wanted && 'opacity-60')}
      >
        {gallery()}
      </div>
      {selected.active && (
        <BulkBar
          none={selected.count === 0}
          all={selected.count === total}
          amount={selected.amount}
          onAll={selected.all}
          onClear={selected.clear}
          onMove={() => bulk.ask('folder')}
          onPrivacy={(isPublic) => bulk.run({ action: 'privacy', isPublic }, null)}
          onDelete={() => bulk.ask('delete')}
        />
      )}
      <BulkDialogs change={bulk} count={selected.count} amount={selected.amount} list={list} />
      <HelpDialog open={help} onClose={() => setHelp(false)} />
    </>
  )
}

const NO_FILTERS = { q: '', location: '', from: null }

/** The list before stays, dimmed, until the wanted one has been read: the screen does not flash while one types. */
function useLastRead(wanted: string, isRead: boolean): string {
  const [last, setLast] = useState(wanted)
  if (isRead && last !== wanted) setLast(wanted)
  return isRead ? wanted : last
}

function NothingFound({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  return (
    <EmptyState
      icon={<ImageOff />}
      title="No photos found"
      description={filtered ? 'Try adjusting your filters or search terms' : 'Upload some photos to get started'}
      action={filtered && <Button onClick={onClear}>Clear filters</Button>}
    />
  )
}
