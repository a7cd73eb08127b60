import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { MapPin, X } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { lengthOfList, photoQuery } from '../../api/photo-cache.ts'
import { filterOf, keyOfList, type PhotoList } from '../../api/photo-lists.ts'
import { type MapExtent, mapExtentQuery, mapTileQuery } from '../../api/photo-map.ts'
import { IconButton } from '../../components/ui/button.tsx'
import { ErrorState } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { countOf } from '../../lib/format.ts'
import { errorMessage } from '../../lib/http.ts'
import { areaAround, formatArea, parseArea, parseCircle } from '../../map/area.ts'
import { MapTool } from '../../map/map-controls.tsx'
import type { Area } from '../../map/mercator.ts'
import { PhotoMap } from '../../map/photo-map.tsx'
import { PlacePin } from '../../map/place-pin.tsx'
import { intersection, type PointSource } from '../../map/points.ts'
import type { DeletionTexts } from '../delete-photo-dialog.tsx'
import { PhotoDialogs } from '../grid/later-photo-dialogs.ts'
import { PhotoGrid } from '../grid/photo-grid.tsx'
import { PhotoGridSkeleton } from '../grid/photo-grid-skeleton.tsx'
import { usePhotoDialogs } from '../grid/use-photo-dialogs.ts'
import { usePhotoList } from '../grid/use-photo-pages.ts'
import { TrackMenu } from '../track-menu.tsx'
import type { Filters } from './filters.ts'
import type { useBulkChange } from './use-bulk-change.ts'
import { usePositions } from './use-positions.ts'
import type { useSelection } from './use-selection.ts'

export interface MapViewProps {
  list: PhotoList
  onFilter: (some: Partial<Filters>) => void
  deletionTexts: DeletionTexts
  /** The photos are the user's own. */
  own: boolean
  selected: ReturnType<typeof useSelection>
  bulk: ReturnType<typeof useBulkChange>
}

/** The photos of a list on a map. */
export function MapView(props: MapViewProps) {
  // While another list is read, the map stays.
  const extent = useQuery({ ...mapExtentQuery(props.list), placeholderData: keepPreviousData })
  if (extent.data) return <LoadedMap {...props} extent={extent.data} revision={extent.dataUpdatedAt} />
  if (extent.error) {
    return (
      <ErrorState
        title="The map could not be loaded"
        description={errorMessage(extent.error)}
        onRetry={() => void extent.refetch()}
      />
    )
  }
  return (
    <div role="status" aria-label="Loading the map">
      <Skeleton className="h-[62dvh] rounded-lg" />
    </div>
  )
}

/** A photo may have been moved. */
const CAMERA_STALE_MS = 1_000

interface Place {
  area: Area
  count: number
}

function LoadedMap(props: MapViewProps & { extent: MapExtent; revision: number }) {
  const { list, onFilter, deletionTexts, own, selected, bulk, extent, revision } = props
  const client = useQueryClient()
  const dialogs = usePhotoDialogs()
  const positions = usePositions(selected, bulk)
  const [place, setPlace] = useState<Place | null>(null)
  const [placing, setPlacing] = useState(false)
  const opener = useRef<Element>(null)
  const area = useMemo(() => parseArea(list.area), [list.area])
  const circle = useMemo(() => parseCircle(list.near), [list.near])
  const all = areaOf(extent)
  // biome-ignore lint/correctness/useExhaustiveDependencies: photos have changed with another revision
  const source = useMemo(() => tilesOf(client, list), [client, list, revision])
  const isSelecting = selected.active

  function openPhoto(id: number): void {
    if (isSelecting) {
      selected.toggle(id, 0)
      return
    }
    opener.current = document.activeElement
    dialogs.opened.open({ id })
  }

  function openPlace(cell: Area, count: number): void {
    setPlace({ area: intersection(cell, area), count })
  }

  const start = area ?? (circle ? areaAround(circle) : all)
  const length = lengthOfList(client, list)
  return (
    <>
      <h2 className="sr-only">Map</h2>
      <PhotoMap
        source={source}
        start={start}
        all={all}
        photosKey={keyOfList(list)}
        without={extent.without}
        onOpenPhoto={openPhoto}
        onOpenPlace={openPlace}
        readCamera={(id) => client.fetchQuery({ ...photoQuery(id), staleTime: CAMERA_STALE_MS })}
        area={area}
        circle={circle}
        onArea={(chosen) => onFilter({ area: formatArea(chosen), near: '' })}
        isSelected={isSelecting ? selected.has : undefined}
        onMove={own ? positions.move : undefined}
        tools={
          own &&
          isSelecting &&
          selected.count > 0 && (
            <MapTool
              label={`Set the position of ${selected.amount}`}
              icon={<MapPin />}
              on={placing}
              onClick={() => setPlacing(!placing)}
            />
          )
        }
      >
        {extent.count === 0 && !placing && <NoPositions without={extent.without} own={own} />}
        {placing && (
          <PlacePin
            amount={selected.amount}
            onPlace={(position) => {
              setPlacing(false)
              positions.placeSelected(position)
            }}
            onCancel={() => setPlacing(false)}
          />
        )}
      </PhotoMap>
      {own && extent.count > 0 && (
        <div className="mt-3">
          <TrackMenu label="Export positions" filter={filterOf(list)} name={null} />
        </div>
      )}
      {place ? (
        <PlacePhotos
          key={formatArea(place.area)}
          list={{ ...list, area: formatArea(place.area) }}
          count={place.count}
          deletionTexts={deletionTexts}
          onClose={() => setPlace(null)}
        />
      ) : (
        <PhotoDialogs
          dialogs={dialogs}
          list={list}
          total={length?.total ?? 0}
          more={length?.moreThan !== null}
          deletionTexts={deletionTexts}
          onShown={ignore}
          onClosed={() => focusIfThere(opener.current)}
          onOpenDeleted={dialogs.opened.close}
        />
      )}
    </>
  )
}

