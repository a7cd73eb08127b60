import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { photoAt } from '../../api/photo-cache.ts'
import { filterOf, type PhotoList } from '../../api/photo-lists.ts'
import { foldersQuery, userQuery } from '../../api/queries.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { Button } from '../../components/ui/button.tsx'
import { countOf } from '../../lib/format.ts'
import { errorMessage } from '../../lib/http.ts'
import type { CardHandlers } from '../cards/card-actions.tsx'
import { CompactHeader } from '../cards/photo-card.tsx'
import { useSetCover } from '../folder-changes.ts'
import { usePrinting } from '../printing.ts'
import { type Range, rowOf, type Section } from './grid-layout.ts'
import { PhotoCell } from './photo-cell.tsx'
import { fillNext, layoutOf, type MonthCount, type PhotoView, photosOfRow } from './photo-layout.ts'
import { monthLabel, Timeline } from './timeline.tsx'
import { type GridSelection, useGridKeys } from './use-grid-keys.ts'
import { usePhotoDialogs } from './use-photo-dialogs.ts'
import { usePhotoPages } from './use-photo-pages.ts'
import { indexesToShow, useVisibleRows } from './use-visible-rows.ts'

export const PhotoDialogs = lazyComponent(() => import('../dialogs.ts').then((code) => code.PhotoDialogs), {
  afterFirstScreen: true,
})

interface PhotoGridProps {
  list: PhotoList
  /** The number of photos in the list; 0 only below an open photo, which was the last one. */
  total: number
  more?: boolean
  view?: PhotoView
  /** The months of the list, which become its headers and the timeline beside it; null: none. */
  months?: readonly MonthCount[] | null
  /** The element around the grid, if it is there before the grid. */
  container?: RefObject<HTMLElement | null>
  selection?: GridSelection
}

/**
 * A list of the user's photos as cards, small pictures or rows, by month where its months are known. Only cells near the viewport are rendered,
 * and only their pages are read, so that the length of the list costs nothing. The grid, not the cells, handles clicks
 * and keys.
 */
