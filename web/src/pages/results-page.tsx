import { useQuery } from '@tanstack/react-query'
import { FolderX, Trophy } from 'lucide-react'
import { useParams } from 'react-router-dom'
import { publicPhotosQuery } from '../api/queries.ts'
import { resultsQuery } from '../api/shared-contest.ts'
import { EmptyState, QueryFailure } from '../components/ui/empty-state.tsx'
import { LinkButton } from '../components/ui/link-button.tsx'
import { ScreenSpinner } from '../components/ui/loading.tsx'
import { LockedLink } from '../features/share/locked-link.tsx'
import { PublishedResults } from '../features/share/published-results.tsx'
import { hasStatus } from '../lib/http.ts'
import { usePageTitle } from '../lib/routing.ts'

/** The published result of a contest. Its pictures are those of the link, which is polled: a withdrawn one shows nothing more. */
export default function ResultsPage() {
  const { shareCode = '' } = useParams()
  const { data: results, error, refetch } = useQuery(resultsQuery(shareCode))
  const photos = useQuery(publicPhotosQuery(shareCode))
  const isGone = [error, photos.error].some((failure) => hasStatus(failure, 404))
  const isLocked = results === null || photos.data === null
  const isHidden = results === 'results_hidden'
  usePageTitle(isGone ? 'Results not found' : isLocked ? 'Protected folder' : titleOf(results))

  if (isGone) {
    return (
      <EmptyState
        heading="h1"
        icon={<FolderX />}
        title="Results not found"
        description="The folder doesn't exist or is not publicly shared."
      />
    )
  }
  if (isLocked) return <LockedLink shareCode={shareCode} />
  if (isHidden) {
    return (
      <EmptyState
        heading="h1"
        icon={<Trophy />}
        title="The results are not published yet"
        description="They appear here as soon as voting has closed and the owner shows them."
        action={<LinkButton to={`/share/${shareCode}`}>To the photos</LinkButton>}
      />
    )
  }
  if (results && photos.data) return <PublishedResults shareCode={shareCode} results={results} photos={photos.data} />
  if (error || photos.error) {
    const again = () => Promise.all([refetch(), photos.refetch()])
    const query = { error: error ?? photos.error, refetch: again }
    return <QueryFailure query={query} heading="h1" title="The results could not be loaded" />
  }
  return <ScreenSpinner label="Loading the results" />
}

function titleOf(results: { folder: { name: string } } | 'results_hidden' | null | undefined): string {
  return typeof results === 'object' && results ? `Results · ${results.folder.name}` : 'Results'
}
