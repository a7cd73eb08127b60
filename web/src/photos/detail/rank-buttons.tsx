import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ComponentProps, useState } from 'react'
import { foldersQuery, ownRanksQuery } from '../../api/queries.ts'
import type { Photo, Rank } from '../../api/types.ts'
import { ballotFromRanks, photosByRank, RANKS } from '../../api/votes.ts'
import { RANK_COLOURS, RANK_LABELS, RANK_NAMES, RankMark } from '../../components/ui/badge.tsx'
import { cx } from '../../lib/cx.ts'
import { voterFingerprint } from '../../lib/voter-fingerprint.ts'
import { useVotes } from '../use-votes.ts'

const NO_RANKS = { first: 0, second: 0, third: 0 }

/** The owner's own ballot in the photo's folder. Without a folder there is none: the buttons stay, disabled. */
export function RankButtons({ photo: { id, folderId } }: { photo: Photo }) {
  return (
    <fieldset aria-label="Your ranking of this photo" className="flex min-w-0 gap-2">
      {folderId === null ? (
        RANKS.map((rank) => <RankButton key={rank} rank={rank} title="A photo in a folder can be ranked" disabled />)
      ) : (
        <FolderRankButtons key={folderId} photoId={id} folderId={folderId} />
      )}
    </fieldset>
  )
}

/** A rank that another photo holds cannot be taken here, and none while voting is closed. */
function FolderRankButtons({ photoId, folderId }: { photoId: number; folderId: number }) {
  const client = useQueryClient()
  const [fingerprint] = useState(voterFingerprint)
  const query = ownRanksQuery(folderId, fingerprint)
  const own = useQuery({ ...query, enabled: fingerprint !== '' })
  const isClosed = useQuery(foldersQuery).data?.some(({ id, votingOpen }) => id === folderId && !votingOpen)
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
  return RANKS.map((rank) => {
    const holds = ranks[rank] === photoId
    const held = ranks[rank] !== 0 && !holds
    const state = held ? ': held by another photo' : holds ? ': click to remove' : ''
    return (
      <RankButton
        key={rank}
        rank={rank}
        title={isClosed ? 'Voting is closed' : RANK_NAMES[rank] + state}
        holds={holds}
        disabled={isClosed || held || own.isLoading}
        onClick={() => castVote({ photoId, rank: holds ? '' : rank })}
      />
    )
  })
}

function RankButton(props: ComponentProps<'button'> & { rank: Rank; holds?: boolean; onClick?: () => void }) {
  const { rank, title, holds = false, disabled, onClick } = props
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
      <span>{RANK_LABELS[rank]}</span>
    </button>
  )
}
