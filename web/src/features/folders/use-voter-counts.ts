import { useQuery } from '@tanstack/react-query'
import { contestQuery } from '../../api/contests.ts'
import { type VoterCounts, votersQuery } from '../../api/folders.ts'
import type { Contest } from '../../api/types.ts'

interface VotersOfContest {
  contest: Contest | undefined
  /** Undefined until they are known, and where ballots are secret. */
  voters: VoterCounts | undefined
  /** Invited voters are known by name, so their choices are not listed. Undefined until it is known. */
  isSecret: boolean | undefined
}

/** How many vote in a folder of the user's, where their list is not secret. */
export function useVoterCounts(folderId: number, enabled = true): VotersOfContest {
  const contest = useQuery({ ...contestQuery(folderId), enabled })
  const isKnown = !contest.isPending
  const isSecret = contest.data?.voters === 'invited' && !contest.data.openBallot
  const voters = useQuery({ ...votersQuery(folderId, false), enabled: enabled && isKnown && !isSecret })
  return { contest: contest.data, voters: isSecret ? undefined : voters.data, isSecret: isKnown ? isSecret : undefined }
}
