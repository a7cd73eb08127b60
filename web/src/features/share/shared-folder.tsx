import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Images, MapPin } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { activeUserQuery, shareQuery } from '../../api/queries.ts'
import type { PhotosByRank, PublicPhoto, Rank, Share } from '../../api/types.ts'
import { type Ballot, ballotFromRanks, photosByRank } from '../../api/votes.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { sourcesForBox } from '../../components/renditions.ts'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { loadMenus } from '../../components/ui/menu.tsx'
import { loadToaster } from '../../components/ui/toast.tsx'
import { whenFirstScreenIsComplete } from '../../lib/first-screen.ts'
import { countOf, formatPlace } from '../../lib/format.ts'
import { prerenderedFolder } from '../../lib/served-page.ts'
import { useOpenPhoto } from '../../photos/use-open-photo.ts'
import { useVotes } from '../../photos/use-votes.ts'
import { mayVote } from './link-rules.ts'
import {
  DownloadAll,
  PhotoViewer,
  PublicCard,
  PublicGridSkeleton,
  PublicHeader,
  PublicPhotos,
  photoWithId,
  useRevalidate,
} from './public-folder.tsx'
import { COVER_BOX, PUBLIC_PAGE, RANKS_ROOM, SHARE_HEAD } from './public-layout.ts'
import { RankingsPanel, RankMenu } from './rankings-panel.tsx'

// Only where there is more to say than that anyone may vote.
const VotingNote = lazyComponent(() => import('./contest.ts').then((code) => code.VotingNote), {
  afterFirstScreen: true,
})

/** Of two lines of text under a picture, in pixels. */
const CAPTION_HEIGHT = 54

/** The voting page of a folder: its texts, the voter's ranks, the photos. */
export function SharedFolder({ share, ...link }: { share: Share; shareCode: string; fingerprint: string }) {
  const { folder, photos } = share
  const { shareCode, fingerprint } = link
  const client = useQueryClient()
  const { queryKey } = shareQuery(shareCode, fingerprint)
  const titleOf = (photoId: number) => photos.find(({ id }) => id === photoId)?.title || 'Untitled'
  const { ballot, castVote } = useVotes({
    folderId: folder.id,
    ...link,
    confirmed: share.voteCounts as Ballot,
    queryKey,
    titleOf,
    onConfirmed: (ranks) =>
      client.setQueryData(queryKey, (old) => old && { ...old, voteCounts: ballotFromRanks(ranks) }),
  })
  const ranks = photosByRank(ballot)
  const { data: user } = useQuery(activeUserQuery)
  const closed = !mayVote(share, user)
  const [armed, setArmed] = useArmedRank(ranks, closed)
  const hasNote = closed || folder.voters !== 'anyone' || folder.closesAt !== null || folder.show !== 'never'
  // What may be voted, and who sees it, is said before the first vote.
  useEffect(() => {
    if (hasNote) VotingNote.need()
  }, [hasNote])
  const focusPicture = useRef<(photoId: number) => void>(null)
  const opened = useOpenPhoto()
  const open = photoWithId(photos, opened.id)
  const cover = photoWithId(photos, folder.coverPhotoId)
  const revalidate = useRevalidate(queryKey)
  // What a vote needs; the first pictures precede it.
  useEffect(() => whenFirstScreenIsComplete(loadMenus), [])
  useEffect(() => whenFirstScreenIsComplete(loadToaster), [])

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
      titleOf={titleOf}
      closed={closed}
      onVote={(choice) => castVote({ photoId: photo.id, ...choice })}
    />
  )

  return (
    <div className={PUBLIC_PAGE}>
      <div className={SHARE_HEAD}>
        <PublicHeader
          voting
          {...folder}
          count={countOf(photos.length, 'photo')}
          cover={cover && sourcesForBox(COVER_BOX, cover)}
        >
          <DownloadAll shareCode={shareCode} folder={folder} photos={photos} />
        </PublicHeader>
        {photos.length > 0 && (
          <RankingsPanel
            ranks={ranks}
            photos={photos}
            closed={closed}
            armed={armed}
            onOpen={openPhoto}
            onArm={setArmed}
          >
            {hasNote && <VotingNote share={share} user={user} {...link} />}
          </RankingsPanel>
        )}
      </div>
      {photos.length === 0 ? (
        <EmptyState
          icon={<Images />}
          title="No Photos Yet"
          description="This folder has no photos to vote for. They appear here as soon as the owner adds some."
        />
      ) : (
        <PublicPhotos
          shareCode={shareCode}
          photos={photos}
          showMap={folder.showMap}
          captionHeight={CAPTION_HEIGHT}
          focusPicture={focusPicture}
          onOpen={clickPhoto}
          className="clear-of-ranks"
        >
          {(photo, inFirstRow) => (
            <PublicCard
              photo={photo}
              inFirstRow={inFirstRow}
              armed={armed}
              onClick={() => clickPhoto(photo)}
              onPictureError={revalidate}
              menu={menuOf(photo)}
            >
              <Place name={formatPlace(photo)} />
            </PublicCard>
          )}
        </PublicPhotos>
      )}
      {open && (
        <PhotoViewer
          shareCode={shareCode}
          photos={photos}
          photo={open}
          folder={folder}
          onShow={opened.step}
          onClose={opened.close}
          onReturn={({ id }) => focusPicture.current?.(id)}
          onPictureError={revalidate}
        >
          {menuOf(open)}
        </PhotoViewer>
      )}
    </div>
  )
}

function Place({ name }: { name: string | null }) {
  if (name === null) return null
  return (
    <p className="flex items-center gap-1.5 text-sm text-muted">
      <MapPin aria-hidden className="size-3.5 shrink-0" />
      <span className="truncate">{name}</span>
    </p>
  )
}

/** The skeleton of a shared folder, with the texts and pictures that the server rendered. */
export function ShareSkeleton() {
  const prerendered = prerenderedFolder()
  return (
    <div className={PUBLIC_PAGE}>
      <div className={SHARE_HEAD}>
        {prerendered ? (
          <PublicHeader voting {...prerendered} />
        ) : (
          <div>
            <Skeleton className="h-6 w-32 rounded-full" />
            <Skeleton className="mt-4 h-9 w-80 max-w-full" />
            <Skeleton className="mt-3 h-5 w-24" />
          </div>
        )}
        <Skeleton className={`rounded-lg ${RANKS_ROOM}`} />
      </div>
      <div role="status" aria-label="Loading the shared folder">
        <PublicGridSkeleton />
      </div>
    </div>
  )
}

/**
 * The empty rank that the next chosen photo gets, and a function that sets it. Escape ends it, and so does a photo that
 * gets the rank in another way.
 */
function useArmedRank(ranks: PhotosByRank, closed: boolean) {
  const [armed, setArmed] = useState<Rank | null>(null)
  if (armed && (closed || ranks[armed] !== 0)) setArmed(null)

  useEffect(() => {
    if (!armed) return
    // An open menu takes Escape for itself.
    const end = (event: KeyboardEvent) => event.key === 'Escape' && !event.defaultPrevented && setArmed(null)
    addEventListener('keydown', end)
    return () => removeEventListener('keydown', end)
  }, [armed])

  return [armed, setArmed] as const
}
