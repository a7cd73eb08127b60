import type { Share, User } from '../../api/types.ts'
import { formatMoment } from '../../lib/zoned-time.ts'

/** Of the exchange of an invitation, which the panel waits for. */
export const invitationKey = (shareCode: string) => ['invitation', shareCode]

interface VotingTexts {
  /** Whether voting is possible, and from or until when. */
  state: string[]
  /** Who votes, or will. */
  voter: string | null
  /** What the visitor lacks for a vote. */
  lacks: 'invitation' | 'user' | null
}

/** What a visitor has to know about the voting. */
export function votingTexts(
  share: Pick<Share, 'folder' | 'invitation' | 'voteCounts'>,
  user: User | null | undefined,
): VotingTexts {
  const { votingOpen, phase, opensAt, closesAt, voters } = share.folder
  const isOver = !votingOpen && phase !== 'before'
  const state: string[] = []
  if (isOver) {
    state.push('Voting is closed.')
    if (Object.keys(share.voteCounts).length > 0) state.push('Your rankings stay as they are.')
  }
  if (phase === 'before' && opensAt) state.push(`Voting opens ${formatMoment(opensAt)}.`)
  if (!isOver && closesAt) state.push(`Voting ends ${formatMoment(closesAt)}.`)
  const named = voters === 'invited' && share.invitation
  const voter = named && !isOver ? `Voting as ${named.name}` : null
  const lacksInvitation = voters === 'invited' && !named
  const lacks = isOver ? null : lacksInvitation ? 'invitation' : voters === 'users' && !user ? 'user' : null
  return { state, voter, lacks }
}

/** Whether a voter sees the standings now, with a vote that the server has confirmed or without one. */
export function showsStandings({ show, phase }: Pick<Share['folder'], 'show' | 'phase'>, hasVoted: boolean): boolean {
  return show === 'always' || (show === 'voted' && hasVoted) || (show === 'closed' && phase === 'closed')
}
