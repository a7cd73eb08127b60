import { notFound } from '@skyfolio/kit'
import { removeBallots, setExcluded } from './ballot-box.ts'
import type { Database } from './database.ts'
import { lockFolder } from './folders.ts'
import type { Folder } from './generated/client.ts'
import { shutGate } from './voting-gate.ts'
import { logVoting, readVotingLog, type VotingEntry } from './voting-log.ts'

/** What a folder's owner can do with its votes. All throw 404 unless the folder is the user's own. */
export interface VotingControl {
  /** The folder itself. */
  own(folderId: number, userId: number): Promise<Folder>
  /** Excludes or restores the ballot of a voter's label; one that is so already stays as it is. */
  setExcluded(folderId: number, userId: number, label: string, excluded: boolean): Promise<void>
  /** Removes all votes; the ones under way are removed too, the ones after it count. */
  reset(folderId: number, userId: number): Promise<void>
  log(folderId: number, userId: number): Promise<VotingEntry[]>
}

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

    async reset(folderId, userId) {
      await db.$transaction(async (tx) => {
        await lockFolder(tx, folderId, (owner) => owner === userId)
        await shutGate(tx, folderId)
        await removeBallots(tx, folderId)
        await logVoting(tx, folderId, 'reset')
      })
    },

    async log(folderId, userId) {
      await own(folderId, userId)
      return readVotingLog(db, folderId)
    },
  }
}
