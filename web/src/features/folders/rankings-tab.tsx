import { useQuery } from '@tanstack/react-query'
import { Trophy } from 'lucide-react'
import { folderPhotosQuery, rankingsQuery } from '../../api/queries.ts'
import type { Folder } from '../../api/types.ts'
import { EmptyState, ErrorState } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { noticeOf } from '../../lib/http.ts'
import { LiveBadge } from './live-badge.tsx'
import { Podium } from './podium.tsx'
import { RankingsTable } from './rankings-table.tsx'
import { standings } from './standings.ts'

const RULE = 'First 3 points, second 2, third 1. Ties: more firsts, then more seconds, then the earlier upload.'

/** The standings of a folder; they follow the votes by the live events. */
export function RankingsTab({ folder }: { folder: Folder }) {
  const photos = useQuery(folderPhotosQuery(folder.id))
  const rankings = useQuery(rankingsQuery(folder.id))
  if (photos.isPending || rankings.isPending) return <RankingsSkeleton />
  if (!photos.data || !rankings.data) {
    return (
      <ErrorState
        title="Rankings could not be loaded"
        description={noticeOf(rankings.error ?? photos.error)}
        onRetry={() => {
          photos.refetch()
          rankings.refetch()
        }}
      />
    )
  }
  const rows = standings(photos.data, rankings.data.tallies)
  const ranked = rows.filter((row) => row.place !== null)
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2">
        <LiveBadge />
        <p className="text-sm text-muted">{RULE}</p>
      </div>
      <p role="status" className="sr-only">
        {ranked.slice(0, 3).map((row) => `${row.place}. ${row.photo.title || 'Untitled'}, ${row.points} points. `)}
      </p>
      {ranked.length === 0 ? (
        <NoVotes isPublic={folder.isPublic} />
      ) : (
        <>
          <Podium winners={ranked.slice(0, 3)} />
          <RankingsTable rows={rows} markPrivate={folder.isPublic} />
        </>
      )}
    </>
  )
}

function NoVotes({ isPublic }: { isPublic: boolean }) {
  return (
    <EmptyState
      icon={<Trophy />}
      title="No votes yet"
      description={
        isPublic
          ? 'Share the voting link. The standings appear here while visitors vote.'
          : 'Make the folder public and share its voting link. The standings appear here while visitors vote.'
      }
    />
  )
}

function RankingsSkeleton() {
  return (
    <div role="status">
      <span className="sr-only">Loading rankings</span>
      <Skeleton className="h-6 w-80 max-w-full" />
      <div className="mt-4 grid items-end gap-4 md:grid-cols-[1fr_1.18fr_1fr]">
        <Skeleton className="aspect-3/2 rounded-lg" />
        <Skeleton className="aspect-4/3 rounded-lg" />
        <Skeleton className="aspect-3/2 rounded-lg" />
      </div>
      <Skeleton className="mt-16 h-72 rounded-lg" />
    </div>
  )
}
