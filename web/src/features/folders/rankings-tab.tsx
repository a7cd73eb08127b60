import { useMutation, useQuery } from '@tanstack/react-query'
import { Download, Lock, Trophy } from 'lucide-react'
import { useMemo } from 'react'
import { rankingsQuery, readRankingsFile, votersQuery } from '../../api/folders.ts'
import { useIsLive } from '../../api/live-events.ts'
import { folderPhotosQuery } from '../../api/queries.ts'
import type { Folder, Photo } from '../../api/types.ts'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, ErrorState } from '../../components/ui/empty-state.tsx'
import { Spinner } from '../../components/ui/loading.tsx'
import { toastFailure } from '../../components/ui/toast.tsx'
import { saveFile } from '../../lib/files.ts'
import { errorMessage } from '../../lib/http.ts'
import { RankingsSkeleton } from './rankings-skeleton.tsx'
import { Podium, RankingsTable } from './rankings-table.tsx'
import { standings, type Tally } from './standings.ts'
import { VotersSection } from './voters-section.tsx'
import { VotingLog, VotingPanel } from './voting-panel.tsx'
import { votersText } from './voting-texts.ts'

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
  const voters = useQuery(votersQuery(folder.id, false)).data
  const ranked = rows.filter((row) => row.position !== null)
  const votes = rows.reduce((sum, row) => sum + row.voters, 0)
  const share = folder.isPublic ? 'Share the voting link.' : 'Make the folder public and share its voting link.'
  return (
    <>
      <VotingPanel folder={folder} voters={voters} votes={votes} />
      <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2">
        <StateBadge isOpen={folder.votingOpen} />
        <p className="min-w-0 flex-1 basis-60 text-sm text-pretty text-muted">{POINTS_RULE}</p>
        {voters && voters.total > 0 && (
          <Button asChild variant="quiet" className="max-sm:-ml-4">
            <a href="#voters">{votersText(voters)}</a>
          </Button>
        )}
        {rows.length > 0 && <ExportButton folder={folder} />}
      </div>
      <p role="status" className="sr-only">
        {ranked
          .slice(0, 3)
          .map((row) => `${row.position}. ${row.photo.title || 'Untitled'}, ${row.points} points.`)
          .join(' ')}
      </p>
      {ranked.length > 0 && <Podium winners={ranked.slice(0, 3)} />}
      {ranked.length === 0 && (
        <EmptyState
          icon={<Trophy />}
          title={voters?.total ? 'No votes count now' : 'No votes yet'}
          description={
            voters?.total
              ? 'Every ballot is empty, excluded, or names photos that visitors do not see.'
              : `${share} The standings appear here while visitors vote.`
          }
        />
      )}
      {rows.length > 0 && <RankingsTable rows={rows} markPrivate={folder.isPublic} />}
      {voters?.total !== 0 && <VotersSection folderId={folder.id} photos={photos} voters={voters} />}
      <VotingLog folderId={folder.id} />
    </>
  )
}

/** Whether the standings follow the votes, or are final until the owner opens the voting again. */
function StateBadge({ isOpen }: { isOpen: boolean }) {
  const live = useIsLive()
  if (!isOpen) {
    return (
      <span role="status">
        <Badge icon={<Lock aria-hidden />}>Closed</Badge>
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
