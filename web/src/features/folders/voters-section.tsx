import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight, ShieldCheck } from 'lucide-react'
import { useMemo, useState } from 'react'
import { FIRST_PAGE } from '../../api/client.ts'
import { VOTERS_PER_PAGE, type VoterCounts, votersQuery } from '../../api/folders.ts'
import type { Photo, Voter } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { sourcesForRow } from '../../components/renditions.ts'
import { Badge, RankMark } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, LoadingState, QueryFailure } from '../../components/ui/empty-state.tsx'
import { Checkbox } from '../../components/ui/field.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { RelativeTime, Tooltip } from '../../components/ui/tooltip.tsx'
import { cx } from '../../lib/cx.ts'
import { countOf, formatNumber } from '../../lib/format.ts'
import { ConfirmButton } from './confirm-change.tsx'
import { useExcludeFlagged, useSetExcluded } from './voting-changes.ts'
import { EXCLUDED_HINT, FLAGS, OWN_BALLOT_HINT, PLACES, voterName, votersText } from './voting-texts.ts'

interface VotersSectionProps {
  folderId: number
  photos: Photo[]
  voters: VoterCounts | undefined
  /** The ballot is open: voters have names. */
  named: boolean
}

/** The ballots of a folder, one page at a time: only the visible page is read. */
export function VotersSection({ folderId, photos, voters, named }: VotersSectionProps) {
  const [flagged, setFlagged] = useState(false)
  return (
    <section aria-labelledby="voters" className="mt-10">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-6 gap-y-1">
        <h2 id="voters" tabIndex={-1} className="scroll-mt-20 text-xl font-semibold outline-none">
          <span>Voters</span>{' '}
          {voters && <span className="text-base font-normal text-muted">{votersText(voters, formatNumber)}</span>}
        </h2>
        <Checkbox label="Flagged only" checked={flagged} onChange={(event) => setFlagged(event.target.checked)} />
      </div>
      <p className="mb-3 max-w-2xl text-sm text-pretty text-muted">
        {`${named ? 'The ballot is open: names and choices are yours to see.' : 'Nobody’s name or address is known here.'} An excluded ballot adds nothing to the standings until you restore it.`}
      </p>
      <VoterPages key={String(flagged)} folderId={folderId} photos={photos} flagged={flagged} />
    </section>
  )
}

function VoterPages({
  folderId,
  photos,
  flagged,
}: Omit<VotersSectionProps, 'voters' | 'named'> & { flagged: boolean }) {
  // The addresses of the pages up to the visible one; the server returns that of the next.
  const [paths, setPaths] = useState([FIRST_PAGE])
  const page = useQuery({ ...votersQuery(folderId, flagged, paths.at(-1)), placeholderData: keepPreviousData })
  const photoOf = useMemo(() => new Map(photos.map((photo) => [photo.id, photo])), [photos])
  if (page.isPending) {
    return (
      <LoadingState label="Loading voters">
        <Skeleton className="h-80 rounded-lg" />
      </LoadingState>
    )
  }
  if (!page.data) return <QueryFailure query={page} title="Voters could not be loaded" />
  const { items, total, next } = page.data
  const offset = (paths.length - 1) * VOTERS_PER_PAGE
  const following = page.isPlaceholderData ? null : next
  // The page has become empty, for example by a reset.
  if (items.length === 0 && paths.length > 1) setPaths(paths.slice(0, 1))
  if (items.length === 0) {
    return (
      <div className="rounded-lg bg-surface ring ring-line">
        <EmptyState
          icon={<ShieldCheck />}
          heading="h3"
          title="No flagged ballots"
          description="No burst, no crowd from one network, no changed browser, no browser with several ballots."
        />
      </div>
    )
  }
  return (
    <>
      {flagged && <ExcludeFlagged folderId={folderId} total={total} />}
      <ul
        aria-label="Ballots, the newest change first"
        aria-busy={page.isPlaceholderData}
        className="divide-y divide-line rounded-lg bg-surface shadow-low ring ring-line"
      >
        {items.map((voter) => (
          <VoterRow key={voter.voter} folderId={folderId} voter={voter} photos={photoOf} />
        ))}
      </ul>
      {(offset > 0 || next) && (
        <nav aria-label="Pages of voters" className="mt-3 flex items-center justify-between gap-4">
          <p role="status" className="text-sm text-muted">
            {`${formatNumber(offset + 1)}–${formatNumber(offset + items.length)} of ${formatNumber(total)}`}
          </p>
          <div className="flex gap-2">
            {/* At the end of the list the button keeps the focus and ignores clicks. */}
            <Button size="small" aria-disabled={!offset} onClick={() => offset && setPaths(paths.slice(0, -1))}>
              <ChevronLeft aria-hidden /> Newer
            </Button>
            <Button
              size="small"
              aria-disabled={!following}
              onClick={() => following && setPaths([...paths, following])}
            >
              Older <ChevronRight aria-hidden />
            </Button>
          </div>
        </nav>
      )}
    </>
  )
}

