import { ChevronDown, Plus, X } from 'lucide-react'
import { type ComponentProps, type ReactNode, useState } from 'react'
import type { PhotosByRank, PublicPhoto, Rank } from '../../api/types.ts'
import { RANKS } from '../../api/votes.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { PhotoImage } from '../../components/photo-image.tsx'
import { sourcesForRow } from '../../components/renditions.ts'
import { RANK_COLOURS, RANK_LABELS, RANK_NAMES, RankMark } from '../../components/ui/badge.tsx'
import { Menu } from '../../components/ui/menu.tsx'
import { cx } from '../../lib/cx.ts'
import { altText } from '../../lib/format.ts'
import type { RankMenuProps } from './rank-choices.tsx'

/** The picture of a rank on phones, where it is widest. */
const SLOT_WIDTH = 120
const SLOT =
  'relative flex w-full min-w-0 items-center text-left rounded-md phone:h-14 phone:p-[3px] roomy:gap-3 roomy:p-2'

const RankChoices = lazyComponent(() => import('./rank-choices.tsx').then((code) => code.RankChoices), {
  afterFirstScreen: true,
})

interface RankingsPanelProps {
  ranks: PhotosByRank
  photos: PublicPhoto[]
  /** The visitor cannot vote now. */
  closed: boolean
  /** The rank that the next chosen photo gets. */
  armed: Rank | null
  onOpen: (photo: PublicPhoto) => void
  /** The voter wants to fill an empty rank, or no longer. */
  onArm: (rank: Rank | null) => void
  /** What a voter has to know about the voting. */
  children: ReactNode
}

/**
 * The voter's three ranks: a card above the photos that stays in view, docked within the thumb's reach on phones. On a
 * phone on its side it scrolls away, since there is no room, and is beside the folder's texts. Its upper shadow hides photos between it and the top bar.
 */
