import { useMemo, useState } from 'react'
import type { PublicPhoto, VoterStandings } from '../../api/types.ts'
import { RANKS } from '../../api/votes.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { sourcesForRow } from '../../components/renditions.ts'
import { RANK_NAMES, RankMark } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../lib/cx.ts'
import { countOf, formatNumber } from '../../lib/format.ts'

const FIRST_ROWS = 20
/** Thousands of rows at once would block the page. */
const MORE_ROWS = 200
export const HEAD = 'px-1.5 py-2.5 text-sm font-medium text-muted sm:px-3'
export const CELL = 'px-1.5 py-2 sm:px-3'
const COLUMNS = { first: '1st', second: '2nd', third: '3rd' }

interface TallyTableProps {
  /** The best first. */
  tallies: VoterStandings['tallies']
  photos: PublicPhoto[]
  /** For screen readers. */
  caption: string
}

/** The photos of a contest in the order of their points. */
export function TallyTable({ tallies, photos, caption }: TallyTableProps) {
  const [count, setCount] = useState(FIRST_ROWS)
  const byId = useMemo(() => new Map(photos.map((photo) => [photo.id, photo])), [photos])
  const more = Math.min(MORE_ROWS, tallies.length - count)
  const all = countOf(tallies.length, 'photo')
  return (
    <>
      <div className="overflow-hidden rounded-lg bg-surface shadow-low ring ring-line">
        <table className="w-full table-fixed border-collapse">
          <caption className="sr-only">{caption}</caption>
          <thead>
            <tr>
              <th scope="col" className={cx(HEAD, 'w-13 sm:w-20')}>
                Place
              </th>
              <th scope="col" className={cx(HEAD, 'text-left')}>
                Photo
              </th>
              {RANKS.map((rank) => (
                <th key={rank} scope="col" className={cx(HEAD, 'w-11 text-right sm:w-18')}>
                  <span aria-hidden>{COLUMNS[rank]}</span>
                  <span className="sr-only">{`Votes for ${RANK_NAMES[rank]}`}</span>
                </th>
              ))}
              <th scope="col" className={cx(HEAD, 'w-16 text-right sm:w-24')}>
                Points
              </th>
            </tr>
          </thead>
          <tbody>
            {tallies.slice(0, count).map((tally, index) => (
              <Row key={tally.photoId} tally={tally} place={index + 1} photo={byId.get(tally.photoId)} />
            ))}
          </tbody>
        </table>
      </div>
      {more > 0 && (
        <Button className="mt-3" onClick={() => setCount(count + more)}>
          {count + more === tallies.length ? `Show all ${all}` : `Show ${more} more of ${all}`}
        </Button>
      )}
    </>
  )
}

interface RowProps {
  tally: VoterStandings['tallies'][number]
  place: number
  photo: PublicPhoto | undefined
}

function Row({ tally, place, photo }: RowProps) {
  return (
    <tr className="border-t border-line">
      <td className={cx(CELL, 'text-center')}>
        <Place place={tally.points > 0 ? place : null} />
      </td>
      <th scope="row" className={cx(CELL, 'text-left font-semibold')}>
        <span className="flex items-center gap-3">
          {photo && (
            <PhotoImage
              {...sourcesForRow(60, photo)}
              alt=""
              thumbhash={photo.thumbhash}
              className="hidden aspect-3/2 w-15 shrink-0 rounded-sm sm:block"
            />
          )}
          <span className="line-clamp-2 min-w-0 wrap-anywhere">{titleOf(photo)}</span>
        </span>
      </th>
      {RANKS.map((rank) => (
        <td key={rank} className={cx(CELL, 'text-right tabular-nums')}>
          {formatNumber(tally[rank])}
        </td>
      ))}
      <td className={cx(CELL, 'text-right font-semibold tabular-nums')}>{formatNumber(tally.points)}</td>
    </tr>
  )
}

/** Without points a photo has no place. */
function Place({ place }: { place: number | null }) {
  const rank = RANKS[(place ?? 0) - 1]
  if (!rank) return <span className="text-sm font-semibold text-muted">{place ?? '–'}</span>
  return (
    <>
      <span className="sr-only">{place}</span>
      <RankMark rank={rank} />
    </>
  )
}

/** The title of a photo of a result; the owner may have removed it since. */
export function titleOf(photo: PublicPhoto | undefined): string {
  return photo ? photo.title || 'Untitled' : 'A photo that is no longer here'
}
