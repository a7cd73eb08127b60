import { ArrowUpDown, Trash2 } from 'lucide-react'
import { Fragment } from 'react'
import type { PhotosByRank, PublicPhoto, Rank } from '../../api/types.ts'
import { RANKS, type RankState, rankState, type Vote } from '../../api/votes.ts'
import { RANK_NAMES, RankMark } from '../../components/ui/badge.tsx'
import { MenuItem, MenuLabel, MenuSeparator } from '../../components/ui/menu.tsx'
export interface RankMenuProps {
  photo: PublicPhoto
  ranks: PhotosByRank
  titleOf: (photoId: number) => string
  /** The visitor cannot vote now: the vote is shown and cannot be changed. */
  closed: boolean
  onVote: (choice: Omit<Vote, 'photoId'>) => void
}

const HINTS: Partial<Record<RankState, string>> = { replaces: 'Will replace current', held: 'Held by another photo' }

/** The choices in the menu of a photo's ranks. A rank of another photo is disabled for a ranked one, which can swap. */
export function RankChoices({ photo, ranks, titleOf, own, onVote }: RankMenuProps & { own: Rank | undefined }) {
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
