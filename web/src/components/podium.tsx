import type { Photo, PublicPhoto, Rank } from '../api/types.ts'
import { RANKS } from '../api/votes.ts'
import { cx } from '../lib/cx.ts'
import { altText, formatNumber } from '../lib/format.ts'
import { PhotoImage } from './photo-image.tsx'
import { type Box, sourcesForBox } from './renditions.ts'
import { RANK_NAMES, RankMark } from './ui/badge.tsx'

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

interface Winner {
  /** From 1. */
  rank: number
  photo: Photo | PublicPhoto
  points: number
}

/** The best photos, the winner first; at most three. */
export function Podium({ winners }: { winners: Winner[] }) {
  return (
    <ol aria-label="Podium" className={cx('mx-auto mb-8 grid gap-x-4 gap-y-6 md:gap-y-0', COLUMNS[winners.length])}>
      {winners.map((winner) => {
        const rank = RANKS[winner.rank - 1]
        return rank && <Step key={winner.photo.id} rank={rank} winner={winner} box={boxOf(rank, winners.length)} />
      })}
    </ol>
  )
}

function Step({ rank, winner: { photo, points }, box }: { rank: Rank; winner: Winner; box: Box }) {
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
        <span className="sr-only">{`${RANK_NAMES[rank]}: `}</span>
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
