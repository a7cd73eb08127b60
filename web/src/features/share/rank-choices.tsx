import { Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Places, Rank } from '../../api/types.ts'
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../components/ui/menu.tsx'
import { RankMark } from '../../components/ui/rank-mark.tsx'
import { PLACE_NAMES, placeState, RANKS } from '../../api/ballot.ts'

const HINTS = { own: undefined, free: undefined, replaces: 'Will replace current', held: 'Held by another photo' }

interface RankChoicesProps {
  photoId: number
  places: Places
  /** The place that the photo holds. */
  own: Rank | undefined
  onVote: (rank: Rank | '') => void
  trigger: ReactNode
}

/** The menu of a photo's places, open at first. */
export function RankChoices({ photoId, places, own, onVote, trigger }: RankChoicesProps) {
  return (
    <Menu trigger={trigger} startsOpen>
      {own && <MenuLabel>Change your vote</MenuLabel>}
      {RANKS.map((rank) => {
        const state = placeState(places, rank, photoId)
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
