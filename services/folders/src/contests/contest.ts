import { isDeepStrictEqual } from 'node:util'
import { conflict, invalidFields, notFound } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import { publishChanged } from '../events.ts'
import { findOwnFolder, lockFolder, lockVoting } from '../folders/locks.ts'
import type { Folder } from '../generated/client.ts'
import { deleteBallots } from '../voting/change-ballots.ts'
import { logVoting } from '../voting/voting-control.ts'

export const VOTERS = ['anyone', 'invited', 'users'] as const
export const SHOW_STANDINGS = ['never', 'voted', 'closed', 'always'] as const
export const PHOTO_ORDERS = ['added', 'taken', 'own', 'shuffled'] as const
/** Whether votes count, or will, or did. */
export const PHASES = ['before', 'open', 'closed'] as const
export type Phase = (typeof PHASES)[number]

/** What the owner decides about the vote in a folder. */
export interface ContestFields {
  opensAt?: Date | null
  /** The first moment at which no vote counts. */
  closesAt?: Date | null
  show?: (typeof SHOW_STANDINGS)[number]
  order?: (typeof PHOTO_ORDERS)[number]
  voters?: (typeof VOTERS)[number]
  /** The owner reads the names of invited voters beside their choices. */
  openBallot?: boolean
  resultsPublic?: boolean
  resultsText?: string | null
}

export interface Contest extends Required<ContestFields> {
  phase: Phase
  /** When voting closed, once its ballots have been counted. */
  closedAt: Date | null
}

export interface Contests {
  /** Throws 404 unless the user is the owner. */
  get(folderId: number, userId: number): Promise<Contest>
  /**
   * Changes what is given. Throws 404 unless the user is the owner, 400 for fields that contradict each other, 409 when who votes
   * or the secrecy of ballots would change while there are ballots.
   */
  update(folderId: number, userId: number, fields: ContestFields): Promise<Contest>
}

/** How the log names each field. */
const FIELD_NAMES: Record<keyof ContestFields, string> = {
  opensAt: 'opening time',
  closesAt: 'closing time',
  show: 'who sees the standings',
  order: 'order of the photos',
  voters: 'who votes',
  openBallot: 'open ballot',
  resultsPublic: 'publication of the results',
  resultsText: 'text of the results',
}

/** @param onCommit called after the commit of a change and its event */
export function createContests(db: Database, onCommit: () => void): Contests {
  async function contestOf(folder: Folder): Promise<Contest> {
    return { ...fieldsOf(folder), phase: await readPhase(db, folder.id), closedAt: folder.closedAt }
  }

  return {
    async get(folderId, userId) {
      return contestOf(await findOwnFolder(db, folderId, userId))
    },

    async update(folderId, userId, fields) {
      const folder = await db.$transaction(async (tx) => {
        const current = await lockFolder(tx, folderId, (ownerId) => ownerId === userId)
        const before = fieldsOf(current)
        const changed = (Object.keys(fields) as (keyof ContestFields)[]).filter(
          (key) => !isDeepStrictEqual(fields[key], before[key]),
        )
        if (changed.length === 0) return current
        const next = { ...before, ...fields }
        checkFields(next)
        // The votes in progress commit first, so that what the response says is final.
        await lockVoting(tx, folderId)
        if (changed.includes('voters') || changed.includes('openBallot')) await removeEmptyBallots(tx, folderId)
        const note = changed.map((key) => FIELD_NAMES[key]).join(', ')
        await logVoting(tx, folderId, 'changed', { note })
        const data = {
          ...columnsOf(next),
          ...(changed.includes('closesAt') && { closedAt: null }),
          revision: current.revision + 1,
          updatedAt: new Date(),
        }
        const updated = await tx.folder.update({ where: { id: folderId }, data })
        const isReopened = current.closedAt !== null && (await readPhase(tx, folderId)) === 'open'
        if (isReopened) await logVoting(tx, folderId, 'opened')
        await publishChanged(tx, updated)
        return updated
      })
      onCommit()
      return contestOf(folder)
    },
  }
}

function fieldsOf(folder: Folder): Required<ContestFields> {
  const { opensAt, closesAt, openBallot, resultsPublic, resultsText, showStandings, photoOrder, voters } = folder
  const choices = { show: showStandings, order: photoOrder, voters } as Pick<Contest, 'show' | 'order' | 'voters'>
  return { opensAt, closesAt, ...choices, openBallot, resultsPublic, resultsText }
}

function columnsOf({ show, order, ...fields }: Required<ContestFields>) {
  return { ...fields, showStandings: show, photoOrder: order }
}

function checkFields({ opensAt, closesAt, openBallot, voters }: Required<ContestFields>): void {
  if (opensAt && closesAt && closesAt <= opensAt) {
    throw invalidFields({ closesAt: 'Voting must close after it opens.' })
  }
  if (openBallot && voters !== 'invited') {
    throw invalidFields({ openBallot: 'Only ballots of invited voters can be open: others have no names.' })
  }
}

/**
 * Throws 409 if there are votes. The ballots that a reset left go: an exclusion of before would show whose ballot one is in a
 * secret vote.
 */
async function removeEmptyBallots(tx: Transaction, folderId: number): Promise<void> {
  const [found] = await tx.$queryRaw<unknown[]>`
    SELECT FROM ballots WHERE folder_id = ${folderId} AND num_nonnulls(first, second, third) > 0 LIMIT 1`
  if (!found) return deleteBallots(tx, folderId)
  throw conflict(
    'There are votes already. Reset them to change who votes or whether ballots are secret.',
    'ballots_exist',
  )
}

/** By the clock of the database. Throws 404 for an unknown folder. */
export async function readPhase(db: Pick<Database, '$queryRaw'>, folderId: number): Promise<Phase> {
  const [row] = await db.$queryRaw<{ phase: Phase }[]>`SELECT phase FROM phases WHERE folder_id = ${folderId}`
  if (!row) throw notFound('Folder not found')
  return row.phase
}
