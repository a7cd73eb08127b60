import type { Contest } from '../../api/types.ts'
import { formatMoment } from '../../lib/zoned-time.ts'

type Times = Pick<Contest, 'phase' | 'opensAt' | 'closesAt' | 'closedAt'>

/** 'Voting opens Dec 1, 8:00 PM CET'. */
export function describePhase({ phase, opensAt, closesAt, closedAt }: Times, now?: number): string {
  if (phase === 'before') return opensAt ? `Voting opens ${formatMoment(opensAt, now)}` : 'Voting is not open yet'
  if (phase === 'open') return closesAt ? `Voting is open until ${formatMoment(closesAt, now)}` : 'Voting is open'
  const end = closedAt ?? closesAt
  return end ? `Voting closed at ${formatMoment(end, now)}` : 'Voting is closed'
}

/** The same as a sentence beside what says the phase; empty without a moment. */
export function describeMoment(times: Times, now?: number): string {
  const moment = { before: times.opensAt, open: times.closesAt, closed: times.closedAt ?? times.closesAt }[times.phase]
  const end = times.phase === 'before' && times.closesAt ? ` and closes ${formatMoment(times.closesAt, now)}` : ''
  return moment ? `${describePhase(times, now)}${end}. ` : ''
}

/** The same on a wall: 'Voting ends at 8:00 PM CET'. */
export function announcePhase(times: Times, now?: number): string {
  if (times.phase !== 'open' || !times.closesAt) return describePhase(times, now)
  return `Voting ends at ${formatMoment(times.closesAt, now)}`
}

export const VOTERS: Record<Contest['voters'], { choice: string; hint: string; summary: string }> = {
  anyone: {
    choice: 'Anyone',
    hint: 'Everyone with the voting link, without an account.',
    summary: 'Everyone with the voting link can vote.',
  },
  invited: {
    choice: 'With an invitation',
    hint: 'Each invitation counts once, in whatever browser it is opened.',
    summary: 'Everyone with an invitation can vote once.',
  },
  users: {
    choice: 'Signed-in users',
    hint: 'Everyone with the voting link and an account.',
    summary: 'Everyone with the voting link and an account can vote.',
  },
}

export const SHOWN: Record<Contest['show'], { choice: string; summary: string }> = {
  never: { choice: 'Never', summary: 'Voters do not see the standings.' },
  voted: { choice: 'After voting', summary: 'Voters see the standings once they have voted.' },
  closed: { choice: 'After closing', summary: 'Voters see the standings once voting is closed.' },
  always: { choice: 'Always', summary: 'Voters always see the standings.' },
}

export const ORDERS: Record<Contest['order'], { choice: string; hint: string }> = {
  added: { choice: 'Newest first', hint: 'What was added last comes first.' },
  taken: { choice: 'Date taken', hint: 'By the camera’s date, the oldest first.' },
  own: { choice: 'By hand', hint: 'As you arrange them.' },
  shuffled: { choice: 'Shuffled for each voter', hint: 'Each voter’s browser has an order of its own, which stays.' },
}

/** Who votes and what they see, in sentences. */
export function describeRules({ voters, openBallot, show }: Contest, isPublic: boolean): string {
  if (!isPublic) return 'The folder is private: only you can vote until you make it public.'
  const ballots = openBallot ? ' You see who voted for what, and voters are told so.' : ''
  return `${VOTERS[voters].summary}${ballots} ${SHOWN[show].summary}`
}