interface VoterRowProps {
  folderId: number
  voter: Voter
  photos: ReadonlyMap<number, Photo>
}

/** A ballot: its voter, age, choices and flags, and whether it counts. */
function VoterRow({ folderId, voter, photos }: VoterRowProps) {
  const change = useSetExcluded(folderId)
  const name = voter.name ?? voterName(voter.voter)
  const { excluded } = voter
  // During an upgrade the server may know more flags than this page.
  const flags = voter.flags.filter((flag) => flag in FLAGS)
  return (
    <li className="grid grid-cols-[1fr_auto] items-center gap-x-4 gap-y-2 px-4 py-3 md:grid-cols-[11rem_1fr_auto] lg:grid-cols-[15rem_1fr_auto]">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <b className={cx('font-semibold wrap-anywhere', excluded && 'text-muted line-through')}>{name}</b>
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
        aria-disabled={change.isPending}
        onClick={() => change.isPending || change.mutate({ voter: voter.voter, excluded: !excluded })}
        className="max-md:col-start-2 max-md:row-start-1"
      >
        {excluded ? 'Restore' : 'Exclude'}
      </Button>
    </li>
  )
}

function Choices({ voter, photos }: Pick<VoterRowProps, 'voter' | 'photos'>) {
  if (PLACES.every(({ rank }) => voter[rank] === 0)) return <p className="text-sm text-muted">No choice that counts</p>
  return (
    <ol className="flex flex-col gap-x-4 gap-y-1.5 lg:grid lg:grid-cols-3">
      {PLACES.map(({ rank, label }) => {
        const photo = photos.get(voter[rank])
        return (
          <li
            key={rank}
            className={cx('flex min-w-0 items-center gap-2 text-sm', voter[rank] === 0 && 'max-lg:hidden')}
          >
            <RankMark rank={rank} />
            <span className="sr-only">{`${label}: `}</span>
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
                'line-clamp-2 min-w-0 text-pretty wrap-anywhere',
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

/** Excludes all flagged ballots from the standings after confirmation, or restores all excluded ones. */
function ExcludeFlagged({ folderId, total }: { folderId: number; total: number }) {
  const change = useExcludeFlagged(folderId)
  const restoring = change.isPending && change.variables === false
  return (
    <div className="mb-3 flex flex-wrap gap-2">
      <ConfirmButton
        button={{ size: 'small', children: 'Exclude all flagged' }}
        change={change}
        title="Exclude all flagged ballots?"
        description={`${countOf(total, 'flagged ballot')} will add nothing to the standings, except your own. Flags prove nothing: people on one network may be among them. You can restore all of them later.`}
        confirmLabel="Exclude all flagged"
        danger
        onConfirm={(options) => change.mutate(true, options)}
      />
      <Button size="small" variant="quiet" busy={restoring} onClick={() => change.mutate(false)}>
        Restore all excluded
      </Button>
    </div>
  )
}
