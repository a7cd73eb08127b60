import type { Photo, Rank } from '../../api/types.ts'
import { RANKS } from '../../api/votes.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { RankMark } from '../../components/ui/badge.tsx'
import { cx } from '../../lib/cx.ts'
import { altText, formatNumber } from '../../lib/format.ts'
import { sourcesForBox } from '../../photos/renditions.ts'
import type { Standing } from './standings.ts'

// The winner is in the middle and the largest; on phones the three are in order.
const SLOTS: Record<Rank, string> = { first: 'md:order-2', second: 'md:order-1', third: 'md:order-3' }

const ROW = '(min(100vw, 1180px) - 88px)'
const PHONE = { width: 'calc(100vw - 32px)' }
const WINNER_BOX = { ratio: 4 / 3, widths: [{ when: '(min-width: 768px)', width: `calc(0.371 * ${ROW})` }, PHONE] }
const OTHER_BOX = { ratio: 3 / 2, widths: [{ when: '(min-width: 768px)', width: `calc(0.314 * ${ROW})` }, PHONE] }

export function Podium({ winners }: { winners: Standing<Photo>[] }) {
  return (
    <ol aria-label="Podium" className="mb-8 grid items-end gap-x-4 gap-y-6 md:grid-cols-[1fr_1.18fr_1fr]">
      {RANKS.map((rank, index) => {
        const winner = winners[index]
        return winner && <Winner key={winner.photo.id} rank={rank} winner={winner} />
      })}
    </ol>
  )
}

function Winner({ rank, winner: { photo, points } }: { rank: Rank; winner: Standing<Photo> }) {
  return (
    <li className={cx('min-w-0 animate-appear', SLOTS[rank])}>
      <PhotoImage
        {...sourcesForBox(rank === 'first' ? WINNER_BOX : OTHER_BOX, photo)}
        alt={altText(photo)}
        thumbhash={photo.thumbhash}
        className={cx('rounded-lg', rank === 'first' ? 'aspect-4/3' : 'aspect-3/2')}
      />
      <p className="flex items-center gap-2.5 pt-3">
        <RankMark rank={rank} className="size-8 text-base" />
        <span className="min-w-0 flex-1 truncate font-semibold">{photo.title || 'Untitled'}</span>
        <span className="text-sm text-muted">
          <b className="text-lg font-bold tabular-nums text-text">{formatNumber(points)}</b>{' '}
          {points === 1 ? 'point' : 'points'}
        </span>
      </p>
    </li>
  )
}
