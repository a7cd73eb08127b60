import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import type { Photo, Rank } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { type Box, sourcesForBox, sourcesForRow } from '../../components/renditions.ts'
import { RankMark } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../lib/cx.ts'
import { altText, countOf, formatNumber } from '../../lib/format.ts'
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

// The winner is in the middle and the largest; on phones the three are in order.
const SLOTS: Record<Rank, string> = { first: 'md:order-2', second: 'md:order-1', third: 'md:order-3' }

/** How much wider the winner's picture is than each of the others. */
const WINNER = 1.18
/** By the number of photos: which part of the page the podium has, and its columns. */
const PARTS = [0, 0.5, 0.8, 1]
const COLUMNS = ['', 'md:w-1/2', 'md:w-4/5 md:grid-cols-[1fr_1.18fr]', 'md:grid-cols-[1fr_1.18fr_1fr]']

/** The picture of a winner in a podium of `count` photos. */
function boxOf(rank: Rank, count: number): Box {
  const share = ((PARTS[count] ?? 1) * (rank === 'first' ? WINNER : 1)) / (count - 1 + WINNER)
  const width = `calc(${share.toFixed(3)} * (min(100vw, 1180px) - ${56 + 16 * (count - 1)}px))`
  return {
    ratio: rank === 'first' ? 4 / 3 : 3 / 2,
    widths: [{ when: '(min-width: 768px)', width }, { width: 'calc(100vw - 32px)' }],
  }
}

export function Podium({ winners }: { winners: Standing<Photo>[] }) {
  return (
    <ol aria-label="Podium" className={cx('mx-auto mb-8 grid gap-x-4 gap-y-6 md:gap-y-0', COLUMNS[winners.length])}>
      {winners.map((winner, index) => {
        const rank = PLACES[index]?.rank
        return rank && <Winner key={winner.photo.id} rank={rank} winner={winner} box={boxOf(rank, winners.length)} />
      })}
    </ol>
  )
}

function Winner({ rank, winner: { photo, points }, box }: { rank: Rank; winner: Standing<Photo>; box: Box }) {
  return (
    <li className={cx('min-w-0 animate-appear md:row-span-2 md:grid md:grid-rows-subgrid md:items-end', SLOTS[rank])}>
      <PhotoImage
        {...sourcesForBox(box, photo)}
        alt={altText(photo)}
        thumbhash={photo.thumbhash}
        className={cx('rounded-lg', rank === 'first' ? 'aspect-4/3' : 'aspect-3/2')}
      />
      <p className="flex items-start gap-2.5 self-start pt-3">
        <RankMark rank={rank} className="size-8 text-base" />
        <span className="line-clamp-3 min-w-0 flex-1 pt-1 font-semibold text-pretty wrap-anywhere">
          {photo.title || 'Untitled'}
        </span>
        <span className="shrink-0 pt-1 text-sm text-muted">
          <b className="text-lg font-bold tabular-nums text-text">{formatNumber(points)}</b>{' '}
          <span>{points === 1 ? 'point' : 'points'}</span>
        </span>
      </p>
    </li>
  )
}

const DURATION_MS = 220

/** Animates the rows of a container (children with `data-key`) to their new positions whenever `order` changes. */
function useReorderMotion(container: RefObject<HTMLElement | null>, order: string): void {
  const before = useRef(new Map<string, number>())
  // biome-ignore lint/correctness/useExhaustiveDependencies: the order is what moves the rows
  useLayoutEffect(() => {
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches
    const now = new Map<string, number>()
    for (const row of container.current?.querySelectorAll<HTMLElement>('[data-key]') ?? []) {
      const key = row.dataset.key ?? ''
      const from = before.current.get(key)
      now.set(key, row.offsetTop)
      if (still || from === undefined || from === row.offsetTop) continue
      row.animate([{ transform: `translateY(${from - row.offsetTop}px)` }, {}], {
        duration: DURATION_MS,
        easing: 'cubic-bezier(.2, .7, .2, 1)',
      })
    }
    before.current = now
  }, [container, order])
}
