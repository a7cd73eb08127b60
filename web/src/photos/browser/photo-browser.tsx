import { ImageOff } from 'lucide-react'
import {
  type ReactNode,
  useCallback,
  useDeferredValue,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useSearchParams } from 'react-router-dom'
import { readManyPhotos } from '../../api/photo-cache.ts'
import { keyOfList, type PhotoList, type PhotoSort } from '../../api/photo-lists.ts'
import type { AccountSettings } from '../../api/types.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, QueryFailure } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { cx } from '../../lib/cx.ts'
import { isFirstScreenComplete } from '../../lib/first-screen.ts'
import { countOf, formatNumber } from '../../lib/format.ts'
import { useUrlSearch } from '../../lib/routing.ts'
import type { DownloadRequest } from '../download-dialog.tsx'
import { PhotoGridSkeleton } from '../grid/photo-cell.tsx'
import { PhotoGrid } from '../grid/photo-grid.tsx'
import { useMonths, usePhotoList } from '../grid/use-photo-pages.ts'
import { useTrackPlacing } from '../placing/place-by-track.tsx'
import { useOpenPhoto } from '../use-open-photo.ts'
import { useSettings } from '../use-settings.ts'
import { BulkBar } from './bulk-bar.tsx'
import { useBulkChange } from './bulk-changes.ts'
import { FilterMarks } from './filter-fields.tsx'
import {
  type Filters,
  folderOf,
  isFiltered,
  isMapTab,
  listOf,
  NO_FILTERS,
  readFilters,
  serverFilter,
  writeFilters,
} from './filters.ts'
import { describeCount, useSelection } from './selection.ts'
import { Toolbar } from './toolbar.tsx'
import { useView } from './view-toggle.tsx'

const dialogs = () => import('../dialogs.ts')
const BulkDialogs = lazyComponent(() => dialogs().then((code) => code.BulkDialogs), { afterFirstScreen: true })
const DownloadDialog = lazyComponent(() => dialogs().then((code) => code.DownloadDialog), { afterFirstScreen: true })
const HelpDialog = lazyComponent(() => dialogs().then((code) => code.HelpDialog), { afterFirstScreen: true })
const MapView = lazyComponent(() => import('./map-view.tsx').then((code) => code.MapView), {
  Loading: () => <Skeleton className="h-[62dvh] rounded-lg" />,
  failure: 'The map could not be loaded',
})

interface PhotoBrowserProps {
  /** Whose photos are shown: the gallery's or a folder's. */
  folderId?: number | null
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

type BrowserProps = PhotoBrowserProps & { defaults: Pick<AccountSettings, 'sort' | 'view'> }

function Browser({ folderId = null, empty, own = true, defaults }: BrowserProps) {
  const { filters, change } = useFilters(defaults.sort)
  const requested = listOf(filters, folderId)
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
  // A list that an open photo was the last to leave ends with its dialog.
  const isOpen = useOpenPhoto().id !== null
  const isEmpty = total === 0 && !isOpen && !isOutdated && !isFiltered(filters)
  const [view, setView] = useView(defaults.view)
  const isMap = isMapTab(useSearchParams()[0])
  const [help, setHelp] = useState(false)
  const [download, setDownload] = useState<DownloadRequest | null>(null)
  const search = useRef<HTMLInputElement>(null)
  const selected = useSelection(list, total ?? 0, moreThan)
  const folder = folderOf(filters, folderId)
  const filter = serverFilter({ ...filters, folder })
  const bulk = useBulkChange(selected, filter)
  const byTrack = useTrackPlacing({
    count: own && selected.active ? selected.count : 0,
    amount: selected.amount,
    fewer: 'Select fewer photos.',
    read: async () => readManyPhotos(await selected.readIds()),
  })
  useShortcuts({
    '/': () => {
      search.current?.focus()
      search.current?.select()
    },
    '?': () => setHelp(true),
  })

  function startDownload(): void {
    const { kind, ids } = selected.selection
    const photos = kind === 'some' ? { ids: [...ids] } : { filter, except: [...ids] }
    setDownload({ title: `Download ${selected.amount}`, name: null, photos })
  }

  function photos() {
    if (total === undefined || !isRead || !isReady) {
      if (!error) return <PhotoGridSkeleton view={view} />
      return <QueryFailure query={{ error, refetch }} title="Failed to fetch photos" />
    }
    if (isEmpty) return empty
    if (isMap) {
      return <MapView key={folder} list={list} onFilter={change} own={own} selected={selected} bulk={bulk} />
    }
    if (total === 0 && !isOpen) {
      return (
        <EmptyState
          icon={<ImageOff />}
          title="No photos found"
          description="Try adjusting your filters or search terms"
          action={<Button onClick={() => change(NO_FILTERS)}>Clear filters</Button>}
        />
      )
    }
    return (
      <PhotoGrid
        key={keyOfList(list)}
        list={list}
        total={total}
        more={moreThan !== null}
        view={view}
        months={months.months}
        container={container}
        selection={own ? { ...selected, remove: () => selected.count > 0 && bulk.askFirst('delete') } : undefined}
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
          folderId={folderId}
          amount={amount}
          view={isMap ? null : view}
          onView={setView}
          selected={own ? selected : null}
          empty={!total}
          onHelp={() => setHelp(true)}
        />
      )}
      <FilterMarks filters={filters} onFilter={change} />
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
          selected={selected}
          bulk={bulk}
          isAll={selected.count === total}
          onDownload={startDownload}
          onPlaceByTrack={byTrack.open}
        />
      )}
      {byTrack.element}
      <BulkDialogs change={bulk} selected={selected} list={list} />
      <DownloadDialog request={download} onClose={() => setDownload(null)} />
      <HelpDialog open={help} onClose={() => setHelp(false)} />
    </div>
  )
}

/** Keeps the previous list, dimmed, until the requested one has been read: the screen does not flash while typing. */
function useLastRead(requested: PhotoList, isRead: boolean): PhotoList {
  const [last, setLast] = useState(requested)
  if (isRead && keyOfList(last) !== keyOfList(requested)) setLast(requested)
  return isRead ? requested : last
}

/** The filters of the URL and a function that changes some of them. Back undoes a choice, but not typing. */
function useFilters(defaultSort: PhotoSort) {
  const [search, setSearch] = useUrlSearch()
  const text = search.toString()
  const filters = useMemo(() => readFilters(new URLSearchParams(text), defaultSort), [text, defaultSort])
  const change = useCallback(
    (some: Partial<Filters>) =>
      setSearch((now) => writeFilters(now, { ...readFilters(now, defaultSort), ...some }, defaultSort), {
        replace: 'q' in some,
      }),
    [setSearch, defaultSort],
  )
  return { filters, change }
}

const OWN_KEYS = 'input, textarea, select, [contenteditable], [role="dialog"], [role="alertdialog"], [role="menu"]'

/** Single-key shortcuts that work anywhere on the screen except in fields and dialogs. */
function useShortcuts(keys: Record<string, () => void>): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const action = keys[event.key]
    if (!action || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    if (event.target instanceof Element && event.target.closest(OWN_KEYS)) return
    if (document.querySelector('[role="dialog"], [role="alertdialog"]')) return
    event.preventDefault()
    action()
  })
  useEffect(() => {
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}
