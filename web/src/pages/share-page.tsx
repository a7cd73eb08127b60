import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams } from 'react-router-dom'
import { shareQuery } from '../api/queries.ts'
import { QueryFailure } from '../components/ui/empty-state.tsx'
import { hasPage } from '../features/share/link-rules.ts'
import { LockedLink } from '../features/share/locked-link.tsx'
import { SharedFolder, ShareNotFound, ShareSkeleton } from '../features/share/shared-folder.tsx'
import { hasStatus } from '../lib/http.ts'
import { usePageTitle } from '../lib/routing.ts'
import { voterFingerprint } from '../lib/voter-fingerprint.ts'

export function SharePage() {
  const { shareCode = '' } = useParams()
  const [fingerprint] = useState(voterFingerprint)
  const { data: share, error, refetch } = useQuery(shareQuery(shareCode, fingerprint))
  const isGone = hasStatus(error, 404) || (share && !hasPage(share.folder, 'vote'))
  const isLocked = share === null
  usePageTitle(isGone ? 'Folder Not Found' : isLocked ? 'Protected folder' : share?.folder.name)

  if (isGone) return <ShareNotFound />
  if (isLocked) return <LockedLink shareCode={shareCode} />
  if (share) return <SharedFolder key={shareCode} share={share} shareCode={shareCode} fingerprint={fingerprint} />
  if (!error) return <ShareSkeleton />
  return <QueryFailure query={{ error, refetch }} heading="h1" title="The folder could not be loaded" />
}
