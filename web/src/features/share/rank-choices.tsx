import { Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { RANKS, type RankState, rankState } from '../../api/ballot.ts'
import type { PhotosByRank, Rank } from '../../api/types.ts'
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../components/ui/menu.tsx'
import { RANK_NAMES, RankMark } from '../../components/ui/rank-mark.tsx'

const HINTS: Partial<Record<RankState, string>> = { replaces: 'Will replace current', held: 'Held by another photo' }

interface RankChoicesProps {
  photoId: number
  ranks: PhotosByRank
  /** The photo's current rank. */
  own: Rank | undefined
  onVote: (rank: Rank | '') => void
  trigger: ReactNode
}

/** The menu of a photo's ranks, initially open. */
export function RankChoices({ photoId, ranks, own, onVote, trigger }: RankChoicesProps) {
  return (
    <Menu trigger={trigger} startsOpen>
      {own && <MenuLabel>Change your vote</MenuLabel>}
      {RANKS.map((rank) => {
        const state = rankState(ranks, rank, photoId)
        return (
          <MenuItem
            key={rank}
            icon={<RankMark rank={rank} />}
            hint={HINTS[state]}
            disabled={state === 'held'}
            checked={state === 'own'}
            onSelect={() => state !== 'own' && onVote(rank)}
          >
            {RANK_NAMES[rank]}
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
