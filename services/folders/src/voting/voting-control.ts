import { notFound } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { lockFolder } from '../folders/folders.ts'
import type { Folder } from '../generated/client.ts'
import { type BallotChoice, resetBallots, setExcluded, setExcludedMany } from './change-ballots.ts'
import { shutGate } from './voting-lock.ts'
import { logManyBallots, logVoting, readVotingLog, type VotingLogPage } from './voting-log.ts'

/** What a folder's owner can do with its votes. All throw 404 unless the folder is the user's own. */
export interface VotingControl {
  /** The folder itself. */
  own(folderId: number, userId: number): Promise<Folder>
  /** Excludes or restores the ballot of a voter's label; one that is so already stays as it is. */
  setExcluded(folderId: number, userId: number, label: string, excluded: boolean): Promise<void>
  /** Excludes or restores many ballots, never those of the owner. Answers how many it changed. */
  setExcludedMany(folderId: number, userId: number, choice: BallotChoice, excluded: boolean): Promise<number>
  /** Removes all votes; the ones under way are removed too, the ones after it count. Who is excluded stays so. */
  reset(folderId: number, userId: number): Promise<void>
  log(folderId: number, userId: number, page: Parameters<typeof readVotingLog>[2]): Promise<VotingLogPage>
}

/** Ballots of one transaction: votes on them, and on ballots that share a batch with them, wait for it. */
const AT_ONCE = 1000
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

export function createVotingControl(db: Database): VotingControl {
  async function own(id: number, userId: number): Promise<Folder> {
    const folder = await db.folder.findUnique({ where: { id } })
    if (folder?.userId !== userId) throw notFound('Folder not found')
    return folder
  }

  return {
    own,

    async setExcluded(folderId, userId, label, excluded) {
      await db.$transaction(async (tx) => {
        await lockFolder(tx, folderId, (owner) => owner === userId)
        const voter = await setExcluded(tx, { folderId, label, excluded })
        if (voter) await logVoting(tx, folderId, excluded ? 'excluded' : 'restored', voter)
      })
    },

    async setExcludedMany(folderId, userId, choice, excluded) {
      const action = excluded ? 'excluded' : 'restored'
      let entry: bigint | null = null
      let changed = 0
      let after: string | undefined = BEFORE_ALL
      while (after) {
        const wish = { folderId, choice, excluded, after, limit: AT_ONCE }
        // The entry's number is right after each part, also when the next one fails.
        const voters: string[] = await db.$transaction(async (tx) => {
          await lockFolder(tx, folderId, (owner) => owner === userId)
          const voters = await setExcludedMany(tx, wish)
          if (voters.length > 0) {
            entry = await logManyBallots(tx, { id: entry, folderId, action, ballots: voters.length })
          }
          return voters
        })
        changed += voters.length
        after = voters.length < AT_ONCE ? undefined : voters.at(-1)
      }
      return changed
    },

    async reset(folderId, userId) {
      await db.$transaction(async (tx) => {
        await lockFolder(tx, folderId, (owner) => owner === userId)
        await shutGate(tx, folderId)
        await resetBallots(tx, folderId)
        await logVoting(tx, folderId, 'reset')
      })
    },

    async log(folderId, userId, page) {
      await own(folderId, userId)
      return readVotingLog(db, folderId, page)
    },
  }
}
