import { useQueryClient } from '@tanstack/react-query'
import { Share2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { shareQuery } from '../../api/queries.ts'
import type { PublicPhoto, Share } from '../../api/types.ts'
import { Badge } from '../../components/ui/badge.tsx'
import { placesOf } from '../../lib/ballot.ts'
import { countOf } from '../../lib/format.ts'
import { RankMenu } from './rank-menu.tsx'
import { RankingsPanel } from './rankings-panel.tsx'
import { ShareCard } from './share-card.tsx'
import { SHARE_GRID, ShareEmpty } from './share-states.tsx'
import { useBallot } from './use-ballot.ts'

// Most of what a first visit does not need.
const PhotoViewer = lazy(() => import('./photo-viewer.tsx'))

interface SharedFolderProps {
  share: Share
  shareCode: string
  fingerprint: string
}

/** The voting page of a folder: what it is, the voter's places, the photos. */
export function SharedFolder({ share, shareCode, fingerprint }: SharedFolderProps) {
  const { folder, photos } = share
  const client = useQueryClient()
  const { ballot, castVote } = useBallot(share, shareCode, fingerprint)
  const places = placesOf(ballot)
  const [search] = useSearchParams()
  // A link may lead to one photo.
  const [openId, setOpenId] = useState(Number(search.get('photo')) || null)
  const open = photos.find(({ id }) => id === openId)

  /** A refused picture may have been withdrawn: look at once. Many at the same time make one reading. */
  function revalidate(): void {
    client.invalidateQueries({ queryKey: shareQuery(shareCode, fingerprint).queryKey }, { cancelRefetch: false })
  }

  function leadToUnranked(): void {
    const unranked = photos.find(({ id }) => !ballot[id])
    if (unranked) document.getElementById(rankButtonId(unranked))?.focus()
  }

  const menuOf = (photo: PublicPhoto, id?: string) => (
    <RankMenu photo={photo} places={places} id={id} onVote={(rank) => castVote({ photoId: photo.id, rank })} />
  )

  return (
    <div className="mx-auto max-w-[1180px] gutters pt-6 max-sm:pb-24 sm:pt-8">
      <Badge tone="accent" icon={<Share2 aria-hidden />}>
        Shared Folder
      </Badge>
      <h1 className="mt-3 text-3xl font-bold wrap-anywhere sm:text-[34px]/[42px]">{folder.name}</h1>
      {folder.description && <p className="mt-1.5 max-w-[62ch] text-pretty text-muted">{folder.description}</p>}
      <p className="mt-1.5 text-muted">{countOf(photos.length, 'photo')}</p>
      {photos.length === 0 ? (
        <ShareEmpty />
      ) : (
        <>
          <RankingsPanel places={places} photos={photos} onOpen={({ id }) => setOpenId(id)} onChoose={leadToUnranked} />
          <h2 className="sr-only">Photos</h2>
          <ul className={SHARE_GRID}>
            {photos.map((photo) => (
              <ShareCard key={photo.id} photo={photo} onOpen={() => setOpenId(photo.id)} onRefused={revalidate}>
                {menuOf(photo, rankButtonId(photo))}
              </ShareCard>
            ))}
          </ul>
        </>
      )}
      {open && (
        <Suspense>
          <PhotoViewer
            shareCode={shareCode}
            photos={photos}
            photo={open}
            onShow={({ id }) => setOpenId(id)}
            onClose={() => setOpenId(null)}
            onRefused={revalidate}
          >
            {menuOf(open)}
          </PhotoViewer>
        </Suspense>
      )}
    </div>
  )
}

function rankButtonId(photo: PublicPhoto): string {
  return `rank-${photo.id}`
}
