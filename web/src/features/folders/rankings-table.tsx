import { useRef, useState } from 'react'
import type { Photo } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { sourcesForRow } from '../../components/renditions.ts'
import { RankMark } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../lib/cx.ts'
import { countOf, formatNumber } from '../../lib/format.ts'
import { useReorderMotion } from './reorder-motion.ts'
import type { Standing } from './standings.ts'
import { PLACES } from './voting-texts.ts'

/** Rendering thousands of rows would make every update slow: more are shown on demand. */
const ROWS_AT_ONCE = 100
const HEAD = 'px-2 py-2.5 text-sm font-medium text-muted sm:px-3'
const CELL = 'px-2 py-2 sm:px-3'

/** All photos of the folder in the order of the standings. `markPrivate`: those that visitors do not see. */
export function RankingsTable({ rows, markPrivate }: { rows: Standing<Photo>[]; markPrivate: boolean }) {
  const body = useRef<HTMLTableSectionElement>(null)
  const [count, setCount] = useState(ROWS_AT_ONCE)
  const shown = rows.slice(0, count)
  useReorderMotion(body, shown.map((row) => row.photo.id).join())
  return (
    <>
      <div className="overflow-hidden rounded-lg bg-surface shadow-low ring ring-line">
        <table className="w-full table-fixed border-collapse">
          <caption className="sr-only">Standings of all photos</caption>
          <thead>
            <tr>
              <th scope="col" className={cx(HEAD, 'w-11 sm:w-20')}>
                <span className="sr-only">Place</span>
              </th>
              <th scope="col" className={cx(HEAD, 'text-left')}>
                Photo
              </th>
              {PLACES.map(({ rank, label }) => (
                <th key={rank} scope="col" className={cx(HEAD, 'w-11 text-right sm:w-16 lg:w-22')}>
                  {label}
                </th>
              ))}
              <th scope="col" className={cx(HEAD, 'hidden w-18 text-right sm:table-cell lg:w-22')}>
                Voters
              </th>
              <th scope="col" className={cx(HEAD, 'w-16 text-right sm:w-20 lg:w-60')}>
                Points
              </th>
            </tr>
          </thead>
          <tbody ref={body}>
            {shown.map((row) => (
              <Row key={row.photo.id} row={row} hidden={markPrivate && !row.photo.isPublic} />
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > count && (
        <Button className="mt-3" onClick={() => setCount(count + ROWS_AT_ONCE)}>
          {`Show ${formatNumber(Math.min(ROWS_AT_ONCE, rows.length - count))} more of ${countOf(rows.length, 'photo')}`}
        </Button>
      )}
    </>
  )
}

function Row({ row, hidden }: { row: Standing<Photo>; hidden: boolean }) {
  const { photo, position } = row
  return (
    <tr data-key={photo.id} className="border-t border-line">
      <td className={cx(CELL, 'text-center')}>
        <PositionMark position={position} />
      </td>
      <th scope="row" className={cx(CELL, 'text-left font-semibold')}>
        <span className="flex items-center gap-3">
          <PhotoImage
            {...sourcesForRow(60, photo)}
            alt=""
            thumbhash={photo.thumbhash}
            className="hidden aspect-3/2 w-15 shrink-0 rounded-sm sm:block"
          />
          <span className="min-w-0">
            <span className="line-clamp-2 wrap-anywhere">{photo.title || 'Untitled'}</span>
            <span className="block text-sm font-normal text-muted sm:hidden">{countOf(row.voters, 'voter')}</span>
            {hidden && <span className="block text-sm font-normal text-muted">Private, not shown to visitors</span>}
          </span>
        </span>
      </th>
      {PLACES.map(({ rank }) => (
        <td key={rank} className={cx(CELL, 'text-right tabular-nums')}>
          {formatNumber(row[rank])}
        </td>
      ))}
      <td className={cx(CELL, 'hidden text-right tabular-nums sm:table-cell')}>{formatNumber(row.voters)}</td>
      <td className={cx(CELL, 'text-right tabular-nums')}>
        <span className="flex items-center justify-end gap-3">
          <span aria-hidden className="hidden h-1.5 w-30 overflow-hidden rounded-full bg-sunken lg:block">
            <span
              className="block h-full origin-left rounded-full bg-accent transition-transform duration-(--calm)"
              style={{ transform: `scaleX(${row.fraction})` }}
            />
          </span>
          <span className="min-w-10">{formatNumber(row.points)}</span>
        </span>
      </td>
    </tr>
  )
}

function PositionMark({ position }: { position: number | null }) {
  if (position === null) return <span className="text-muted">–</span>
  const place = PLACES[position - 1]
  return (
    <>
      <span className="sr-only">{position}</span>
      {place ? (
        <RankMark rank={place.rank} />
      ) : (
        <span aria-hidden className="text-sm font-semibold text-muted">
          {position}
        </span>
      )}
    </>
  )
}
