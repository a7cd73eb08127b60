import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams } from 'react-router-dom'
import { shareQuery } from '../api/queries.ts'
import { QueryFailure } from '../components/ui/empty-state.tsx'
import { SharedFolder, ShareNotFound, ShareSkeleton } from '../features/share/shared-folder.tsx'
import { hasStatus } from '../lib/http.ts'
import { usePageTitle } from '../lib/routing.ts'
import { voterFingerprint } from '../lib/voter-fingerprint.ts'

export function SharePage() {
  const { shareCode = '' } = useParams()
  const [fingerprint] = useState(voterFingerprint)
  const { data: share, error, refetch } = useQuery(shareQuery(shareCode, fingerprint))
  const isGone = hasStatus(error, 404)
  usePageTitle(isGone ? 'Folder Not Found' : share?.folder.name)

  if (isGone) return <ShareNotFound />
  if (share) return <SharedFolder key={shareCode} share={share} shareCode={shareCode} fingerprint={fingerprint} />
  if (!error) return <ShareSkeleton />
  return <QueryFailure query={{ error, refetch }} heading="h1" title="The folder could not be loaded" />
}
