import { useQueryClient } from '@tanstack/react-query'
import { ImageOff } from 'lucide-react'
import { type ReactNode, useDeferredValue, useRef, useState } from 'react'
import { keyOfList, type PhotoList } from '../../api/photo-lists.ts'
import type { AccountSettings } from '../../api/types.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, ErrorState } from '../../components/ui/empty-state.tsx'
import { cx } from '../../lib/cx.ts'
import { isFirstScreenComplete } from '../../lib/first-screen.ts'
import { countOf, formatNumber } from '../../lib/format.ts'
import { errorMessage } from '../../lib/http.ts'
import type { DeletionTexts } from '../delete-photo-dialog.tsx'
import type { DownloadRequest } from '../download-dialog.tsx'
import { PhotoGrid } from '../grid/photo-grid.tsx'
import { PhotoGridSkeleton } from '../grid/photo-grid-skeleton.tsx'
import { useMonths } from '../grid/use-months.ts'
import { usePhotoList } from '../grid/use-photo-pages.ts'
import { usePrinting } from '../use-printing.ts'
import { useSettings } from '../use-settings.ts'
import { BulkBar } from './bulk-bar.tsx'
import { isFiltered, listOf, NO_FILTERS, type PhotoSource, type ServerFilter, serverFilter } from './filters.ts'
import { MapView } from './lazy-map-view.tsx'
import { useMapTab } from './map-tab.ts'
import { PlaceFilters } from './place-filters.tsx'
import { printSelected, tooManyToPrint } from './print-selected.ts'
import { describeCount } from './selection.ts'
import { Toolbar } from './toolbar.tsx'
import { useBulkChange } from './use-bulk-change.ts'
import { useFilters } from './use-filters.ts'
import { useSelection } from './use-selection.ts'
import { useShortcuts } from './use-shortcuts.ts'
import { useView } from './view-toggle.tsx'

const BulkDialogs = lazyComponent(() => import('../dialogs.ts').then((code) => code.BulkDialogs), {
  afterFirstScreen: true,
})
const DownloadDialog = lazyComponent(() => import('../dialogs.ts').then((code) => code.DownloadDialog), {
  afterFirstScreen: true,
})
const HelpDialog = lazyComponent(() => import('../dialogs.ts').then((code) => code.HelpDialog), {
  afterFirstScreen: true,
})

interface PhotoBrowserProps {
  /** Whose photos are shown: the gallery's or a folder's. */
  source: PhotoSource
  /** This screen's texts for deleting a photo. */
  deletionTexts: DeletionTexts
  /** Shown instead of toolbar and list when there is no photo at all. */
  empty: ReactNode
  /** The photos are the user's own, who may select and change them: an administrator also sees others'. */
  own?: boolean
}

/**
 * The user's photos: searched, filtered, sorted, selected and changed together. The URL holds filters and order. Starts
 * when the user's default order and view are known.
 */
export function PhotoBrowser(props: PhotoBrowserProps) {
  const { sort, view, isKnown } = useSettings()
  if (!isKnown) return <PhotoGridSkeleton view={view} />
  return <Browser {...props} defaults={{ sort, view }} />
}

type Defaults = Pick<AccountSettings, 'sort' | 'view'>

