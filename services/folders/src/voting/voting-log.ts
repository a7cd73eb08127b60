import type { Database, Transaction } from '../database.ts'
import { voterLabel } from './voter-labels.ts'

export const VOTING_ACTIONS = ['excluded', 'restored', 'reset', 'opened', 'closed'] as const
export type VotingAction = (typeof VOTING_ACTIONS)[number]

export interface VotingEntry {
  at: Date
  action: VotingAction
  /** Whose ballot, where it is about one. */
  voter: string | null
  /** How many ballots, where it is about many at once. */
  ballots: number | null
}

export interface VotingLogPage {
  entries: VotingEntry[]
  total: number
  /** Where the next page begins; null on the last. */
  next: string | null
}

/** Records in the transaction what the owner did with the votes; `voter` is the hash that names a ballot. */
export async function logVoting(tx: Transaction, folderId: number, action: VotingAction, voter?: string) {
  await tx.votingLog.create({ data: { folderId, action, voter } })
}

/** Adds to an entry about many ballots, and makes it when there is none yet. Answers the entry's id. */
export async function logManyBallots(
  tx: Transaction,
  o: { id: bigint | null; folderId: number; action: VotingAction; ballots: number },
): Promise<bigint> {
  const { id, folderId, action, ballots } = o
  if (id === null) return (await tx.votingLog.create({ data: { folderId, action, ballots } })).id
  await tx.votingLog.update({ where: { id }, data: { ballots: { increment: ballots } } })
  return id
}

/** What the owner did with the votes of a folder, the newest first; `cursor` is where the page before ended. */
export async function readVotingLog(
  db: Database,
  folderId: number,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<VotingLogPage> {
  const before = cursor === undefined ? {} : { id: { lt: BigInt(cursor) } }
  const rows = await db.votingLog.findMany({
    where: { folderId, ...before },
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
  const page = rows.slice(0, limit)
  return {
    entries: page.map(({ at, action, voter, ballots }) => ({
      at,
      action: action as VotingAction,
      voter: voter && voterLabel(voter),
      ballots,
    })),
    total: await db.votingLog.count({ where: { folderId } }),
    next: rows.length > limit ? String(page.at(-1)?.id) : null,
  }
}
