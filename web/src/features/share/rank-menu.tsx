import { ArrowUpDown, ChevronDown, Trash2 } from 'lucide-react'
import { type ComponentProps, Fragment } from 'react'
import type { PhotosByRank, PublicPhoto, Rank } from '../../api/types.ts'
import { RANKS, type RankState, rankState, type Vote } from '../../api/votes.ts'
import { RANK_COLOURS, RANK_NAMES, RankMark } from '../../components/ui/badge.tsx'
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../components/ui/menu.tsx'
import { cx } from '../../lib/cx.ts'

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

interface RankButtonProps extends ComponentProps<'button'> {
  photo: PublicPhoto
  own: Rank | undefined
}

function RankButton({ photo, own, ...props }: RankButtonProps) {
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
      {own ? RANK_NAMES[own] : 'Rank'}
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
                <span className="wrap-anywhere">Swap with {titleOf(ranks[rank])}</span>
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
