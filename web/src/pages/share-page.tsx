import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation, useParams } from 'react-router-dom'
import { shareQuery } from '../api/queries.ts'
import { lazyComponent } from '../components/lazy.tsx'
import { QueryFailure } from '../components/ui/empty-state.tsx'
import { ScreenSpinner } from '../components/ui/loading.tsx'
import { hasPage } from '../features/share/link-rules.ts'
import { LockedLink } from '../features/share/locked-link.tsx'
import { SharedFolder, ShareSkeleton } from '../features/share/shared-folder.tsx'
import { hasStatus } from '../lib/http.ts'
import { usePageTitle } from '../lib/routing.ts'
import { voterFingerprint } from '../lib/voter-fingerprint.ts'

const Invitation = lazyComponent(() => import('../features/share/contest.ts').then((code) => code.Invitation), {
  failure: 'Your invitation could not be checked',
})
const ShuffledFolder = lazyComponent(
  () => import('../features/share/shuffled-folder.tsx').then((code) => code.ShuffledFolder),
  { Loading: ShareSkeleton, failure: 'The folder could not be loaded' },
)
const ShareNotFound = lazyComponent(
  () => import('../features/share/not-found.tsx').then((code) => code.ShareNotFound),
  {
    Loading: () => <ScreenSpinner />,
    failure: 'The page could not be loaded',
  },
)

export function SharePage() {
  const { shareCode = '' } = useParams()
  const [fingerprint] = useState(voterFingerprint)
  const { data: share, error, refetch } = useQuery(shareQuery(shareCode, fingerprint))
  const { hash, state } = useLocation()
  const [isInvited, setInvited] = useState(false)
  if (!isInvited && (hash.startsWith('#invitation=') || state?.invitation)) setInvited(true)
  const isGone = hasStatus(error, 404) || (share && !hasPage(share.folder, 'vote'))
  const isLocked = share === null
  usePageTitle(isGone ? 'Folder Not Found' : isLocked ? 'Protected folder' : share?.folder.name)

  if (isGone) return <ShareNotFound />
  const Folder = share?.folder.order === 'shuffled' ? ShuffledFolder : SharedFolder
  return (
    <>
      {isInvited && <Invitation key={shareCode} shareCode={shareCode} share={share} />}
      {isLocked ? (
        <LockedLink shareCode={shareCode} />
      ) : share ? (
        <Folder key={shareCode} share={share} shareCode={shareCode} fingerprint={fingerprint} />
      ) : error ? (
        <QueryFailure query={{ error, refetch }} heading="h1" title="The folder could not be loaded" />
      ) : (
        <ShareSkeleton />
      )}
    </>
  )
}
