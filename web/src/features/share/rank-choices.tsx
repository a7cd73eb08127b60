import { ArrowUpDown, Trash2 } from 'lucide-react'
import { Fragment } from 'react'
import type { PhotosByRank, Rank } from '../../api/types.ts'
import { RANKS, type RankState, rankState, type Vote } from '../../api/votes.ts'
import { RANK_NAMES, RankMark } from '../../components/ui/badge.tsx'
import { MenuItem, MenuLabel, MenuSeparator } from '../../components/ui/menu.tsx'

const HINTS: Partial<Record<RankState, string>> = { replaces: 'Will replace current', held: 'Held by another photo' }

interface RankChoicesProps {
  photoId: number
  ranks: PhotosByRank
  titleOf: (photoId: number) => string
  /** The photo's current rank. */
  own: Rank | undefined
  onVote: (choice: Omit<Vote, 'photoId'>) => void
}

/** The choices in the menu of a photo's ranks. A rank of another photo is disabled for a ranked one, which can swap. */
export function RankChoices({ photoId, ranks, titleOf, own, onVote }: RankChoicesProps) {
  return (
    <>
      {own && <MenuLabel>Change your vote</MenuLabel>}
      {RANKS.map((rank) => {
        const state = rankState(ranks, rank, photoId)
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
