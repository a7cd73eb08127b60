import { Lock, Plus } from 'lucide-react'
import { useState } from 'react'
import { RANKS } from '../../api/ballot.ts'
import type { PhotosByRank, PublicPhoto, Rank } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { RANK_NAMES, RankMark } from '../../components/ui/rank-mark.tsx'
import { cx } from '../../lib/cx.ts'
import { altText } from '../../lib/format.ts'
import { sourcesForRow } from '../../photos/renditions.ts'

const COLUMN_NAMES: Record<Rank, string> = { first: 'First', second: 'Second', third: 'Third' }
/** The picture of a rank on phones, where it is widest. */
const SLOT_WIDTH = 120
const SLOT =
  'relative flex w-full min-w-0 items-center text-left rounded-md max-sm:h-14 max-sm:justify-center sm:gap-3 sm:p-2'

interface RankingsPanelProps {
  ranks: PhotosByRank
  photos: PublicPhoto[]
  /** Voting is closed. */
  closed: boolean
  onOpen: (photo: PublicPhoto) => void
  /** The voter wants to fill an empty rank. */
  onChoose: () => void
}

/** The voter's three ranks: a card above the photos, docked within the thumb's reach on phones. */
export function RankingsPanel({ ranks, photos, closed, onOpen, onChoose }: RankingsPanelProps) {
  const chosen = RANKS.filter((rank) => ranks[rank] > 0).length
  const mayChoose = !closed && chosen < photos.length
  return (
    <section
      aria-labelledby="your-rankings"
      className="bg-surface ring ring-line max-sm:fixed max-sm:inset-x-2.5 max-sm:bottom-[max(10px,env(safe-area-inset-bottom))] max-sm:z-20 max-sm:rounded-lg max-sm:p-2.5 max-sm:shadow-high sm:mt-6 sm:rounded-lg sm:p-4 sm:shadow-low"
    >
      <div
        className={cx('sm:mb-3 sm:flex sm:flex-wrap sm:gap-x-2.5', closed ? 'sm:items-center' : 'sm:items-baseline')}
      >
        <h2 id="your-rankings" className="font-semibold max-sm:sr-only">
          Your Rankings
        </h2>
        {closed ? (
          <ClosedNote />
        ) : (
          <p className="text-sm text-muted max-sm:sr-only">
            Choose your three favourites. You can change them at any time.
          </p>
        )}
      </div>
      <ol className="grid grid-cols-3 gap-2 sm:gap-3.5">
        {RANKS.map((rank) => {
          const photo = photos.find(({ id }) => id === ranks[rank])
          return (
            <li key={rank} className="grid min-w-0">
              {photo ? (
                <FilledSlot rank={rank} photo={photo} onOpen={() => onOpen(photo)} />
              ) : (
                <EmptySlot rank={rank} onChoose={mayChoose ? onChoose : undefined} />
              )}
            </li>
          )
        })}
      </ol>
      <RanksAnnouncement ranks={ranks} photos={photos} />
    </section>
  )
}

/**
 * Announces the ranks to screen readers after each change, including photos that lost their rank and votes that were
 * rolled back.
 */
function RanksAnnouncement({ ranks, photos }: Pick<RankingsPanelProps, 'ranks' | 'photos'>) {
  const held = RANKS.flatMap((rank) => {
    const photo = photos.find(({ id }) => id === ranks[rank])
    return photo ? `${RANK_NAMES[rank]} ${photo.title || 'Untitled'}` : []
  })
  const sentence = `Your rankings: ${held.join(', ') || 'no photo chosen'}.`
  const [initial] = useState(sentence)
  const [changed, setChanged] = useState(false)
  if (!changed && sentence !== initial) setChanged(true)
  return (
    <p aria-live="polite" className="sr-only">
      {changed && sentence}
    </p>
  )
}

function FilledSlot({ rank, photo, onOpen }: { rank: Rank; photo: PublicPhoto; onOpen: () => void }) {
  return (
    <button type="button" onClick={onOpen} className={`${SLOT} bg-bg hover:bg-sunken`}>
      <PhotoImage
        key={photo.id}
        {...sourcesForRow(SLOT_WIDTH, photo)}
        alt={altText(photo)}
        thumbhash={photo.thumbhash}
        eager
        className="aspect-3/2 animate-pop rounded-sm max-sm:absolute max-sm:inset-0 max-sm:aspect-auto sm:w-[76px] sm:shrink-0"
      />
      <SlotText rank={rank} text={photo.title || 'Untitled'} textClass="font-semibold max-sm:sr-only" />
    </button>
  )
}

function ClosedNote() {
  return (
    <p className="flex items-center gap-2 text-sm max-sm:mb-2 max-sm:justify-center">
      <Lock aria-hidden className="size-4 shrink-0 text-muted" />
      <span>
        <span className="font-semibold">Voting is closed.</span> Your rankings stay as they are.
      </span>
    </p>
  )
}

/** Leads to a photo that can fill the rank, while voting is possible. */
function EmptySlot({ rank, onChoose }: { rank: Rank; onChoose?: () => void }) {
  const classes = `${SLOT} border border-dashed border-line text-muted sm:p-[7px]`
  if (!onChoose) {
    return (
      <div className={classes}>
        <span aria-hidden className="hidden aspect-3/2 w-[76px] shrink-0 rounded-sm bg-sunken sm:block" />
        <SlotText rank={rank} text="Not chosen" textClass="max-sm:sr-only" />
      </div>
    )
  }
  return (
    <button type="button" onClick={onChoose} className={`${classes} hover:border-muted`}>
      <span aria-hidden className="hidden aspect-3/2 w-[76px] shrink-0 place-items-center rounded-sm bg-sunken sm:grid">
        <Plus className="size-4" />
      </span>
      <span className="pl-6 text-sm font-semibold sm:hidden">Choose</span>
      <SlotText rank={rank} text="Not chosen yet" textClass="max-sm:sr-only" />
    </button>
  )
}

function SlotText({ rank, text, textClass }: { rank: Rank; text: string; textClass: string }) {
  return (
    <span className="min-w-0 max-sm:absolute max-sm:top-1 max-sm:left-1">
      <span className="flex items-center gap-1.5 text-sm text-muted">
        <RankMark rank={rank} className="size-6 text-xs" />
        <span className="max-sm:sr-only">{COLUMN_NAMES[rank]}</span>
      </span>
      <span className={`block truncate ${textClass}`}>{text}</span>
    </span>
  )
}
