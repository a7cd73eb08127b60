import { randomBytes } from 'node:crypto'
import { conflict, isUniqueViolation, notFound } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import { publishChanged, publishDeleted } from '../events.ts'
import type { Folder } from '../generated/client.ts'
import { deleteBallots } from '../voting/change-ballots.ts'
import { lockVoting } from '../voting/voting-lock.ts'
import { logVoting } from '../voting/voting-log.ts'
import { type Contents, NO_CONTENTS, readContents } from './contents.ts'
import { type FolderFields, normalizeFields } from './fields.ts'
import { lockFolder } from './lock.ts'

interface FolderChange extends FolderFields {
  votingOpen?: boolean
  shareCode?: string
}

export interface Viewer {
  userId: number
  isAdmin: boolean
}

export type FolderWithContents = Folder & Contents

export interface Folders {
  /** A user's folders, newest first. */
  list(userId: number): Promise<FolderWithContents[]>
  /** Throws 404 unless the viewer is the owner or an administrator. */
  get(id: number, viewer: Viewer): Promise<FolderWithContents>
  /** A second folder named 'Printed' is not created: returns the existing one, with `created` false. */
  create(userId: number, fields: FolderFields): Promise<{ folder: FolderWithContents; created: boolean }>
  /** Throws 404 unless the user is the owner, 409 for a second 'Printed'. */
  update(id: number, userId: number, fields: FolderFields): Promise<FolderWithContents>
  /** Sets the public flag; without a value, flips it. Throws 404 unless the user is the owner. */
  setPublic(id: number, userId: number, isPublic?: boolean): Promise<FolderWithContents>
  /** Replaces the share code; the old one is invalid at once. Throws 404 unless the user is the owner. */
  renewShareCode(id: number, userId: number): Promise<FolderWithContents>
  /** Opens or closes voting; after it has closed no vote changes anything. Throws 404 unless the user is the owner. */
  setVotingOpen(id: number, userId: number, open: boolean): Promise<FolderWithContents>
  /** Deletes the folder and its votes; its photos stay with media. Throws 404 like `get`. */
  remove(id: number, viewer: Viewer): Promise<void>
}

/** A name that only one folder of a user can have. */
const PRINTED = 'Printed'

/** Folders and their changes. `onCommit` is called after the commit of a change and its event. */
export function createFolders(db: Database, onCommit: () => void): Folders {
  const withContents = async (folder: Folder): Promise<FolderWithContents> => {
    const contents = await readContents(db, [folder.id])
    return { ...folder, ...(contents.get(folder.id) ?? NO_CONTENTS) }
  }

  async function change(
    id: number,
    userId: number,
    changeOf: (folder: Folder) => FolderChange,
    beforeUpdate?: (tx: Transaction) => Promise<void>,
  ): Promise<FolderWithContents> {
    const folder = await db.$transaction(async (tx) => {
      const current = await lockFolder(tx, id, (ownerId) => ownerId === userId)
      const data = changedColumns(current, changeOf(current))
      if (!data) return current
      await beforeUpdate?.(tx)
      const changed = await tx.folder.update({ where: { id }, data })
      await publishChanged(tx, changed)
      return changed
    })
    onCommit()
    return withContents(folder)
  }

  return {
    async list(userId) {
      const folders = await db.folder.findMany({ where: { userId }, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }] })
      const contents = await readContents(
        db,
        folders.map((folder) => folder.id),
      )
      return folders.map((folder) => ({ ...folder, ...(contents.get(folder.id) ?? NO_CONTENTS) }))
    },

    async get(id, viewer) {
      const folder = await db.folder.findUnique({ where: { id } })
      if (!folder || !canView(viewer, folder.userId)) throw notFound('Folder not found')
      return withContents(folder)
    },

    async create(userId, fields) {
      const data = { userId, shareCode: newShareCode(), ...normalizeFields({ name: '', ...fields }) }
      try {
        const folder = await db.$transaction(async (tx) => {
          const created = await tx.folder.create({ data: { ...data, name: data.name ?? '' } })
          await publishChanged(tx, created)
          return created
        })
        onCommit()
        return { folder: { ...folder, ...NO_CONTENTS }, created: true }
      } catch (error) {
        if (data.name !== PRINTED || !isUniqueViolation(error)) throw error
        const existing = await db.folder.findFirstOrThrow({ where: { userId, name: PRINTED } })
        return { folder: await withContents(existing), created: false }
      }
    },

    async update(id, userId, fields) {
      const normalized = normalizeFields(fields)
      try {
        return await change(id, userId, () => normalized)
      } catch (error) {
        if (!isUniqueViolation(error)) throw error
        throw conflict(`You already have a folder named '${PRINTED}'.`, 'printed_exists')
      }
    },

    setPublic: (id, userId, isPublic) => change(id, userId, (folder) => ({ isPublic: isPublic ?? !folder.isPublic })),

    renewShareCode: (id, userId) => change(id, userId, () => ({ shareCode: newShareCode() })),

    setVotingOpen: (id, userId, open) =>
      change(
        id,
        userId,
        () => ({ votingOpen: open }),
        async (tx) => {
          if (!open) await lockVoting(tx, id)
          await logVoting(tx, id, open ? 'opened' : 'closed')
        },
      ),

    async remove(id, viewer) {
      await db.$transaction(async (tx) => {
        const folder = await lockFolder(tx, id, (ownerId) => canView(viewer, ownerId))
        await lockVoting(tx, id)
        await tx.folder.delete({ where: { id } })
        await deleteBallots(tx, id)
        await tx.votingLog.deleteMany({ where: { folderId: id } })
        const { userId, revision } = folder
        const tombstone = await tx.deletedFolder.create({ data: { id, userId, revision: revision + 1 } })
        await publishDeleted(tx, tombstone)
      })
      onCommit()
    },
  }
}

function canView(viewer: Viewer, ownerId: number): boolean {
  return viewer.isAdmin || viewer.userId === ownerId
}

/** The columns to update, or null if nothing changes. A flip of `isPublic` records the revision that it creates. */
function changedColumns(folder: Folder, fields: FolderChange) {
  const { name, description, isPublic, votingOpen, shareCode } = { ...folder, ...fields }
  const next = { name, description, isPublic, votingOpen, shareCode }
  if (Object.entries(next).every(([key, value]) => folder[key as keyof typeof next] === value)) return null
  const revision = folder.revision + 1
  const visibilityRevision = isPublic !== folder.isPublic ? revision : folder.visibilityRevision
  return { ...next, revision, visibilityRevision, updatedAt: new Date() }
}

/** 128 random bits, so that a link cannot be guessed. */
function newShareCode(): string {
  return randomBytes(16).toString('base64url')
}
