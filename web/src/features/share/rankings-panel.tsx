import { ArrowUpDown, ChevronDown, Lock, Plus, Trash2, X } from 'lucide-react'
import { type ComponentProps, Fragment, useState } from 'react'
import type { PhotosByRank, PublicPhoto, Rank } from '../../api/types.ts'
import { RANKS, type RankState, rankState, type Vote } from '../../api/votes.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { sourcesForRow } from '../../components/renditions.ts'
import { RANK_COLOURS, RANK_LABELS, RANK_NAMES, RankMark } from '../../components/ui/badge.tsx'
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../components/ui/menu.tsx'
import { cx } from '../../lib/cx.ts'
import { altText } from '../../lib/format.ts'

/** The picture of a rank on phones, where it is widest. */
const SLOT_WIDTH = 120
const END = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short' })
const SLOT =
  'relative flex w-full min-w-0 items-center text-left rounded-md phone:h-14 phone:p-[3px] roomy:gap-3 roomy:p-2'

interface RankingsPanelProps {
  ranks: PhotosByRank
  photos: PublicPhoto[]
  closed: boolean
  /** When voting ends; null: when the owner closes it. */
  until: string | null
  /** The rank that the next chosen photo gets. */
  armed: Rank | null
  onOpen: (photo: PublicPhoto) => void
  /** The voter wants to fill an empty rank, or no longer. */
  onArm: (rank: Rank | null) => void
}

/**
 * The voter's three ranks: a card above the photos that stays in view, docked within the thumb's reach on phones. On a
 * phone on its side it scrolls away, since there is no room, and is beside the folder's texts. Its upper shadow hides photos between it and the top bar.
 */
export function RankingsPanel({ ranks, photos, closed, until, armed, onOpen, onArm }: RankingsPanelProps) {
  const chosen = RANKS.filter((rank) => ranks[rank] > 0).length
  const mayChoose = !closed && chosen < photos.length
  const [sentence, more] = instruction(armed, chosen, photos.length, until)
  return (
    <section
      aria-labelledby="your-rankings"
      data-dock
      className="bg-surface ring ring-line max-sm:fixed max-sm:inset-x-2.5 max-sm:bottom-[max(10px,env(safe-area-inset-bottom),calc(10px+var(--upload-bar,0px)))] z-20 rounded-lg phone:p-2.5 max-sm:shadow-high roomy:sticky roomy:top-[68px] roomy:mt-6 roomy:p-4 roomy:shadow-[0_-10px_var(--bg),var(--shadow-1)] short:shadow-low"
    >
      <div className={cx('mb-1.5 flex flex-wrap gap-x-2.5 roomy:mb-3', closed ? 'items-center' : 'items-baseline')}>
        <h2 id="your-rankings" className="font-semibold">
          Your Rankings
        </h2>
        {closed ? (
          <p className="flex items-center gap-2 text-sm">
            <Lock aria-hidden className="size-4 shrink-0 text-muted" />
            <span>
              <span className="font-semibold">Voting is closed.</span> Your rankings stay as they are.
            </span>
          </p>
        ) : (
          <p aria-live="polite" className="text-sm text-muted">
            <span>{sentence}</span> <span className={until && !armed ? 'phone:block' : 'phone:sr-only'}>{more}</span>
          </p>
        )}
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
export function instruction(
  armed: Rank | null,
  chosen: number,
  photos: number,
  until: string | null = null,
): [sentence: string, more: string] {
  if (armed) return [`Choose the photo for ${RANK_NAMES[armed]}.`, 'Press the place again, or Escape, to cancel.']
  const more = until ? `Voting ends ${END.format(new Date(until))}.` : 'You can change them at any time.'
  if (chosen === 3) return ['All three chosen.', more]
  if (chosen === photos) return ['All photos chosen.', more]
  return [photos < 3 ? 'Choose your favorites.' : 'Choose your three favorites.', more]
}

interface RankMenuProps {
  photo: PublicPhoto
  ranks: PhotosByRank
  titleOf: (photoId: number) => string
  /** Voting is closed: the vote is shown and cannot be changed. */
  closed: boolean
  onVote: (choice: Omit<Vote, 'photoId'>) => void
}

/** Ranks a photo, or changes or removes its rank. */
export function RankMenu(props: RankMenuProps) {
  const { photo, ranks, closed } = props
  const own = RANKS.find((rank) => ranks[rank] === photo.id)
  if (closed) return <RankButton photo={photo} own={own} aria-disabled title="Voting is closed" />
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

const HINTS: Partial<Record<RankState, string>> = { replaces: 'Will replace current', held: 'Held by another photo' }

/** The choices in the menu of a photo's ranks. A rank of another photo is disabled for a ranked one, which can swap. */
function RankChoices({ photo, ranks, titleOf, own, onVote }: RankMenuProps & { own: Rank | undefined }) {
  return (
    <>
      {own && <MenuLabel>Change your vote</MenuLabel>}
      {RANKS.map((rank) => {
        const state = rankState(ranks, rank, photo.id)
        return (
          <Fragment key={rank}>
            <MenuItem
              icon={<RankMark rank={rank} />}
              hint={HINTS[state]}
              disabled={state === 'held'}
              checked={state === 'own'}
              onSelect={() => state !== 'own' && onVote({ rank })}
            >
              {RANK_NAMES[rank]}
            </MenuItem>
            {state === 'held' && (
              <MenuItem icon={<ArrowUpDown />} onSelect={() => onVote({ rank, swap: true })}>
                <span className="wrap-anywhere">{`Swap with ${titleOf(ranks[rank])}`}</span>
              </MenuItem>
            )}
          </Fragment>
        )
      })}
      {own && (
        <>
          <MenuSeparator />
          <MenuItem icon={<Trash2 />} danger onSelect={() => onVote({ rank: '' })}>
            Remove vote
          </MenuItem>
        </>
      )}
    </>
  )
}
