import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { voterStandingsQuery } from '../../api/shared-contest.ts'
import type { PublicPhoto } from '../../api/types.ts'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Loaded, LoadingState } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { countOf } from '../../lib/format.ts'
import { TallyTable } from './tally-table.tsx'

interface StandingsDialogProps {
  shareCode: string
  fingerprint: string
  photos: PublicPhoto[]
  /** The server shows them no more. */
  onHidden: () => void
  onClose: () => void
}

/** The standings of a contest, for its voters: read again while they are open. */
export function StandingsDialog({ shareCode, fingerprint, photos, onHidden, onClose }: StandingsDialogProps) {
  const query = useQuery(voterStandingsQuery(shareCode, fingerprint))
  const isHidden = query.data === 'standings_hidden'
  const hide = useEffectEvent(onHidden)
  useEffect(() => {
    if (isHidden) hide()
  }, [isHidden])
  return (
    <Dialog open title="Standings" size="large" onOpenChange={onClose}>
      <Loaded query={query} loading={<StandingsSkeleton />} failure="The standings could not be loaded">
        {(standings) =>
          standings !== 'standings_hidden' && (
            <>
              <p className="mb-3 text-muted">{`${countOf(standings.ballots, 'ballot')} so far`}</p>
              <TallyTable tallies={standings.tallies} photos={photos} caption="Standings of the photos" />
            </>
          )
        }
      </Loaded>
    </Dialog>
  )
}

function StandingsSkeleton() {
  return (
    <LoadingState label="Loading the standings" className="grid gap-2">
      {[0, 1, 2, 3, 4].map((row) => (
        <Skeleton key={row} className="h-12 rounded-md" />
      ))}
    </LoadingState>
  )
}
