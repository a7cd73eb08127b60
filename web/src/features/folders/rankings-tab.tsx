import { useMutation, useQuery } from '@tanstack/react-query'
import { Clock, Download, Lock, Presentation, Trophy } from 'lucide-react'
import { useMemo } from 'react'
import { rankingsQuery, readRankingsFile } from '../../api/folders.ts'
import { useIsLive } from '../../api/live-events.ts'
import { folderPhotosQuery } from '../../api/queries.ts'
import type { Contest, Folder, Photo } from '../../api/types.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { Podium } from '../../components/podium.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, ErrorState } from '../../components/ui/empty-state.tsx'
import { LinkButton } from '../../components/ui/link-button.tsx'
import { Skeleton, Spinner } from '../../components/ui/loading.tsx'
import { toastFailure } from '../../components/ui/toast.tsx'
import { saveFile } from '../../lib/files.ts'
import { capitalized } from '../../lib/format.ts'
import { errorMessage } from '../../lib/http.ts'
import { RankingsSkeleton } from './rankings-skeleton.tsx'
import { RankingsTable } from './rankings-table.tsx'
import { standings, type Tally } from './standings.ts'
import { useVoterCounts } from './use-voter-counts.ts'
import { VotersSection } from './voters-section.tsx'
import { VotingLog, VotingPanel } from './voting-panel.tsx'
import { votersText } from './voting-texts.ts'

const InvitationsSection = lazyComponent(
  () => import('./invitations-section.tsx').then((code) => code.InvitationsSection),
  { Loading: SectionSkeleton, failure: 'Invitations could not be loaded' },
)
const ResultsSection = lazyComponent(() => import('./results-section.tsx').then((code) => code.ResultsSection), {
  Loading: SectionSkeleton,
  failure: 'The results could not be loaded',
})

function SectionSkeleton() {
  return <Skeleton className="mt-10 h-72 rounded-lg" />
}

const POINTS_RULE = 'First 3 points, second 2, third 1. Ties: more firsts, then more seconds, then the earlier upload.'

/** The standings of a folder, updated by live events. */
export function RankingsTab({ folder }: { folder: Folder }) {
  const photos = useQuery(folderPhotosQuery(folder.id))
  const rankings = useQuery(rankingsQuery(folder.id))
  if (photos.isPending || rankings.isPending) return <RankingsSkeleton />
  if (!photos.data || !rankings.data) {
    return (
      <ErrorState
        title="Rankings could not be loaded"
        description={errorMessage(rankings.error ?? photos.error)}
        onRetry={() => {
          photos.refetch()
          rankings.refetch()
        }}
      />
    )
  }
  return <LoadedRankings folder={folder} photos={photos.data} tallies={rankings.data.tallies} />
}

function LoadedRankings({ folder, photos, tallies }: { folder: Folder; photos: Photo[]; tallies: Tally[] }) {
  const rows = useMemo(() => standings(photos, tallies), [photos, tallies])
  const { contest, voters, isSecret } = useVoterCounts(folder.id)
  const ranked = rows.filter((row) => row.position !== null)
  const votes = rows.reduce((sum, row) => sum + row.voters, 0)
  return (
    <>
      <VotingPanel folder={folder} contest={contest} voters={voters} votes={votes} />
      <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2">
        <StateBadge phase={contest?.phase ?? (folder.votingOpen ? 'open' : 'closed')} />
        <p className="min-w-0 flex-1 basis-60 text-sm text-pretty text-muted">{POINTS_RULE}</p>
        {voters && voters.total > 0 && (
          <Button asChild variant="quiet" className="max-sm:-ml-4">
            <a href="#voters">{votersText(voters)}</a>
          </Button>
        )}
        <LinkButton to={`/folders/${folder.id}/present`}>
          <Presentation aria-hidden /> Present
        </LinkButton>
        {rows.length > 0 && <ExportButton folder={folder} />}
      </div>
      <p role="status" className="sr-only">
        {ranked
          .slice(0, 3)
          .map((row) => `${row.position}. ${row.photo.title || 'Untitled'}, ${row.points} points.`)
          .join(' ')}
      </p>
      {ranked.length > 0 && <Podium winners={ranked.slice(0, 3).map((row, index) => ({ ...row, rank: index + 1 }))} />}
      {ranked.length === 0 && (
        <EmptyState
          icon={<Trophy />}
          title={voters?.total ? 'No votes count now' : 'No votes yet'}
          description={
            voters?.total
              ? 'Every ballot is empty, excluded, or names photos that visitors do not see.'
              : describeEmpty(folder.isPublic, contest)
          }
          action={
            contest?.voters === 'invited' &&
            contest.phase !== 'closed' && (
              <Button asChild>
                <a href="#invitations">Invitations</a>
              </Button>
            )
          }
        />
      )}
      {rows.length > 0 && <RankingsTable rows={rows} markPrivate={folder.isPublic} />}
      {contest?.phase === 'closed' && <ResultsSection folder={folder} contest={contest} />}
      {contest?.voters === 'invited' && <InvitationsSection folder={folder} />}
      {isSecret && <SecretBallot />}
      {isSecret === false && voters?.total !== 0 && (
        <VotersSection folderId={folder.id} photos={photos} voters={voters} named={contest?.openBallot === true} />
      )}
      <VotingLog folderId={folder.id} />
    </>
  )
}

function describeEmpty(isPublic: boolean, contest: Contest | undefined): string {
  if (contest?.phase === 'closed') return 'Voting is closed.'
  const what = contest?.voters === 'invited' ? 'send the invitations' : 'share the voting link'
  const sharing = isPublic ? capitalized(what) : `Make the folder public and ${what}`
  return `${sharing}. The standings appear here while people vote.`
}

/** Invited voters are known by name, so their choices are not listed. */
function SecretBallot() {
  return (
    <section aria-labelledby="voters" className="mt-10">
      <h2 id="voters" className="mb-1 text-xl font-semibold">
        Voters
      </h2>
      <p className="max-w-2xl text-pretty text-muted">
        The ballot is secret. The{' '}
        <a href="#invitations" className="font-semibold text-accent underline">
          invitations
        </a>{' '}
        show who has voted, not for what.
      </p>
    </section>
  )
}

/** Whether the standings follow the votes, or are final until the owner opens the voting again. */
function StateBadge({ phase }: { phase: Contest['phase'] }) {
  const live = useIsLive()
  if (phase !== 'open') {
    const isOver = phase === 'closed'
    return (
      <span role="status">
        <Badge icon={isOver ? <Lock aria-hidden /> : <Clock aria-hidden />}>{isOver ? 'Closed' : 'Not open yet'}</Badge>
      </span>
    )
  }
  return (
    <span role="status">
      <Badge tone={live ? 'good' : 'warn'} icon={<span className="size-1.5 rounded-full bg-current" />}>
        {live ? 'Live' : 'Connecting'}
      </Badge>
    </span>
  )
}

function ExportButton({ folder }: { folder: Folder }) {
  const save = useMutation({
    mutationFn: () => readRankingsFile(folder.id),
    onSuccess: (file) => saveFile(file, `${folder.name} rankings.csv`),
    onError: (error) => toastFailure('Failed to export the rankings', error, () => save.mutate()),
  })
  return (
    <Button aria-busy={save.isPending} onClick={() => save.isPending || save.mutate()}>
      {save.isPending ? <Spinner className="text-current" /> : <Download aria-hidden />}
      <span>Export CSV</span>
    </Button>
  )
}
