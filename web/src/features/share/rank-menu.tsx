import { ChevronDown } from 'lucide-react'
import type { ComponentProps } from 'react'
import type { PhotosByRank, PublicPhoto, Rank } from '../../api/types.ts'
import { RANKS, type Vote } from '../../api/votes.ts'
import { RANK_COLOURS, RANK_NAMES } from '../../components/ui/badge.tsx'
import { Menu } from '../../components/ui/menu.tsx'
import { cx } from '../../lib/cx.ts'
import { RankChoices } from './rank-choices.tsx'

interface RankMenuProps {
  photo: PublicPhoto
  ranks: PhotosByRank
  titleOf: (photoId: number) => string
  /** Voting is closed: the vote is shown and cannot be changed. */
  closed: boolean
  onVote: (choice: Omit<Vote, 'photoId'>) => void
}

/** Ranks a photo, or changes or removes its rank. */
export function RankMenu({ photo, ranks, titleOf, closed, onVote }: RankMenuProps) {
  const own = RANKS.find((rank) => ranks[rank] === photo.id)
  if (closed) return <RankButton photo={photo} own={own} aria-disabled title="Voting is closed" />
  return (
    <Menu trigger={<RankButton photo={photo} own={own} />}>
      <RankChoices photoId={photo.id} ranks={ranks} titleOf={titleOf} own={own} onVote={onVote} />
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
