import { useQueryClient } from '@tanstack/react-query'
import { ImageOff } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { keyOfList, type PhotoList } from '../../api/photo-lists.ts'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, ErrorState } from '../../components/ui/empty-state.tsx'
import { cx } from '../../lib/cx.ts'
import { countOf, formatNumber } from '../../lib/format.ts'
import { errorMessage } from '../../lib/http.ts'
import { PhotoGrid } from '../../photos/grid/photo-grid.tsx'
import { PhotoGridSkeleton } from '../../photos/grid/photo-grid-skeleton.tsx'
import { usePhotoList } from '../../photos/grid/use-photo-pages.ts'
import { usePrinting } from '../../photos/use-printing.ts'
import { useSettings } from '../../photos/use-settings.ts'
import { BulkBar } from './bulk-bar.tsx'
import { BulkDialogs, useBulkChange } from './bulk-dialogs.tsx'
import { isFiltered, listOf, type Sort, serverFilter } from './filters.ts'
import { HelpDialog } from './help-dialog.tsx'
import { printSelected, tooManyToPrint } from './print-selected.ts'
import { describeCount } from './selection.ts'
import { Toolbar } from './toolbar.tsx'
import { useFilters } from './use-filters.ts'
import { useSelection } from './use-selection.ts'
import { useShortcuts } from './use-shortcuts.ts'
import { useView, type View } from './view-toggle.tsx'

const DELETION = {
  title: 'Delete Photo',
  description: 'Are you sure you want to delete this photo? This action cannot be undone.',
  failureTitle: 'Error deleting photo',
}

interface PhotosTabProps {
  /** Shown to a user without photos, instead of a gallery of which nothing can be searched. */
  firstStep: ReactNode
}

/** The gallery, once the user's default sort and view are known. */
export function PhotosTab({ firstStep }: PhotosTabProps) {
  const { sort, view, isKnown } = useSettings()
  if (!isKnown) return <PhotoGridSkeleton compact={view === 'list'} />
  return <Gallery defaults={{ sort, view }} firstStep={firstStep} />
}

/** All photos of the user: searched, filtered, sorted, selected. */
function Gallery({ defaults, firstStep }: PhotosTabProps & { defaults: { sort: Sort; view: View } }) {
  const { filters, change } = useFilters(defaults.sort)
  const requested = listOf(filters)
  const read = usePhotoList(requested)
  const list = useLastRead(requested, read.total !== undefined || read.error !== null)
  const isOutdated = keyOfList(list) !== keyOfList(requested)
  const { total, moreThan, error, refetch } = usePhotoList(list)
  const isEmpty = total === 0 && !isOutdated && !isFiltered(filters)
  const [view, setView] = useView(defaults.view)
  const [help, setHelp] = useState(false)
  const search = useRef<HTMLInputElement>(null)
  const selected = useSelection(list, total ?? 0, moreThan)
  const client = useQueryClient()
  const printing = usePrinting()
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
      return <ErrorState title="Failed to fetch photos" description={errorMessage(error)} onRetry={() => refetch()} />
    }
    if (isEmpty) return firstStep
    if (total === 0) return <NothingFound onClear={() => change(NO_FILTERS)} />
    return (
      <PhotoGrid
        key={keyOfList(list)}
        list={list}
        total={total}
        more={moreThan !== null}
        pageWidth={1320}
        deletionTexts={DELETION}
        compact={view === 'list'}
        selection={{ ...selected, remove: () => selected.count > 0 && bulk.askFirst('delete') }}
      />
    )
  }

  const amount =
    total === undefined ? null : moreThan === null ? countOf(total, 'photo') : `${formatNumber(moreThan)}+ photos`
  return (
    <>
      {!isEmpty && (
        <Toolbar
          search={search}
          filters={filters}
          onFilter={change}
          amount={amount}
          empty={!total}
          view={view}
          onView={setView}
          selecting={selected.active}
          onSelecting={(on) => (on ? selected.start() : selected.clear())}
        />
      )}
      <p role="status" className="sr-only">
        {total !== undefined && (selected.active ? `${selected.amount} selected` : describeCount(total, moreThan))}
      </p>
      <div aria-busy={isOutdated || undefined} className={cx('transition-opacity', isOutdated && 'opacity-60')}>
        {gallery()}
      </div>
      {selected.active && (
        <BulkBar
          none={selected.count === 0}
          all={selected.count === total}
          amount={selected.amount}
          onAll={selected.all}
          onClear={selected.clear}
          onMove={() => bulk.askFirst('folder')}
          onPrivacy={(isPublic) => bulk.run({ action: 'privacy', isPublic }, null)}
          onPrint={() => printSelected(client, list, total ?? 0, selected.selection)}
          printingReason={printing.reason ?? tooManyToPrint(selected.count)}
          onDelete={() => bulk.askFirst('delete')}
        />
      )}
      <BulkDialogs change={bulk} count={selected.count} label={selected.amount} list={list} />
      <HelpDialog open={help} onClose={() => setHelp(false)} />
    </>
  )
}

const NO_FILTERS = { q: '', location: '', from: null }

/** Keeps the previous list, dimmed, until the requested one has been read: the screen does not flash while typing. */
function useLastRead(requested: PhotoList, isRead: boolean): PhotoList {
  const [last, setLast] = useState(requested)
  if (isRead && keyOfList(last) !== keyOfList(requested)) setLast(requested)
  return isRead ? requested : last
}

function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      icon={<ImageOff />}
      title="No photos found"
      description="Try adjusting your filters or search terms"
      action={<Button onClick={onClear}>Clear filters</Button>}
    />
  )
}
