import type { Photo, Rank, Voter } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { Badge, RankMark } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { RelativeTime, Tooltip } from '../../components/ui/tooltip.tsx'
import { cx } from '../../lib/cx.ts'
import { sourcesForRow } from '../../photos/renditions.ts'
import { EXCLUDED_HINT, FLAGS, OWN_BALLOT_HINT, voterName } from './voter-texts.ts'

const RANK_LABELS: { rank: Rank; label: string }[] = [
  { rank: 'first', label: '1st' },
  { rank: 'second', label: '2nd' },
  { rank: 'third', label: '3rd' },
]

interface VoterRowProps {
  voter: Voter
  photos: ReadonlyMap<number, Photo>
  /** An exclusion or restoration is in progress. */
  busy: boolean
  onExclude: (excluded: boolean) => void
}

/** A ballot: its voter, age, choices and flags, and whether it counts. */
export function VoterRow({ voter, photos, busy, onExclude }: VoterRowProps) {
  const name = voterName(voter.voter)
  const { excluded } = voter
  // During an upgrade the server may know more flags than this page.
  const flags = voter.flags.filter((flag) => flag in FLAGS)
  return (
    <li className="grid grid-cols-[1fr_auto] items-center gap-x-4 gap-y-2 px-4 py-3 md:grid-cols-[minmax(11rem,0.6fr)_1fr_auto]">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <b className={cx('font-semibold', excluded && 'text-muted line-through')}>{name}</b>
          {voter.owner && (
            <Tooltip text={OWN_BALLOT_HINT}>
              <Badge tone="accent">Owner</Badge>
            </Tooltip>
          )}
          {excluded && (
            <Tooltip text={EXCLUDED_HINT}>
              <Badge tone="danger">Excluded</Badge>
            </Tooltip>
          )}
        </p>
        <p className="flex flex-wrap gap-x-2 text-sm text-muted">
          <RelativeTime at={voter.updatedAt} />
        </p>
      </div>
      <div className="min-w-0 max-md:col-span-2 max-md:row-start-2">
        <Choices voter={voter} photos={photos} />
        {flags.length > 0 && (
          <ul aria-label="Flags" className="mt-2 flex flex-wrap gap-2">
            {flags.map((flag) => (
              <li key={flag} className="flex">
                <Tooltip text={FLAGS[flag].explanation}>
                  <Badge tone="warn">{FLAGS[flag].label}</Badge>
                </Tooltip>
              </li>
            ))}
          </ul>
        )}
      </div>
      <Button
        size="small"
        aria-label={`${excluded ? 'Restore' : 'Exclude'} ${name}`}
        aria-disabled={busy}
        onClick={() => busy || onExclude(!excluded)}
        className="max-md:col-start-2 max-md:row-start-1"
      >
        {excluded ? 'Restore' : 'Exclude'}
      </Button>
    </li>
  )
}

function Choices({ voter, photos }: Pick<VoterRowProps, 'voter' | 'photos'>) {
  if (RANK_LABELS.every(({ rank }) => voter[rank] === 0))
    return <p className="text-sm text-muted">No choice that counts</p>
  return (
    <ol className="flex flex-col gap-x-4 gap-y-1.5 lg:grid lg:grid-cols-3">
      {RANK_LABELS.map(({ rank, label }) => {
        const photo = photos.get(voter[rank])
        return (
          <li
            key={rank}
            className={cx('flex min-w-0 items-center gap-2 text-sm', voter[rank] === 0 && 'max-lg:hidden')}
          >
            <RankMark rank={rank} />
            <span className="sr-only">{label}: </span>
            {photo && (
              <PhotoImage
                {...sourcesForRow(48, photo)}
                alt=""
                thumbhash={photo.thumbhash}
                className={cx('aspect-3/2 w-12 shrink-0 rounded-sm', voter.excluded && 'opacity-50')}
              />
            )}
            <span
              className={cx(
                'truncate',
                (voter.excluded || !photo) && 'text-muted',
                photo && voter.excluded && 'line-through',
              )}
            >
              {photo ? photo.title || 'Untitled' : 'None'}
            </span>
          </li>
        )
      })}
    </ol>
  )
}
