import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { shareQuery } from '../../api/queries.ts'
import type { PublicPhoto, Share } from '../../api/types.ts'
import { photosByRank } from '../../api/votes.ts'
import { loadMenus } from '../../components/ui/menu.tsx'
import { loadToaster } from '../../components/ui/toast.tsx'
import { whenFirstScreenIsComplete } from '../../lib/first-screen.ts'
import { countOf } from '../../lib/format.ts'
import { useOpenPhoto } from '../../photos/use-open-photo.ts'
import { SharedFolderBadge } from './badges.tsx'
import { PhotoViewer } from './lazy-photo-viewer.tsx'
import { PublicMap } from './lazy-public-map.tsx'
import { isMapOffered, MapSwitch } from './map-switch.tsx'
import { PublicGrid, type PublicGridHandle } from './public-grid.tsx'
import { PublicHeader } from './public-header.tsx'
import { PUBLIC_PAGE } from './public-layout.ts'
import { RankMenu } from './rank-menu.tsx'
import { RankingsPanel } from './rankings-panel.tsx'
import { ShareEmpty } from './share-states.tsx'
import { useArmedRank } from './use-armed-rank.ts'
import { titleOf, useBallot } from './use-ballot.ts'
import { VOTING_CAPTION_HEIGHT, VotingCard } from './voting-card.tsx'

interface SharedFolderProps {
  share: Share
  shareCode: string
  fingerprint: string
}

/** What a vote needs; the first pictures precede it. */
function loadVoting(): void {
  loadMenus()
  loadToaster()
}

/** The voting page of a folder: its texts, the voter's ranks, the photos. */
export function SharedFolder({ share, shareCode, fingerprint }: SharedFolderProps) {
  const { folder, photos } = share
  const client = useQueryClient()
  const { ballot, castVote } = useBallot(share, shareCode, fingerprint)
  const ranks = photosByRank(ballot)
  const [armed, setArmed] = useArmedRank(ranks, !folder.votingOpen)
  const grid = useRef<PublicGridHandle>(null)
  const opened = useOpenPhoto()
  const [isMap, setMap] = useState(false)
  const hasMap = isMapOffered(folder.showMap, photos)
  const open = photos.find(({ id }) => id === opened.id)
  useEffect(() => whenFirstScreenIsComplete(loadVoting), [])

  /** A rejected picture may mean a withdrawn link: checks at once. Many rejections cause one request. */
  function revalidate(): void {
    client.invalidateQueries({ queryKey: shareQuery(shareCode, fingerprint).queryKey }, { cancelRefetch: false })
  }

  function openPhoto(photo: PublicPhoto): void {
    setArmed(null)
    opened.open(photo)
  }

  /** A click on a photo of the list opens it, or gives it the armed rank. */
  function clickPhoto(photo: PublicPhoto): void {
    if (armed) {
      castVote({ photoId: photo.id, rank: armed })
      setArmed(null)
    } else openPhoto(photo)
  }

  const menuOf = (photo: PublicPhoto) => (
    <RankMenu
      photo={photo}
      ranks={ranks}
      titleOf={(photoId) => titleOf(share, photoId)}
      closed={!folder.votingOpen}
      onVote={(choice) => castVote({ photoId: photo.id, ...choice })}
    />
  )

  return (
    <div className={`${PUBLIC_PAGE} max-sm:pb-36`}>
      <PublicHeader badge={<SharedFolderBadge />} {...folder} count={countOf(photos.length, 'photo')} />
      {photos.length === 0 ? (
        <ShareEmpty />
      ) : (
        <>
          <RankingsPanel
            ranks={ranks}
            photos={photos}
            closed={!folder.votingOpen}
            armed={armed}
            onOpen={openPhoto}
            onArm={setArmed}
          />
          <h2 className="sr-only">Photos</h2>
          {hasMap && <MapSwitch isMap={isMap} onChange={setMap} />}
          {/* What gets the focus is scrolled out from under the panel. */}
          <div className="pt-7 max-sm:[&_button]:scroll-mb-36 roomy:[&_button]:scroll-mt-54">
            {hasMap && isMap ? (
              <PublicMap shareCode={shareCode} photos={photos} onOpen={clickPhoto} />
            ) : (
              <PublicGrid ref={grid} photos={photos} captionHeight={VOTING_CAPTION_HEIGHT}>
                {(photo, inFirstRow) => (
                  <VotingCard
                    photo={photo}
                    inFirstRow={inFirstRow}
                    armed={armed}
                    onClick={() => clickPhoto(photo)}
                    onPictureError={revalidate}
                  >
                    {menuOf(photo)}
                  </VotingCard>
                )}
              </PublicGrid>
            )}
          </div>
        </>
      )}
      {open && (
        <PhotoViewer
          shareCode={shareCode}
          photos={photos}
          photo={open}
          showMap={folder.showMap}
          onShow={opened.step}
          onClose={opened.close}
          onReturn={({ id }) => grid.current?.focusPicture(id)}
          onPictureError={revalidate}
        >
          {menuOf(open)}
        </PhotoViewer>
      )}
    </div>
  )
}
