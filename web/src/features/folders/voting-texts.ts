import type { VoterCounts } from '../../api/folders.ts'
import type { Rank, Voter, VotingEntry } from '../../api/types.ts'
import { countOf, formatNumber } from '../../lib/format.ts'

export const PLACES: readonly { rank: Rank; label: string }[] = [
  { rank: 'first', label: '1st' },
  { rank: 'second', label: '2nd' },
  { rank: 'third', label: '3rd' },
]

/** 'Voter 3F9A21': enough to distinguish the voters of a folder. */
export function voterName(voter: string): string {
  return `Voter ${voter.slice(0, 6).toUpperCase()}`
}

/** '11 voters, 1 excluded': the excluded one is not among the 11. `textOf` formats the 11. */
export function votersText({ total, excluded }: VoterCounts, textOf = (voters: number) => countOf(voters, 'voter')) {
  return textOf(total - excluded) + (excluded > 0 ? `, ${formatNumber(excluded)} excluded` : '')
}

/** Labels of the flags and what they may mean; none is a proof. */
export const FLAGS: Record<Voter['flags'][number], { label: string; explanation: string }> = {
  burst: {
    label: 'Part of a burst',
    explanation:
      'Many new ballots came from one network within seconds. A script does that; so does a club that votes together on one Wi-Fi. Compare their choices.',
  },
  crowd: {
    label: 'One of many from one network',
    explanation:
      'Very many ballots came from this network within an hour, more than one person should need. A patient script does that; so does a large office or a mobile network.',
  },
  'no-page': {
    label: 'Voted without the page',
    explanation:
      'The browser that made this ballot never loaded the page of a folder. A script does that; so does a browser whose cookies were deleted while the page was open.',
  },
  alike: {
    label: 'Like others from its network',
    explanation:
      'Nearly all of the many ballots from this network have the same choices, which few others make. Somebody who votes again and again does that; so does a club that votes for its own photo.',
  },
  'token-mismatch': {
    label: 'Changed browser',
    explanation:
      'This ballot was changed from a browser with another token than the one that made it. Deleted cookies do that; so does somebody who votes in another’s name.',
  },
  'shared-token': {
    label: 'Several ballots from one browser',
    explanation:
      'The same browser holds other ballots in this folder. A family that shares a tablet does that; so does somebody who votes more than once.',
  },
}

export const OWN_BALLOT_HINT = 'Your own ballot. It counts like any other.'
export const EXCLUDED_HINT =
  'You took this ballot out of the standings. Its voter does not notice and may still change it; it adds nothing until you restore it.'

export function describeEntry({ action, voter, ballots, note }: VotingEntry): string {
  const whose = voter ? voterName(voter) : countOf(ballots ?? 0, 'ballot')
  return {
    excluded: `Excluded ${whose}`,
    restored: `Restored ${whose}`,
    reset: 'Reset all votes',
    opened: 'Opened the voting',
    closed: 'Closed the voting',
    changed: `Changed ${note ?? 'the contest'}`,
    withdrawn: 'Withdrew an invitation',
  }[action]
}
