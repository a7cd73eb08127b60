import { keepPreviousData, type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { MapPin } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { lengthOfList, photoQuery, refreshPhotoPages } from '../../api/photo-cache.ts'
import { correctPhoto } from '../../api/photo-changes.ts'
import { filterOf, keyOfList, type PhotoList } from '../../api/photo-lists.ts'
import { type MapExtent, mapExtentQuery, mapTileQuery } from '../../api/photo-map.ts'
import type { Photo } from '../../api/types.ts'
import { QueryFailure } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { toast, toastFailure } from '../../components/ui/toast.tsx'
import { countOf } from '../../lib/format.ts'
import {
  type Area,
  areaAround,
  formatArea,
  type Position,
  parseArea,
  parseCircle,
  positionOf,
  wrap,
} from '../../lib/geography.ts'
import { MapTool } from '../../map/map-controls.tsx'
import { PlacePin } from '../../map/map-overlays.tsx'
import { PhotoMap } from '../../map/photo-map.tsx'
import { PlaceSection } from '../../map/point-list.tsx'
import { intersection, type PlacedPoint, type PointSource } from '../../map/points.ts'
import { PhotoGridSkeleton } from '../grid/photo-cell.tsx'
import { PhotoDialogs, PhotoGrid } from '../grid/photo-grid.tsx'
import { usePhotoDialogs } from '../grid/use-photo-dialogs.ts'
import { usePhotoList } from '../grid/use-photo-pages.ts'
import { TrackMenu } from '../track-menu.tsx'
import { useOpenPhoto } from '../use-open-photo.ts'
import { type BulkChange, bulkTexts } from './bulk-changes.ts'
import type { Filters } from './filters.ts'
import type { PhotoSelection } from './selection.ts'

export interface MapViewProps {
  list: PhotoList
  onFilter: (some: Partial<Filters>) => void
  own: boolean
  selected: PhotoSelection
  bulk: BulkChange
}

export function MapView(props: MapViewProps) {
  // While another list is read, the map stays.
  const extent = useQuery({ ...mapExtentQuery(props.list), placeholderData: keepPreviousData })
  if (extent.data) return <LoadedMap {...props} extent={extent.data} revision={extent.dataUpdatedAt} />
  if (extent.error) return <QueryFailure query={extent} title="The map could not be loaded" />
  return (
    <div role="status" aria-label="Loading the map">
      <Skeleton className="h-[62dvh] rounded-lg" />
    </div>
  )
}

/** A photo may have been moved. */
const CAMERA_STALE_MS = 1_000

function LoadedMap(props: MapViewProps & { extent: MapExtent; revision: number }) {
  const { list, onFilter, own, selected, extent, revision } = props
  const client = useQueryClient()
  const dialogs = usePhotoDialogs()
  const positions = usePositions(props)
  const [place, setPlace] = useState<{ area: Area; count: number } | null>(null)
  const [placing, setPlacing] = useState(false)
  const opener = useRef<Element>(null)
  const area = useMemo(() => parseArea(list.filter.area), [list.filter.area])
  const circle = useMemo(() => parseCircle(list.filter.near), [list.filter.near])
  const all = areaOf(extent)
  // biome-ignore lint/correctness/useExhaustiveDependencies: photos have changed with another revision
  const source = useMemo(() => tilesOf(client, list), [client, list, revision])
  const isSelecting = selected.active

  function openPhoto(id: number) {
    if (isSelecting) return selected.toggle(id, 0)
    opener.current = document.activeElement
    dialogs.opened.open({ id })
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
        onOpenPlace={(cell, count) => setPlace({ area: intersection(cell, area), count })}
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
          list={withArea(list, place.area)}
          count={place.count}
          onClose={() => setPlace(null)}
        />
      ) : (
        <PhotoDialogs
          dialogs={dialogs}
          list={list}
          total={length?.total ?? 0}
          more={length?.moreThan !== null}
          onShown={() => {}}
          onClosed={() => focusIfThere(opener.current)}
          onOpenDeleted={dialogs.opened.close}
        />
      )}
    </>
  )
}

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
      const within = withArea(list, intersection(cell, parseArea(list.filter.area)))
      return areaOf(await client.fetchQuery({ ...mapExtentQuery(within), ...fresh }))
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