const ignore = () => {}

/** The markers may have been made again meanwhile. */
function focusIfThere(element: Element | null): void {
  const target = element instanceof HTMLElement && element.isConnected ? element : document.querySelector('.photo-map')
  if (target instanceof HTMLElement) target.focus()
}

/** The points of a list by the server's tiles; those that are current are not read again. */
function tilesOf(client: QueryClient, list: PhotoList): PointSource {
  const fresh = { staleTime: Number.POSITIVE_INFINITY }
  return {
    tile: (z, x, y) => client.fetchQuery({ ...mapTileQuery(list, z, x, y), ...fresh }),
    async extentOf(cell) {
      const area = formatArea(intersection(cell, parseArea(list.area)))
      return areaOf(await client.fetchQuery({ ...mapExtentQuery({ ...list, area }), ...fresh }))
    },
  }
}

function areaOf({ west, south, east, north }: MapExtent): Area | null {
  if (west === null || south === null || east === null || north === null) return null
  return { west, south, east, north }
}

function NoPositions({ without, own }: { without: number; own: boolean }) {
  return (
    <div className="absolute inset-x-4 top-1/3 z-10 mx-auto w-fit max-w-md rounded-md bg-surface px-4 py-3 text-center shadow-high">
      <p className="font-semibold">No photos with a position</p>
      <p className="mt-1 text-sm text-muted">
        {without === 0
          ? 'No photo matches the filters.'
          : `${countOf(without, 'photo')} ${without === 1 ? 'has' : 'have'} no position.${own ? ' Select photos and set their position here.' : ''}`}
      </p>
    </div>
  )
}

interface PlacePhotosProps {
  list: PhotoList
  count: number
  deletionTexts: DeletionTexts
  onClose: () => void
}

/** The photos of one place, below the map: those that no zoom can tell apart. */
function PlacePhotos({ list, count, deletionTexts, onClose }: PlacePhotosProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const { total, moreThan, error, refetch } = usePhotoList(list)
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches
    heading.current?.scrollIntoView({ block: 'start', behavior: calm ? 'instant' : 'smooth' })
  }, [])
  return (
    <section aria-labelledby="map-place" className="mt-6">
      <div className="mb-3 flex items-center justify-between gap-3">
        <h3 id="map-place" ref={heading} tabIndex={-1} className="scroll-mt-32 text-lg font-semibold outline-none">
          {countOf(total ?? count, 'photo')} at this place
        </h3>
        <IconButton label="Close the photos of this place" icon={<X />} onClick={onClose} />
      </div>
      {total === undefined && !error && <PhotoGridSkeleton view="dense" />}
      {total === undefined && error && (
        <ErrorState title="Failed to fetch photos" description={errorMessage(error)} onRetry={() => refetch()} />
      )}
      {total !== undefined && total > 0 && (
        <PhotoGrid list={list} total={total} more={moreThan !== null} deletionTexts={deletionTexts} view="dense" />
      )}
    </section>
  )
}