function Browser(props: PhotoBrowserProps & { defaults: Defaults }) {
  const { source, deletionTexts, empty, own = true, defaults } = props
  const { filters, change } = useFilters(defaults.sort)
  const requested = listOf(filters, undefined, source)
  const read = usePhotoList(requested)
  const isRequestedRead = useMonths(requested).isReady && read.total !== undefined
  const list = useLastRead(requested, isRequestedRead || read.error !== null)
  const isOutdated = keyOfList(list) !== keyOfList(requested)
  const { total, moreThan, error, refetch } = usePhotoList(list)
  const months = useMonths(list)
  // Rendering the first photos is long: deferred, it is cut into short tasks. By then the container can be measured.
  const isRead = total !== undefined && months.isReady
  const isReady = useDeferredValue(isRead, isRead && isFirstScreenComplete.get())
  const container = useRef<HTMLDivElement>(null)
  const isEmpty = total === 0 && !isOutdated && !isFiltered(filters)
  const [view, setView] = useView(defaults.view)
  const isMap = useMapTab()
  const [help, setHelp] = useState(false)
  const [download, setDownload] = useState<DownloadRequest | null>(null)
  const search = useRef<HTMLInputElement>(null)
  const selected = useSelection(list, total ?? 0, moreThan)
  const client = useQueryClient()
  const printing = usePrinting()
  const folder = source.kind === 'folder' ? source.folderId : filters.folder
  const bulk = useBulkChange(selected, serverFilter({ ...filters, folder }))
  useShortcuts({
    '/': () => {
      search.current?.focus()
      search.current?.select()
    },
    '?': () => setHelp(true),
  })

  function photos() {
    if (total === undefined || !isRead || !isReady) {
      if (!error) return <PhotoGridSkeleton view={view} />
      return <ErrorState title="Failed to fetch photos" description={errorMessage(error)} onRetry={() => refetch()} />
    }
    if (isEmpty) return empty
    if (isMap) {
      return (
        <MapView
          key={folder ?? 'all'}
          list={list}
          onFilter={change}
          deletionTexts={deletionTexts}
          own={own}
          selected={selected}
          bulk={bulk}
        />
      )
    }
    if (total === 0) return <NothingFound onClear={() => change(NO_FILTERS)} />
    return (
      <PhotoGrid
        key={keyOfList(list)}
        list={list}
        total={total}
        more={moreThan !== null}
        deletionTexts={deletionTexts}
        view={view}
        months={months.months}
        container={container}
        {...(own && {
          selection: { ...selected, remove: () => selected.count > 0 && bulk.askFirst('delete') },
        })}
      />
    )
  }

  const amount =
    total === undefined ? null : moreThan === null ? countOf(total, 'photo') : `${formatNumber(moreThan)}+ photos`
  return (
    // The toolbar sticks to the window within this element.
    <div>
      {!isEmpty && (
        <Toolbar
          search={search}
          filters={filters}
          onFilter={change}
          byFolder={source.kind === 'gallery'}
          amount={amount}
          empty={!total}
          view={isMap ? null : view}
          onView={setView}
          selectable={own}
          selecting={selected.active}
          onSelecting={(on) => (on ? selected.start() : selected.clear())}
          onHelp={() => setHelp(true)}
        />
      )}
      <PlaceFilters filters={filters} onFilter={change} />
      <p role="status" className="sr-only">
        {total !== undefined && (selected.active ? `${selected.amount} selected` : describeCount(total, moreThan))}
      </p>
      <div
        ref={container}
        aria-busy={isOutdated || undefined}
        className={cx('transition-opacity', isOutdated && 'opacity-60')}
      >
        {photos()}
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
          onDownload={() => setDownload(downloadOf(selected, serverFilter({ ...filters, folder })))}
          onPrint={() => printSelected(client, list, total ?? 0, selected.selection)}
          printingReason={printing.reason ?? tooManyToPrint(selected.count)}
          onDelete={() => bulk.askFirst('delete')}
        />
      )}
      <BulkDialogs change={bulk} count={selected.count} label={selected.amount} list={list} />
      <DownloadDialog request={download} onClose={() => setDownload(null)} />
      <HelpDialog open={help} onClose={() => setHelp(false)} />
    </div>
  )
}

function downloadOf({ selection, amount }: ReturnType<typeof useSelection>, filter: ServerFilter): DownloadRequest {
  const ids = [...selection.ids]
  const photos = selection.kind === 'some' ? { ids } : { filter, except: ids }
  return { title: `Download ${amount}`, name: null, photos }
}

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
