import { useQueryClient } from '@tanstack/react-query'
import { shareQuery } from '../../api/queries.ts'
import type { Share } from '../../api/types.ts'
import { type Ballot, ballotFromRanks } from '../../api/votes.ts'
import { useVotes } from '../../photos/use-votes.ts'

/** This visitor's ballot on the voting page, and a function that votes. */
export function useBallot(share: Share, shareCode: string, fingerprint: string) {
  const client = useQueryClient()
  const { queryKey } = shareQuery(shareCode, fingerprint)
  return useVotes({
    folderId: share.folder.id,
    fingerprint,
    shareCode,
    confirmed: share.voteCounts as Ballot,
    queryKey,
    titleOf: (photoId) => titleOf(share, photoId),
    onConfirmed: (ranks) =>
      client.setQueryData(queryKey, (old) => old && { ...old, voteCounts: ballotFromRanks(ranks) }),
  })
}

/** The title of a photo of the folder. */
export function titleOf({ photos }: Share, photoId: number): string {
  return photos.find(({ id }) => id === photoId)?.title || 'Untitled'
}