export function RankingsPanel({ ranks, photos, closed, armed, onOpen, onArm, children }: RankingsPanelProps) {
  const chosen = RANKS.filter((rank) => ranks[rank] > 0).length
  const mayChoose = !closed && chosen < photos.length
  const [sentence, more] = instruction(armed, chosen, photos.length)
  return (
    <section aria-labelledby="your-rankings" data-dock className="ranks-panel">
      <div className="mb-1.5 flex flex-wrap items-baseline gap-x-2.5 roomy:mb-3">
        <h2 id="your-rankings" className="font-semibold">
          Your Rankings
        </h2>
        {!closed && (
          <p aria-live="polite" className="text-sm text-muted">
            <span>{sentence}</span> <span className="phone:sr-only">{more}</span>
          </p>
        )}
        {children}
      </div>
      <ol className="grid grid-cols-3 gap-2 roomy:gap-3.5 short:gap-1">
        {RANKS.map((rank) => {
          const photo = photos.find(({ id }) => id === ranks[rank])
          return (
            <li key={rank} className="grid min-w-0">
              {photo ? (
                <FilledSlot rank={rank} photo={photo} onOpen={() => onOpen(photo)} />
              ) : (
                <EmptySlot
                  rank={rank}
                  armed={armed === rank}
                  onToggle={mayChoose ? () => onArm(armed === rank ? null : rank) : undefined}
                />
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
        className="aspect-3/2 animate-pop rounded-sm phone:absolute phone:inset-0 phone:aspect-auto roomy:w-[76px] roomy:shrink-0"
      />
      <SlotText rank={rank} filled className="font-semibold phone:sr-only">
        {photo.title || 'Untitled'}
      </SlotText>
    </button>
  )
}

/** An empty rank: pressed, the next clicked photo gets it. Without `onToggle` no photo can fill it. */
function EmptySlot({ rank, armed, onToggle }: { rank: Rank; armed: boolean; onToggle?: () => void }) {
  if (!onToggle) {
    return (
      <div className={`${SLOT} border border-dashed border-line text-muted`}>
        <span aria-hidden className="hidden aspect-3/2 w-[76px] shrink-0 rounded-sm bg-sunken roomy:block" />
        <SlotText rank={rank}>Not chosen</SlotText>
      </div>
    )
  }
  const Icon = armed ? X : Plus
  return (
    <button
      type="button"
      aria-pressed={armed}
      onClick={onToggle}
      className={cx(
        SLOT,
        armed
          ? 'bg-accent-soft text-accent inset-ring-2 inset-ring-accent'
          : 'border border-dashed border-line text-muted hover:border-muted',
      )}
    >
      <span
        aria-hidden
        className={cx(
          'hidden aspect-3/2 w-[76px] shrink-0 place-items-center rounded-sm roomy:grid',
          armed ? 'bg-surface' : 'bg-sunken',
        )}
      >
        <Icon className="size-4" />
      </span>
      <SlotText rank={rank} className="font-semibold">
        Choose
      </SlotText>
      {armed && <X aria-hidden className="mr-1.5 ml-auto size-4 shrink-0 roomy:hidden" />}
    </button>
  )
}

/** On phones a picture fills the slot of a `filled` one. */
function SlotText(props: { rank: Rank; filled?: boolean; className?: string; children: string }) {
  const { rank, filled, className, children } = props
  return (
    <span className={cx('min-w-0', filled ? 'phone:absolute phone:top-1 phone:left-1' : 'phone:pl-1')}>
      <span
        className={cx(
          'flex items-center gap-1.5 text-sm text-muted',
          filled && 'phone:rounded-full phone:bg-surface phone:pr-2',
        )}
      >
        <RankMark rank={rank} className="size-6 text-xs" />
        <span className="truncate">{RANK_LABELS[rank]}</span>
      </span>
      <span className={cx('block truncate', className)}>{children}</span>
    </span>
  )
}

/**
 * What a voter of some photos can do next, with a rank for the next one or after choosing some: one sentence, and one for
 * which phones have no room.
 */
export function instruction(armed: Rank | null, chosen: number, photos: number): [sentence: string, more: string] {
  if (armed) return [`Choose the photo for ${RANK_NAMES[armed]}.`, 'Press the place again, or Escape, to cancel.']
  const more = 'You can change them at any time.'
  if (chosen === 3) return ['All three chosen.', more]
  if (chosen === photos) return ['All photos chosen.', more]
  return [photos < 3 ? 'Choose your favorites.' : 'Choose your three favorites.', more]
}

/** Ranks a photo, or changes or removes its rank. */
export function RankMenu(props: RankMenuProps) {
  const { photo, ranks, closed } = props
  const own = RANKS.find((rank) => ranks[rank] === photo.id)
  if (closed) return <RankButton photo={photo} own={own} aria-disabled title="You cannot vote now" />
  return (
    <Menu trigger={<RankButton photo={photo} own={own} />}>
      <RankChoices {...props} own={own} />
    </Menu>
  )
}

function RankButton({ photo, own, ...props }: ComponentProps<'button'> & { photo: PublicPhoto; own?: Rank }) {
  const title = photo.title || 'Untitled photo'
  return (
    <button
      type="button"
      data-rank
      aria-label={own ? `${RANK_NAMES[own]}: change your vote for ${title}` : `Rank ${title}`}
      className={cx(
        'inline-flex h-11 shrink-0 items-center gap-2 rounded-full px-3.5 text-sm font-semibold shadow-low transition aria-disabled:cursor-default sm:h-9 [&>svg]:size-3.5',
        own
          ? RANK_COLOURS[own]
          : 'bg-surface inset-ring inset-ring-line not-aria-disabled:hover:bg-sunken aria-disabled:opacity-50',
      )}
      {...props}
    >
      <span>{own ? RANK_NAMES[own] : 'Rank'}</span>
      <ChevronDown aria-hidden />
    </button>
  )
}