export function PhotoGrid(props: PhotoGridProps) {
  const { list, total, more = false, view = 'grid', months = null, container, selection } = props
  const grid = useRef<HTMLDivElement>(null)
  const layout = useCallback(
    (width: number, viewportWidth: number) => layoutOf(width, viewportWidth, { total, view, months }),
    [total, view, months],
  )
  const rows = useVisibleRows(grid, layout, container)
  const { columns, sections, gap, box } = rows.layout
  const lastRow = photosOfRow(rows.layout, rows.last)
  const photos = usePhotoPages(list, {
    first: photosOfRow(rows.layout, rows.first).first,
    last: lastRow.first + lastRow.count - 1,
  })
  const filled = useFilledRows(rows, (row) => {
    const { first, count } = photosOfRow(rows.layout, row)
    return photos.photoAt(first) !== undefined && photos.photoAt(first + count - 1) !== undefined
  })
  const client = useQueryClient()
  const user = useQuery(userQuery).data
  // Also loads them for the folder choice dialog.
  const folders = useQuery(foldersQuery).data
  const folderOf = useMemo(() => new Map(folders?.map((folder) => [folder.id, folder])), [folders])
  const dialogs = usePhotoDialogs()
  const { opened, setMoving, setDeleting } = dialogs
  const { mark } = dialogs.marking
  const { mutate: setCover } = useSetCover()
  const isFolder = list.folderId !== null
  const showFolder = filterOf(list).folder === undefined
  const { reason: printingReason } = usePrinting()
  const actions = { selection, open: opened.open, remove: setDeleting }
  const keys = useGridKeys({ grid, rows, total, photoAt: photos.photoAt, ...actions })
  const handlers: CardHandlers = useMemo(
    () => ({
      onOpen: opened.open,
      onMark: mark,
      onMove: setMoving,
      onDelete: setDeleting,
      onCover: isFolder ? setCover : undefined,
    }),
    [opened.open, mark, setMoving, setDeleting, isFolder, setCover],
  )

  /** After the open photo was deleted: the next one has taken its place in the list. */
  function showAnother(): void {
    const next = photoAt(client, list, keys.active) ?? photoAt(client, list, keys.active - 1)
    if (next) opened.step(next)
    else opened.close()
  }

  // The row with the active cell stays rendered when it is scrolled out of view, so that the focus is not lost.
  const shown = indexesToShow(rows.first, rows.last, rowOf(rows.layout, keys.active))
  return (
    <>
      <h2 className="sr-only">Photos</h2>
      {view === 'list' && <CompactHeader />}
      {/* biome-ignore lint/a11y/useSemanticElements: rows come and go and are placed by pixels, which no table does */}
      <div
        ref={grid}
        role="grid"
        aria-label="Photos"
        aria-rowcount={more ? -1 : rows.layout.rows + headersBefore(sections, total)}
        aria-colcount={columns}
        aria-multiselectable={selection?.active || undefined}
        className="relative"
        style={{ height: rows.height }}
        {...keys.handlers}
      >
        {shown.flatMap((row) => {
          const { first, count } = photosOfRow(rows.layout, row)
          const section = sections.find((one) => one.row === row && one.header > 0)
          const ariaRow = row + headersBefore(sections, first) + 1
          return [
            section && (
              <MonthHeader
                key={`header ${row}`}
                {...section}
                ariaRow={ariaRow - 1}
                columns={columns}
                uploaded={list.sort === 'newest' || list.sort === 'oldest'}
                top={rows.placeOf(section.top)}
              />
            ),
            // biome-ignore lint/a11y/useSemanticElements: see the grid
            <div
              key={row}
              role="row"
              aria-rowindex={ariaRow}
              tabIndex={-1}
              className="absolute inset-x-0 top-0 grid"
              style={{
                columnGap: gap,
                gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
                transform: `translateY(${rows.topOf(row)}px)`,
              }}
            >
              {Array.from({ length: count }, (_, column) => {
                const index = first + column
                const photo = photos.photoAt(index)
                return (
                  <PhotoCell
                    key={index}
                    index={index}
                    column={column}
                    inFirstRow={row === 0}
                    photo={photo}
                    filled={row >= filled.first && row <= filled.last}
                    folder={folderOf.get(photo?.folderId ?? 0) ?? null}
                    showFolder={showFolder}
                    own={photo?.userId === user?.id}
                    deletable={photo?.userId === user?.id || user?.isAdmin === true}
                    box={box}
                    view={view}
                    active={index === keys.active}
                    selecting={selection?.active ?? false}
                    selected={photo !== undefined && (selection?.has(photo.id) ?? false)}
                    printingReason={printingReason}
                    handlers={handlers}
                  />
                )
              })}
            </div>,
          ]
        })}
      </div>
      {sections.length > 1 && rows.fullHeight > 2 * innerHeight && <Timeline rows={rows} />}
      {photos.error && (
        <div
          role="alert"
          className="sticky bottom-[calc(16px+var(--upload-bar,0px))] z-10 mx-auto flex w-fit max-w-full flex-wrap items-center justify-center gap-3 rounded-md bg-surface px-4 py-2 shadow-high ring ring-line"
        >
          <p className="text-muted">{errorMessage(photos.error)}</p>
          <Button onClick={photos.retry}>Load more photos</Button>
        </div>
      )}
      <PhotoDialogs
        dialogs={dialogs}
        list={list}
        total={total}
        more={more}
        onShown={keys.setActive}
        onClosed={keys.focusActive}
        onOpenDeleted={showAnother}
      />
    </>
  )
}

/** The number of headers above a photo, its own included. */
function headersBefore(sections: readonly Section[], index: number): number {
  return sections.filter((section) => section.header > 0 && section.index <= index).length
}

interface MonthHeaderProps extends Section {
  /** The number of its row, from 1. */
  ariaRow: number
  columns: number
  /** The photos were uploaded in the month; otherwise taken. */
  uploaded: boolean
}

function MonthHeader({ month, count, header, top, ariaRow, columns, uploaded }: MonthHeaderProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the grid
    <div
      role="row"
      aria-rowindex={ariaRow}
      tabIndex={-1}
      className="absolute inset-x-0 top-0 outline-none"
      style={{ height: header, transform: `translateY(${top}px)` }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: see the grid */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: it says where the photos below belong, and does nothing */}
      <div role="rowheader" aria-colspan={columns} className="flex h-full items-center gap-2.5 truncate">
        <span className="text-lg font-semibold">{monthLabel(month)}</span>{' '}
        <span className="text-sm text-muted">{countOf(count, 'photo') + (uploaded ? ' uploaded' : '')}</span>
      </div>
    </div>
  )
}

const NONE: Range = { first: 0, last: -1 }

/**
 * The rows whose cards are rendered. Cards are expensive: cells are rendered at once, their cards one row at a time
 * between frames, so that no task is long, however fast the user scrolls. The first row is there at once, if it has been loaded.
 */
function useFilledRows(requested: Range, isRead: (row: number) => boolean): Range {
  const [filled, setFilled] = useState(() =>
    fillNext(NONE, { ...requested, last: Math.min(requested.first, requested.last) }, isRead),
  )
  const next = fillNext(filled, requested, isRead)
  // After every rendering: photos may have been loaded, or more rows be visible.
  useEffect(() => {
    if (next === filled) return
    const timer = setTimeout(() => setFilled(next))
    return () => clearTimeout(timer)
  })
  return filled
}
