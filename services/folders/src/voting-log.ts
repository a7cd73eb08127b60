import type { Database, Transaction } from './database.ts'
import { voterLabel } from './voter-labels.ts'

export const VOTING_ACTIONS = ['excluded', 'restored', 'reset', 'opened', 'closed'] as const
export type VotingAction = (typeof VOTING_ACTIONS)[number]

export interface VotingEntry {
  at: Date
  action: VotingAction
  /** Whose ballot, where it is about one. */
  voter: string | null
}

const LIMIT = 200

/** Records in the transaction what the owner did with the votes; `voter` is the hash that names a ballot. */
export async function logVoting(tx: Transaction, folderId: number, action: VotingAction, voter?: string) {
  await tx.votingLog.create({ data: { folderId, action, voter } })
}

/** What the owner did with the votes of a folder, the newest first, at most 200 entries. */
export async function readVotingLog(db: Database, folderId: number): Promise<VotingEntry[]> {
  const rows = await db.votingLog.findMany({ where: { folderId }, orderBy: { id: 'desc' }, take: LIMIT })
  return rows.map(({ at, action, voter }) => ({
    at,
    action: action as VotingAction,
    voter: voter && voterLabel(voter),
  }))
}
