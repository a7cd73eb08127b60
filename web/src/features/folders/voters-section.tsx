import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight, ShieldCheck } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import type { Page } from '../../api/client.ts'
import { FIRST_PAGE } from '../../api/client.ts'
import { votersQuery } from '../../api/folders.ts'
import type { Photo, Voter } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, ErrorState } from '../../components/ui/empty-state.tsx'
import { Checkbox } from '../../components/ui/field.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { formatNumber } from '../../lib/format.ts'
import { errorMessage } from '../../lib/http.ts'
import { ExcludeFlagged } from './exclude-flagged.tsx'
import { VoterRow } from './voter-row.tsx'
import { useSetExcluded } from './voting-changes.ts'

interface VotersSectionProps {
  folderId: number
  photos: Photo[]
  /** The number of voters of the folder. */
  total: number | undefined
}

/** The ballots of a folder, one page at a time: only the visible page is read. */
export function VotersSection({ folderId, photos, total }: VotersSectionProps) {
  const [flagged, setFlagged] = useState(false)
  return (
    <section aria-labelledby="voters" className="mt-10">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-6 gap-y-1">
        <h2 id="voters" tabIndex={-1} className="scroll-mt-20 text-xl font-semibold outline-none">
          Voters{' '}
          {total !== undefined && <span className="text-base font-normal text-muted">{formatNumber(total)}</span>}
        </h2>
        <Checkbox label="Flagged only" checked={flagged} onChange={(event) => setFlagged(event.target.checked)} />
      </div>
      <p className="mb-3 max-w-2xl text-sm text-pretty text-muted">
        Nobody’s name or address is known here. An excluded ballot adds nothing to the standings until you restore it.
      </p>
      <VoterPages key={`${flagged}`} folderId={folderId} photos={photos} flagged={flagged} />
    </section>
  )
}

function VoterPages({ folderId, photos, flagged }: Omit<VotersSectionProps, 'total'> & { flagged: boolean }) {
  // The addresses of the pages up to the visible one; the server returns that of the next.
  const [paths, setPaths] = useState([FIRST_PAGE])
  const page = useQuery({ ...votersQuery(folderId, flagged, paths.at(-1)), placeholderData: keepPreviousData })
  const change = useSetExcluded(folderId)
  const photoOf = useMemo(() => new Map(photos.map((photo) => [photo.id, photo])), [photos])
  if (page.isPending) return <VotersSkeleton />
  if (!page.data) {
    return (
      <ErrorState
        title="Voters could not be loaded"
        description={errorMessage(page.error)}
        onRetry={() => page.refetch()}
      />
    )
  }
  const { items, next } = page.data
  // The page has become empty, for example by a reset.
  if (items.length === 0 && paths.length > 1) setPaths(paths.slice(0, 1))
  if (items.length === 0) return <NoFlagged />
  return (
    <>
      {flagged && <ExcludeFlagged folderId={folderId} total={page.data.total} />}
      <ul
        aria-label="Ballots, the newest change first"
        aria-busy={page.isPlaceholderData}
        className="divide-y divide-line rounded-lg bg-surface shadow-low ring ring-line"
      >
        {items.map((voter) => (
          <VoterRow
            key={voter.voter}
            voter={voter}
            photos={photoOf}
            busy={change.isPending && change.variables.voter === voter.voter}
            onExclude={(excluded) => change.mutate({ voter: voter.voter, excluded })}
          />
        ))}
      </ul>
      <Pager
        page={page.data}
        offset={(paths.length - 1) * 25}
        onPrevious={paths.length > 1 ? () => setPaths(paths.slice(0, -1)) : undefined}
        onNext={next && !page.isPlaceholderData ? () => setPaths([...paths, next]) : undefined}
      />
    </>
  )
}

interface PagerProps {
  page: Page<Voter>
  /** The number of voters on earlier pages. */
  offset: number
  onPrevious: (() => void) | undefined
  onNext: (() => void) | undefined
}

function Pager({ page, offset, onPrevious, onNext }: PagerProps) {
  const { items, total, next } = page
  if (offset === 0 && next === null) return null
  return (
    <nav aria-label="Pages of voters" className="mt-3 flex items-center justify-between gap-4">
      <p role="status" className="text-sm text-muted">
        {formatNumber(offset + 1)}–{formatNumber(offset + items.length)} of {formatNumber(total)}
      </p>
      <div className="flex gap-2">
        <PageButton onClick={onPrevious}>
          <ChevronLeft aria-hidden /> Newer
        </PageButton>
        <PageButton onClick={onNext}>
          Older <ChevronRight aria-hidden />
        </PageButton>
      </div>
    </nav>
  )
}

/** At the end of the list the button keeps the focus and ignores clicks. */
function PageButton({ onClick, children }: { onClick: (() => void) | undefined; children: ReactNode }) {
  return (
    <Button size="small" aria-disabled={onClick === undefined} onClick={onClick}>
      {children}
    </Button>
  )
}

function NoFlagged() {
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

function VotersSkeleton() {
  return (
    <div role="status">
      <span className="sr-only">Loading voters</span>
      <Skeleton className="h-80 rounded-lg" />
    </div>
  )
}
