import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ownRanksQuery } from '../../api/queries.ts'
import type { Photo, Rank } from '../../api/types.ts'
import { ballotFromRanks, photosByRank, RANKS } from '../../api/votes.ts'
import { RANK_COLOURS, RANK_NAMES, RankMark } from '../../components/ui/badge.tsx'
import { cx } from '../../lib/cx.ts'
import { voterFingerprint } from '../../lib/voter-fingerprint.ts'
import { useVotes } from '../use-votes.ts'

const NO_RANKS = { first: 0, second: 0, third: 0 }

interface RankButtonsProps {
  photo: Photo
}

/** The owner's own ballot in the photo's folder. Without a folder there is none: the buttons stay, disabled. */
export function RankButtons({ photo }: RankButtonsProps) {
  if (photo.folderId !== null) return <FolderRankButtons key={photo.folderId} photo={photo} folderId={photo.folderId} />
  return (
    <RankRow>
      {RANKS.map((rank) => (
        <RankButton key={rank} rank={rank} title="A photo in a folder can be ranked" holds={false} disabled />
      ))}
    </RankRow>
  )
}

/** A rank that another photo holds cannot be taken here. */
function FolderRankButtons({ photo, folderId }: RankButtonsProps & { folderId: number }) {
  const client = useQueryClient()
  const [fingerprint] = useState(voterFingerprint)
  const query = ownRanksQuery(folderId, fingerprint)
  const own = useQuery({ ...query, enabled: fingerprint !== '' })
  const { ballot, castVote } = useVotes({
    folderId,
    fingerprint,
    confirmed: ballotFromRanks(own.data ?? NO_RANKS),
    queryKey: query.queryKey,
    onConfirmed: (ranks) => client.setQueryData(query.queryKey, ranks),
    // The button of a rank that another photo holds is disabled.
    titleOf: () => 'Another photo',
  })
  const ranks = photosByRank(ballot)

  function rankButton(rank: Rank) {
    const holds = ranks[rank] === photo.id
    const held = ranks[rank] !== 0 && !holds
    const title = held ? `${RANK_NAMES[rank]}: held by another photo` : RANK_NAMES[rank]
    return (
      <RankButton
        key={rank}
        rank={rank}
        title={holds ? `${title}: click to remove` : title}
        holds={holds}
        disabled={held || own.isLoading}
        onClick={() => castVote({ photoId: photo.id, rank: holds ? '' : rank })}
      />
    )
  }

  return <RankRow>{RANKS.map(rankButton)}</RankRow>
}

function RankRow({ children }: { children: ReactNode }) {
  return (
    <fieldset aria-label="Your ranking of this photo" className="flex min-w-0 gap-2">
      {children}
    </fieldset>
  )
}

interface RankButtonProps {
  rank: Rank
  title: string
  /** The photo has this rank. */
  holds: boolean
  disabled: boolean
  onClick?: () => void
}

function RankButton({ rank, title, holds, disabled, onClick }: RankButtonProps) {
  return (
    <button
      type="button"
      title={title}
      aria-pressed={holds}
      // Not `disabled`: the focus would be lost when the next photo is shown.
      aria-disabled={disabled}
      onClick={() => !disabled && onClick?.()}
      className={cx(
        'inline-flex h-11 flex-1 items-center justify-center gap-2 rounded-md text-sm font-semibold transition aria-disabled:cursor-default aria-disabled:opacity-50 sm:h-9',
        holds
          ? cx(RANK_COLOURS[rank], 'ring-2 ring-current')
          : 'inset-ring inset-ring-line not-aria-disabled:hover:bg-sunken',
      )}
    >
      <RankMark rank={rank} className="size-5 text-xs" />
      {LABELS[rank]}
    </button>
  )
}

const LABELS: Record<Rank, string> = { first: 'First', second: 'Second', third: 'Third' }
