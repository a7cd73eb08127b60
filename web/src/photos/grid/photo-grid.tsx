import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { type PhotoList, photoAt } from '../../api/photo-lists.ts'
import { foldersQuery, userQuery } from '../../api/queries.ts'
import type { Photo } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../lib/cx.ts'
import { errorMessage } from '../../lib/http.ts'
import { DeletePhotoDialog, type DeletionTexts } from '../delete-photo-dialog.tsx'
import { OpenPhoto, useOpenPhoto } from '../detail/open-photo.tsx'
import { FolderChoiceDialog } from '../folder-choice-dialog.tsx'
import { MarkDialog } from '../mark-dialog.tsx'
import { openPrintWizard } from '../open-print-wizard.ts'
import { useMarkForPrinting } from '../use-mark-for-printing.ts'
import { usePrinting } from '../use-printing.ts'
import { GRID, pictureBox } from './grid-columns.ts'
import { layoutOf } from './grid-layout.ts'
import type { GridSelection } from './grid-selection.ts'
import { type CellActions, PhotoCell } from './photo-cell.tsx'
import { useFilledRows } from './use-filled-rows.ts'
import { useGridKeys } from './use-grid-keys.ts'
import { usePhotoPages } from './use-photo-pages.ts'
import { useVisibleRows } from './use-visible-rows.ts'

interface PhotoGridProps {
  list: PhotoList
  /** The number of photos in the list: at least one. */
  total: number
  /** The list may be longer. */
  more?: boolean
  /** The maximum width of the page in pixels, including its gutters. */
  pageWidth: number
  /** This screen's texts for deleting a photo. */
  deletionTexts: DeletionTexts
  /** Rows instead of cards. */
  compact?: boolean
  selection?: GridSelection
}

/**
 * A list of the user's photos in 1, 2, 3 or 4 columns, or as compact rows. Only cells near the viewport are rendered,
 * and only their pages are read, so that the length of the list costs nothing. The grid, not the cells, handles clicks
 * and keys.
 */
export function PhotoGrid(props: PhotoGridProps) {
  const { list, total, more = false, pageWidth, deletionTexts, compact = false, selection } = props
  const grid = useRef<HTMLDivElement>(null)
  const rows = useVisibleRows(grid, (width, viewportWidth) => layoutOf(width, viewportWidth, total, compact))
  const { columns } = rows.layout
  const photos = usePhotoPages(list, {
    first: rows.first * columns,
    last: Math.min((rows.last + 1) * columns, total) - 1,
  })
  const filled = useFilledRows(rows, (row) => photos.photoAt(row * columns) !== undefined)
  const client = useQueryClient()
  const user = useQuery(userQuery).data
  // Also loads them for the folder choice dialog.
  const folders = useQuery(foldersQuery).data
  const folderOf = useMemo(() => new Map(folders?.map((folder) => [folder.id, folder])), [folders])
  const box = useMemo(() => pictureBox(pageWidth), [pageWidth])
  const [moving, setMoving] = useState<Photo | null>(null)
  const [deleting, setDeleting] = useState<Photo | null>(null)
  const opened = useOpenPhoto()
  const { mark, busy: marking, question, answer } = useMarkForPrinting()
  const { reason: printingReason } = usePrinting()
  const keys = useGridKeys({
    grid,
    rows,
    total,
    photoAt: photos.photoAt,
    selection,
    open: opened.open,
    remove: setDeleting,
  })
  const actions: CellActions = useMemo(
    () => ({ onOpen: opened.open, onMark: mark, onPrint: printOne, onMove: setMoving, onDelete: setDeleting }),
    [opened.open, mark],
  )

  /** After the open photo was deleted: the next one has taken its place in the list. */
  function showAnother(): void {
    const next = photoAt(client, list, keys.active) ?? photoAt(client, list, keys.active - 1)
    if (next) opened.step(next)
    else opened.close()
  }

  const shown = rowsToShow(rows, Math.floor(keys.active / columns))
  return (
    <>
      <h2 className="sr-only">Photos</h2>
      {/* biome-ignore lint/a11y/useSemanticElements: rows come and go and are placed by pixels, which no table does */}
      <div
        ref={grid}
        role="grid"
        aria-label="Photos"
        aria-rowcount={more ? -1 : rows.layout.rows}
        aria-colcount={columns}
        aria-multiselectable={selection?.active || undefined}
        className="relative"
        style={{ height: rows.height }}
        {...keys.handlers}
      >
        {shown.map((row) => (
          // biome-ignore lint/a11y/useSemanticElements: see the grid
          <div
            key={row}
            role="row"
            aria-rowindex={row + 1}
            tabIndex={-1}
            className={cx('absolute inset-x-0 top-0', compact ? 'grid' : GRID)}
            style={{ transform: `translateY(${rows.topOf(row)}px)` }}
          >
            {Array.from({ length: Math.min(columns, total - row * columns) }, (_, column) => {
              const index = row * columns + column
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
                  own={photo?.userId === user?.id}
                  deletable={photo?.userId === user?.id || user?.isAdmin === true}
                  box={box}
                  compact={compact}
                  active={index === keys.active}
                  selecting={selection?.active ?? false}
                  selected={photo !== undefined && (selection?.has(photo.id) ?? false)}
                  printingReason={printingReason}
                  actions={actions}
                />
              )
            })}
          </div>
        ))}
      </div>
      {photos.error && <PageError error={photos.error} onRetry={photos.retry} />}
      <OpenPhoto
        opened={opened}
        list={list}
        total={total}
        more={more}
        actions={{ marking, onMark: mark, onMove: setMoving, onDelete: setDeleting }}
        onShown={keys.setActive}
        onClosed={keys.focusActive}
      />
      <FolderChoiceDialog photo={moving} onClose={() => setMoving(null)} />
      <DeletePhotoDialog
        photo={deleting}
        texts={deletionTexts}
        onDeleted={({ id }) => id === opened.id && showAnother()}
        onClose={() => setDeleting(null)}
      />
      <MarkDialog question={question} onAnswer={answer} />
    </>
  )
}

const printOne = (photo: Photo) => openPrintWizard({ photoIds: [photo.id], photos: [photo] })

/** The row with the active cell stays rendered when it is scrolled out of view, so that the focus is not lost. */
function rowsToShow({ first, last }: { first: number; last: number }, activeRow: number): number[] {
  const shown = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
  if (last < first || (activeRow >= first && activeRow <= last)) return shown
  return activeRow < first ? [activeRow, ...shown] : [...shown, activeRow]
}

function PageError({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <div
      role="alert"
      className="sticky bottom-4 z-10 mx-auto flex w-fit max-w-full flex-wrap items-center justify-center gap-3 rounded-md bg-surface px-4 py-2 shadow-high ring ring-line"
    >
      <p className="text-muted">{errorMessage(error)}</p>
      <Button onClick={onRetry}>Load more photos</Button>
    </div>
  )
}
