import { ChevronDown, Trash2 } from 'lucide-react'
import type { Places, PublicPhoto, Rank } from '../../api/types.ts'
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../components/ui/menu.tsx'
import { RANK_COLOURS, RankMark } from '../../components/ui/rank-mark.tsx'
import { PLACE_NAMES, placeState, RANKS } from '../../lib/ballot.ts'
import { cx } from '../../lib/cx.ts'

const HINTS = { own: undefined, free: undefined, replaces: 'Will replace current', held: 'Held by another photo' }

interface RankMenuProps {
  photo: PublicPhoto
  places: Places
  onVote: (rank: Rank | '') => void
  /** The button's id: an empty place leads the voter to it. */
  id?: string
}

/** Gives a photo a place, or changes or removes the one it has. */
export function RankMenu({ photo, places, onVote, id }: RankMenuProps) {
  const own = RANKS.find((rank) => places[rank] === photo.id)
  const title = photo.title || 'Untitled photo'
  return (
    <Menu
      trigger={
        <button
          type="button"
          id={id}
          aria-label={own ? `${PLACE_NAMES[own]}: change your vote for ${title}` : `Rank ${title}`}
          className={cx(
            'inline-flex h-11 shrink-0 items-center gap-2 rounded-full px-3.5 text-sm font-semibold shadow-low transition sm:h-9 [&>svg]:size-3.5',
            own ? RANK_COLOURS[own] : 'bg-surface inset-ring inset-ring-line hover:bg-sunken',
          )}
        >
          {own ? PLACE_NAMES[own] : 'Rank'}
          <ChevronDown aria-hidden />
        </button>
      }
    >
      {own && <MenuLabel>Change your vote</MenuLabel>}
      {RANKS.map((rank) => {
        const state = placeState(places, rank, photo.id)
        return (
          <MenuItem
            key={rank}
            icon={<RankMark rank={rank} />}
            hint={HINTS[state]}
            disabled={state === 'held'}
            checked={state === 'own'}
            onSelect={() => state !== 'own' && onVote(rank)}
          >
            {PLACE_NAMES[rank]}
          </MenuItem>
        )
      })}
      {own && (
        <>
          <MenuSeparator />
          <MenuItem icon={<Trash2 />} danger onSelect={() => onVote('')}>
            Remove vote
          </MenuItem>
        </>
      )}
    </Menu>
  )
}
