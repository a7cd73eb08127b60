import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { photosByRank } from '../../api/ballot.ts'
import { shareQuery } from '../../api/queries.ts'
import type { PublicPhoto, Share } from '../../api/types.ts'
import { loadToaster } from '../../components/ui/toast.tsx'
import { countOf } from '../../lib/format.ts'
import { SharedFolderBadge } from './badges.tsx'
import { LazyPhotoViewer } from './lazy-photo-viewer.tsx'
import { PublicGrid, type PublicGridHandle } from './public-grid.tsx'
import { PublicHeader } from './public-header.tsx'
import { PUBLIC_PAGE } from './public-layout.ts'
import { RankMenu, rankChoices } from './rank-menu.tsx'
import { RankingsPanel } from './rankings-panel.tsx'
import { ShareEmpty } from './share-states.tsx'
import { useBallot } from './use-ballot.ts'
import { VOTING_CAPTION_HEIGHT, VotingCard } from './voting-card.tsx'

interface SharedFolderProps {
  share: Share
  shareCode: string
  fingerprint: string
}

/** What a vote needs; the first pictures precede it. */
function loadVoting(): void {
  rankChoices.load().catch(() => {})
  loadToaster()
}

/** The voting page of a folder: its texts, the voter's ranks, the photos. */
export function SharedFolder({ share, shareCode, fingerprint }: SharedFolderProps) {
  const { folder, photos } = share
  const client = useQueryClient()
  const { ballot, castVote } = useBallot(share, shareCode, fingerprint)
  const ranks = photosByRank(ballot)
  const grid = useRef<PublicGridHandle>(null)
  const [search] = useSearchParams()
  // A link can open one photo.
  const [openId, setOpenId] = useState(Number(search.get('photo')) || null)
  const open = photos.find(({ id }) => id === openId)

  /** A rejected picture may mean a withdrawn link: checks at once. Many rejections cause one request. */
  function revalidate(): void {
    client.invalidateQueries({ queryKey: shareQuery(shareCode, fingerprint).queryKey }, { cancelRefetch: false })
  }

  const menuOf = (photo: PublicPhoto) => (
    <RankMenu
      photo={photo}
      ranks={ranks}
      closed={!folder.votingOpen}
      onVote={(rank) => castVote({ photoId: photo.id, rank })}
    />
  )

  return (
    <div className={`${PUBLIC_PAGE} max-sm:pb-24`}>
      <PublicHeader badge={<SharedFolderBadge />} {...folder} count={countOf(photos.length, 'photo')} />
      {photos.length === 0 ? (
        <ShareEmpty />
      ) : (
        <>
          <RankingsPanel
            ranks={ranks}
            photos={photos}
            closed={!folder.votingOpen}
            onOpen={({ id }) => setOpenId(id)}
            onChoose={() => grid.current?.focusControl(({ id }) => !ballot[id], '[data-rank]')}
          />
          <h2 className="sr-only">Photos</h2>
          <div className="pt-7">
            <PublicGrid ref={grid} photos={photos} captionHeight={VOTING_CAPTION_HEIGHT} onWindowFilled={loadVoting}>
              {(photo, inFirstRow) => (
                <VotingCard
                  photo={photo}
                  inFirstRow={inFirstRow}
                  onOpen={() => setOpenId(photo.id)}
                  onPictureError={revalidate}
                >
                  {menuOf(photo)}
                </VotingCard>
              )}
            </PublicGrid>
          </div>
        </>
      )}
      {open && (
        <LazyPhotoViewer
          shareCode={shareCode}
          photos={photos}
          photo={open}
          onShow={({ id }) => setOpenId(id)}
          onClose={() => setOpenId(null)}
          onPictureError={revalidate}
        >
          {menuOf(open)}
        </LazyPhotoViewer>
      )}
    </div>
  )
}
