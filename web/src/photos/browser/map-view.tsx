import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { MapPin } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { lengthOfList, photoQuery, readManyPhotos, refreshPhotoPages } from '../../api/photo-cache.ts'
import { filterOf, keyOfList, type PhotoList } from '../../api/photo-lists.ts'
import { type MapExtent, mapExtentQuery, mapTileQuery, readGround } from '../../api/photo-map.ts'
import { Button } from '../../components/ui/button.tsx'
import { QueryFailure } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { toastFailure } from '../../components/ui/toast.tsx'
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
import { DropTarget, PlacePin, ShownPosition } from '../../map/map-overlays.tsx'
import { PhotoMap } from '../../map/photo-map.tsx'
import { PlaceSection, WITHOUT_ID } from '../../map/point-list.tsx'
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
import { type Unplaced, UnplacedPanel, useUnplaced } from './unplaced-panel.tsx'
import { usePlacing } from './use-placing.ts'

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
  const unplaced = useUnplaced(list, extent.without)
  const panel = usePanel()
  const opener = useRef<Element>(null)
  const area = useMemo(() => parseArea(list.filter.area), [list.filter.area])
  const circle = useMemo(() => parseCircle(list.filter.near), [list.filter.near])
  const all = areaOf(extent)
  // biome-ignore lint/correctness/useExhaustiveDependencies: photos have changed with another revision
  const source = useMemo(() => tilesOf(client, list), [client, list, revision])
  // biome-ignore lint/correctness/useExhaustiveDependencies: photos have changed with another revision
  const ground = useMemo(() => readGround(client, list), [client, list, revision])
  const isSelecting = selected.active

  function showPhoto(id: number) {
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
        ground={ground}
        start={start}
        all={all}
        photosKey={keyOfList(list)}
        without={extent.without}
        onWithout={own ? panel.open : undefined}
        onOpenPhoto={(id) => (isSelecting ? selected.toggle(id, 0) : showPhoto(id))}
        onOpenPlace={(cell, count) => setPlace({ area: intersection(cell, area), count })}
        readCamera={(id) => client.fetchQuery({ ...photoQuery(id), staleTime: CAMERA_STALE_MS })}
        area={area}
        circle={circle}
        onArea={(chosen) => onFilter({ area: formatArea(chosen), near: '' })}
        isSelected={isSelecting ? selected.has : undefined}
        onMove={own ? positions.move : undefined}
        beside={
          panel.isOpen && (
            <UnplacedPanel unplaced={unplaced} onOpenPhoto={({ id }) => showPhoto(id)} onClose={panel.close} />
          )
        }
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
        {panel.isOpen && <UnplacedOnMap unplaced={unplaced} />}
        {extent.count === 0 && !placing && !panel.isOpen && (
          <NoPositions without={extent.without} onPlace={own ? panel.open : undefined} />
        )}
        {placing && (
          <PlacePin
            amount={selected.amount}
            at={null}
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

/** The panel of the photos without a position; the focus returns to the button that opens it, if it is still there. */
function usePanel() {
  const [isOpen, setOpen] = useState(false)
  const wasOpen = useRef(isOpen)
  useEffect(() => {
    if (wasOpen.current && !isOpen) focusIfThere(document.getElementById(WITHOUT_ID))
    wasOpen.current = isOpen
  }, [isOpen])
  return { isOpen, open: () => setOpen(true), close: () => setOpen(false) }
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

function NoPositions({ without, onPlace }: { without: number; onPlace?: () => void }) {
  return (
    <div className="absolute inset-x-4 top-1/3 z-10 mx-auto w-fit max-w-md rounded-md bg-surface px-4 py-3 text-center shadow-high">
      <p className="font-semibold">No photos with a position</p>
      <p className="mt-1 text-sm text-muted">
        {without === 0
          ? 'No photo matches the filters.'
          : `${countOf(without, 'photo')} ${without === 1 ? 'has' : 'have'} no position.`}
      </p>
      {without > 0 && onPlace && (
        <Button size="small" variant="primary" className="mt-3 mb-1" onClick={onPlace}>
          {`Place ${without === 1 ? 'it' : 'them'} on the map`}
        </Button>
      )}
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

/** So near a place or a position is shown that was found by its name or its coordinates. */
const ZOOM = { place: 12, position: 17 }

/** What the placing adds to the map: where photos are dropped, and the pin. */
function UnplacedOnMap({ unplaced }: { unplaced: Unplaced }) {
  const { selected, placeSelected, target, drag, pin, setPin, strip } = unplaced
  const found = pin !== null && pin !== 'center' ? pin : null

  function leave(): void {
    setPin(null)
    strip.current?.focus({ preventScroll: true })
  }

  return (
    <>
      <DropTarget target={target} over={drag.drag?.over === true} />
      {found && <ShownPosition at={found} zoom={found.isExact ? ZOOM.position : ZOOM.place} />}
      {pin !== null && selected.count > 0 && (
        <PlacePin
          key={found?.name}
          amount={selected.amount}
          at={found}
          // After a search more photos are chosen by keys.
          focused={!strip.current?.contains(document.activeElement)}
          onPlace={(position) => {
            leave()
            placeSelected(position)
          }}
          onCancel={leave}
        />
      )}
    </>
  )
}

/**
 * Sets positions of the user's photos on the map. A photo that is dragged takes the other selected ones along, each by the
 * same way; a pin puts all selected photos at one place.
 */
function usePositions({ selected, bulk }: Pick<MapViewProps, 'selected' | 'bulk'>) {
  const client = useQueryClient()
  const { place } = usePlacing()

  async function placeAll(ids: readonly number[], position: Position): Promise<void> {
    try {
      const photos = await readManyPhotos(ids)
      place({ positions: photos.map((photo) => ({ id: photo.id, position, from: positionOf(photo) })) })
    } catch (error) {
      refreshPhotoPages(client) // The markers are where the photos are.
      toastFailure(bulkTexts(POSITION).error, error, () => placeAll(ids, position))
    }
  }

  return {
    move({ photo, position }: PlacedPoint, to: Position) {
      const isOne = !selected.active || !selected.has(photo.id) || selected.count === 1
      const { latitude, longitude } = to
      if (isOne) return placeAll([photo.id], { latitude, longitude: wrap(longitude) })
      const way = { latitude: latitude - position.latitude, longitude: wrap(longitude - position.longitude) }
      const back = { latitude: -way.latitude, longitude: -way.longitude }
      bulk.run({ ...POSITION, moveBy: way }, null, (result) => bulk.undo(result, { ...POSITION, moveBy: back }))
    },
    placeSelected({ latitude, longitude }: Position): void {
      const { kind, ids } = selected.selection
      if (kind === 'some') placeAll([...ids], { latitude, longitude })
      else bulk.askFirst({ ...POSITION, latitude, longitude })
    },
  }
}

const POSITION = { action: 'position' } as const

function withArea(list: PhotoList, area: Area): PhotoList {
  return { ...list, filter: { ...list.filter, area: formatArea(area) } }
}
