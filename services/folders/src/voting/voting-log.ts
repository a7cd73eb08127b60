import type { Database, Transaction } from '../database.ts'
import { voterLabel } from './voter-labels.ts'

export const VOTING_ACTIONS = ['excluded', 'restored', 'reset', 'opened', 'closed'] as const
export type VotingAction = (typeof VOTING_ACTIONS)[number]

export interface VotingLogEntry {
  at: Date
  action: VotingAction
  /** Label of the voter, for an action on one ballot. */
  voter: string | null
  /** Number of ballots, for an action on many. */
  ballots: number | null
}

export interface VotingLogPage {
  entries: VotingLogEntry[]
  total: number
  /** Cursor of the next page; null on the last. */
  next: string | null
}

export interface VotingLogQuery {
  limit: number
  /** The `next` of the previous page. */
  cursor?: string | undefined
}

/** The owner's actions on the votes of a folder, newest first. */
export async function readVotingLog(
  db: Database,
  folderId: number,
  { limit, cursor }: VotingLogQuery,
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

/** Logs an action of the owner's in the transaction; `voter` is the hash of the ballot's voter. */
export async function logVoting(tx: Transaction, folderId: number, action: VotingAction, voter?: string) {
  await tx.votingLog.create({ data: { folderId, action, voter } })
}

export interface ManyBallotsEntry {
  /** The entry to add to; null creates one. */
  id: bigint | null
  folderId: number
  action: VotingAction
  ballots: number
}

/** Logs an action on many ballots: creates its entry, or adds to it. Returns the entry's id. */
export async function logManyBallots(
  tx: Transaction,
  { id, folderId, action, ballots }: ManyBallotsEntry,
): Promise<bigint> {
  if (id === null) return (await tx.votingLog.create({ data: { folderId, action, ballots } })).id
  await tx.votingLog.update({ where: { id }, data: { ballots: { increment: ballots } } })
  return id
}
