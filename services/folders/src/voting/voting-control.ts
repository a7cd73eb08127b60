import { conflict } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import { findOwnFolder, lockFolder, lockVoting } from '../folders/locks.ts'
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
  function withLockedFolder<T>(
    id: number,
    userId: number,
    work: (tx: Transaction, folder: Folder) => Promise<T>,
  ): Promise<T> {
    return db.$transaction(async (tx) => work(tx, await lockFolder(tx, id, (ownerId) => ownerId === userId)))
  }

  return {
    getOwnFolder: (folderId, userId) => findOwnFolder(db, folderId, userId),

    async setExcluded(folderId, userId, label, excluded) {
      await withLockedFolder(folderId, userId, async (tx, folder) => {
        requireOpenChoices(folder)
        const voter = await setBallotExcluded(tx, { folderId, label, excluded })
        if (!voter) return
        await logVoting(tx, folderId, excluded ? 'excluded' : 'restored', { voter })
        await noteBallots(tx, folderId)
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
        const voters: string[] = await withLockedFolder(folderId, userId, async (tx, folder) => {
          requireOpenChoices(folder)
          const voters = await setBallotsExcluded(tx, batch)
          if (voters.length > 0) {
            entryId = await logManyBallots(tx, { id: entryId, folderId, action, ballots: voters.length })
            await noteBallots(tx, folderId)
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
        await noteBallots(tx, folderId)
      })
    },

    async readLog(folderId, userId, query) {
      await findOwnFolder(db, folderId, userId)
      return readVotingLog(db, folderId, query)
    },
  }
}

/**
 * Throws 409 where ballots are secret although their voters are known by name: a list of choices could be compared with who has
 * voted meanwhile, and the exclusion of one ballot would show its choices in the standings.
 */
export function requireOpenChoices({ voters, openBallot }: Pick<Folder, 'voters' | 'openBallot'>): void {
  if (voters !== 'invited' || openBallot) return
  throw conflict(
    'The choices of invited voters are secret. Withdraw an invitation to remove its ballot.',
    'secret_ballot',
  )
}

/** Notes that other ballots of a locked folder count, for the results. */
export async function noteBallots(tx: Transaction, folderId: number): Promise<void> {
  await tx.$executeRaw`UPDATE folders SET contents_version = contents_version + 1 WHERE id = ${folderId}`
}

export const VOTING_ACTIONS = ['excluded', 'restored', 'reset', 'opened', 'closed', 'changed', 'withdrawn'] as const
type VotingAction = (typeof VOTING_ACTIONS)[number]

interface VotingLogEntry {
  at: Date
  action: VotingAction
  /** Label of the voter, for an action on one ballot. */
  voter: string | null
  /** Number of ballots, for an action on many. */
  ballots: number | null
  /** What was changed of the contest. */
  note: string | null
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
    entries: page.map(({ at, action, voter, ballots, note }) => ({
      at,
      action: action as VotingAction,
      voter: voter && voterLabel(voter),
      ballots,
      note,
    })),
    total: await db.votingLog.count({ where: { folderId } }),
    next: rows.length > limit ? String(page.at(-1)?.id) : null,
  }
}

/** Logs an action of the owner's in the transaction; `voter` is the hash of the ballot's voter. */
export async function logVoting(
  tx: Transaction,
  folderId: number,
  action: VotingAction,
  what: { voter?: string; note?: string } = {},
) {
  await tx.votingLog.create({ data: { folderId, action, ...what } })
}

/** Logs an action on many ballots: adds to the entry with this id unless it is published already, otherwise creates one. Returns its id. */
async function logManyBallots(
  tx: Transaction,
  { id, folderId, action, ballots }: { id: bigint | null; folderId: number; action: VotingAction; ballots: number },
): Promise<bigint> {
  const isPublished = id !== null && (await tx.voteCount.findFirst({ where: { folderId, logId: { gte: id } } }))
  if (id === null || isPublished) return (await tx.votingLog.create({ data: { folderId, action, ballots } })).id
  await tx.votingLog.update({ where: { id }, data: { ballots: { increment: ballots } } })
  return id
}
