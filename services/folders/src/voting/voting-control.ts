import { notFound } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import { lockFolder, lockVoting } from '../folders/locks.ts'
import type { Folder } from '../generated/client.ts'
import { type BallotFilter, resetBallots, setBallotExcluded, setBallotsExcluded } from './change-ballots.ts'
import { voterLabel } from './voters.ts'

/** What a folder's owner can do with its votes. All throw 404 unless the folder belongs to the user. */
export interface VotingControl {
  /** The folder itself. */
  getOwnFolder(folderId: number, userId: number): Promise<Folder>
  /** Excludes or restores the ballot of a voter's label; no change if that is its state already. */
  setExcluded(folderId: number, userId: number, label: string, excluded: boolean): Promise<void>
  /** Excludes or restores many ballots, never those of the owner. Returns how many it changed. */
  setManyExcluded(folderId: number, userId: number, filter: BallotFilter, excluded: boolean): Promise<number>
  /** Removes all votes, including those in progress; later ones count. Excluded voters stay excluded. */
  reset(folderId: number, userId: number): Promise<void>
  readLog(folderId: number, userId: number, query: VotingLogQuery): Promise<VotingLogPage>
}

/** Ballots of one transaction: votes on them, and on ballots in the same batch, wait for it. */
const BATCH_SIZE = 1000
const BEFORE_FIRST_VOTER = '00000000-0000-0000-0000-000000000000'

export function createVotingControl(db: Database): VotingControl {
  async function getOwnFolder(id: number, userId: number): Promise<Folder> {
    const folder = await db.folder.findUnique({ where: { id } })
    if (folder?.userId !== userId) throw notFound('Folder not found')
    return folder
  }

  function withLockedFolder<T>(id: number, userId: number, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return db.$transaction(async (tx) => {
      await lockFolder(tx, id, (ownerId) => ownerId === userId)
      return work(tx)
    })
  }

  return {
    getOwnFolder,

    async setExcluded(folderId, userId, label, excluded) {
      await withLockedFolder(folderId, userId, async (tx) => {
        const voter = await setBallotExcluded(tx, { folderId, label, excluded })
        if (voter) await logVoting(tx, folderId, excluded ? 'excluded' : 'restored', voter)
      })
    },

    async setManyExcluded(folderId, userId, filter, excluded) {
      const action = excluded ? 'excluded' : 'restored'
      let entryId: bigint | null = null
      let changed = 0
      let after: string | undefined = BEFORE_FIRST_VOTER
      while (after) {
        const batch = { folderId, filter, excluded, after, limit: BATCH_SIZE }
        // The log entry is correct after each batch, also if the next one fails.
        const voters: string[] = await withLockedFolder(folderId, userId, async (tx) => {
          const voters = await setBallotsExcluded(tx, batch)
          if (voters.length > 0) {
            entryId = await logManyBallots(tx, { id: entryId, folderId, action, ballots: voters.length })
          }
          return voters
        })
        changed += voters.length
        after = voters.length < BATCH_SIZE ? undefined : voters.at(-1)
      }
      return changed
    },

    async reset(folderId, userId) {
      await withLockedFolder(folderId, userId, async (tx) => {
        await lockVoting(tx, folderId)
        await resetBallots(tx, folderId)
        await logVoting(tx, folderId, 'reset')
      })
    },

    async readLog(folderId, userId, query) {
      await getOwnFolder(folderId, userId)
      return readVotingLog(db, folderId, query)
    },
  }
}

export const VOTING_ACTIONS = ['excluded', 'restored', 'reset', 'opened', 'closed'] as const
type VotingAction = (typeof VOTING_ACTIONS)[number]

interface VotingLogEntry {
  at: Date
  action: VotingAction
  /** Label of the voter, for an action on one ballot. */
  voter: string | null
  /** Number of ballots, for an action on many. */
  ballots: number | null
}

interface VotingLogPage {
  entries: VotingLogEntry[]
  total: number
  /** Cursor of the next page; null on the last. */
  next: string | null
}

interface VotingLogQuery {
  limit: number
  /** The `next` of the previous page. */
  cursor?: string | undefined
}

/** The owner's actions on the votes of a folder, newest first. */
async function readVotingLog(
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

/** Logs an action on many ballots: creates its entry, or adds to the one with this id. Returns the entry's id. */
async function logManyBallots(
  tx: Transaction,
  { id, folderId, action, ballots }: { id: bigint | null; folderId: number; action: VotingAction; ballots: number },
): Promise<bigint> {
  if (id === null) return (await tx.votingLog.create({ data: { folderId, action, ballots } })).id
  await tx.votingLog.update({ where: { id }, data: { ballots: { increment: ballots } } })
  return id
}