type PlacePhotosProps = Pick<MapViewProps, 'list'> & { count: number; onClose: () => void }

function PlacePhotos({ list, count, onClose }: PlacePhotosProps) {
  const { total, moreThan, error, refetch } = usePhotoList(list)
  const isOpen = useOpenPhoto().id !== null
  return (
    <PlaceSection count={total ?? count} onClose={onClose}>
      {total === undefined && !error && <PhotoGridSkeleton view="dense" />}
      {total === undefined && error && <QueryFailure query={{ error, refetch }} title="Failed to fetch photos" />}
      {total !== undefined && (total > 0 || isOpen) && (
        <PhotoGrid list={list} total={total} more={moreThan !== null} view="dense" />
      )}
    </PlaceSection>
  )
}

/** Decimals of degrees: a centimetre. */
const DECIMALS = 7
/** Positions of more photos are not read before they are replaced: the change is asked for instead of undone. */
const MAX_UNDONE = 50

/** A photo gets a position, or loses it. */
type Placed = { id: number; to: Position | null }

/**
 * Sets positions of the user's photos on the map. A photo that is dragged takes the other selected ones along, each by the
 * same way; a pin puts all selected photos at one place.
 */
function usePositions({ selected, bulk }: Pick<MapViewProps, 'selected' | 'bulk'>) {
  const client = useQueryClient()
  const place = useMutation({
    mutationFn: async ({ photos }: { photos: Placed[]; isUndo?: true }) => {
      const before = await Promise.all(photos.map(({ id }) => client.fetchQuery(photoQuery(id))))
      for (const { id, to } of photos) await correctPhoto(client, id, degreesOf(to))
      return before.flatMap((photo) => (photo ? [{ id: photo.id, to: positionOf(photo) }] : []))
    },
    onSuccess: (before, { isUndo }) => {
      if (isUndo) return toast({ title: 'Undone' })
      const { title, done } = bulkTexts(POSITION, before.length)
      const undo = () => place.mutate({ photos: before, isUndo: true })
      return toast({ title, description: done, action: { label: 'Undo', onSelect: undo } })
    },
    onError: (error, placed) => {
      refreshPhotoPages(client) // The markers are where the photos are.
      toastFailure(bulkTexts(POSITION).error, error, () => place.mutate(placed))
    },
  })

  return {
    move({ photo, position }: PlacedPoint, to: Position) {
      const isOne = !selected.active || !selected.has(photo.id) || selected.count === 1
      if (isOne) return place.mutate({ photos: [{ id: photo.id, to }] })
      const way = { latitude: to.latitude - position.latitude, longitude: wrap(to.longitude - position.longitude) }
      const back = { latitude: -way.latitude, longitude: -way.longitude }
      bulk.run({ ...POSITION, moveBy: way }, null, (result) => bulk.undo(result, { ...POSITION, moveBy: back }))
    },
    placeSelected({ latitude, longitude }: Position): void {
      const { kind, ids } = selected.selection
      if (kind === 'some' && ids.size <= MAX_UNDONE) {
        place.mutate({ photos: [...ids].map((id) => ({ id, to: { latitude, longitude } })) })
      } else bulk.askFirst({ action: 'position', latitude, longitude })
    },
  }
}

const POSITION = { action: 'position' } as const

function degreesOf(to: Position | null): Pick<Photo, 'latitude' | 'longitude'> {
  if (!to) return { latitude: null, longitude: null }
  return { latitude: to.latitude.toFixed(DECIMALS), longitude: wrap(to.longitude).toFixed(DECIMALS) }
}

function withArea(list: PhotoList, area: Area): PhotoList {
  return { ...list, filter: { ...list.filter, area: formatArea(area) } }
}
