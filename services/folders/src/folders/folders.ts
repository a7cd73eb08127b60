import { randomBytes } from 'node:crypto'
import { conflict, invalidFields, isUniqueViolation, notFound, oneLine } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import { publishChanged, publishDeleted } from '../events.ts'
import type { Folder } from '../generated/client.ts'
import { removeBallots } from '../voting/change-ballots.ts'
import { shutGate } from '../voting/voting-lock.ts'
import { logVoting } from '../voting/voting-log.ts'
import { type Contents, contentsOf, NO_CONTENTS } from './folder-contents.ts'

/** What may be set of a folder; absent fields stay as they are. */
export interface FolderFields {
  name?: string
  description?: string | null
  isPublic?: boolean
}

/** All that changes of a folder. */
interface Change extends FolderFields {
  votingOpen?: boolean
  shareCode?: string
}

export interface Viewer {
  userId: number
  isAdmin: boolean
}

export type FullFolder = Folder & Contents

export interface Folders {
  /** A user's folders, the newest first. */
  list(userId: number): Promise<FullFolder[]>
  /** Throws 404 unless it is the viewer's own or the viewer is an administrator. */
  get(id: number, viewer: Viewer): Promise<FullFolder>
  /** A second folder named 'Printed' is not made: the existing one is answered, with `created` false. */
  create(userId: number, fields: FolderFields): Promise<{ folder: FullFolder; created: boolean }>
  /** Throws 404 unless it is the user's own, 409 for a second 'Printed'. */
  update(id: number, userId: number, fields: FolderFields): Promise<FullFolder>
  /** Sets the visibility, or flips it when none is given. Throws 404 unless it is the user's own. */
  setPublic(id: number, userId: number, isPublic?: boolean): Promise<FullFolder>
  /** Gives the folder another share code: who has the old one has nothing. Throws 404 unless it is the user's own. */
  renewShareCode(id: number, userId: number): Promise<FullFolder>
  /**
   * Opens or closes the voting; once it is closed no vote changes anything. Throws 404 unless it is the user's own.
   */
  setVotingOpen(id: number, userId: number, open: boolean): Promise<FullFolder>
  /** Deletes the folder and its votes; its photos stay with media. Throws 404 like `get`. */
  remove(id: number, viewer: Viewer): Promise<void>
}

const PRINTED = 'Printed'
/** Characters as people count them in most scripts: code points, as the database does. */
const NAME_LENGTH = 120

/** Folders and their changes. `published` is called when a change and its event are committed. */
export function createFolders(db: Database, published: () => void): Folders {
  const withContents = async (folder: Folder): Promise<FullFolder> => {
    const contents = await contentsOf(db, [folder.id])
    return { ...folder, ...(contents.get(folder.id) ?? NO_CONTENTS) }
  }

  async function change(
    id: number,
    userId: number,
    fieldsOf: (folder: Folder) => Change,
    before?: (tx: Transaction) => Promise<void>,
  ): Promise<FullFolder> {
    const folder = await db.$transaction(async (tx) => {
      const current = await lockFolder(tx, id, (owner) => owner === userId)
      const next = applyFields(current, fieldsOf(current))
      if (!next) return current
      await before?.(tx)
      const changed = await tx.folder.update({ where: { id }, data: next })
      await publishChanged(tx, changed)
      return changed
    })
    published()
    return withContents(folder)
  }

  return {
    async list(userId) {
      const folders = await db.folder.findMany({ where: { userId }, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }] })
      const contents = await contentsOf(
        db,
        folders.map((folder) => folder.id),
      )
      return folders.map((folder) => ({ ...folder, ...(contents.get(folder.id) ?? NO_CONTENTS) }))
    },

    async get(id, viewer) {
      const folder = await db.folder.findUnique({ where: { id } })
      if (!folder || !maySee(viewer, folder.userId)) throw notFound('Folder not found')
      return withContents(folder)
    },

    async create(userId, fields) {
      const data = { userId, shareCode: newShareCode(), ...cleaned({ name: '', ...fields }) }
      try {
        const folder = await db.$transaction(async (tx) => {
          const made = await tx.folder.create({ data: { ...data, name: data.name ?? '' } })
          await publishChanged(tx, made)
          return made
        })
        published()
        return { folder: { ...folder, ...NO_CONTENTS }, created: true }
      } catch (error) {
        if (data.name !== PRINTED || !isUniqueViolation(error)) throw error
        const existing = await db.folder.findFirstOrThrow({ where: { userId, name: PRINTED } })
        return { folder: await withContents(existing), created: false }
      }
    },

    async update(id, userId, fields) {
      const clean = cleaned(fields)
      try {
        return await change(id, userId, () => clean)
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
          if (!open) await shutGate(tx, id)
          await logVoting(tx, id, open ? 'opened' : 'closed')
        },
      ),

    async remove(id, viewer) {
      await db.$transaction(async (tx) => {
        const folder = await lockFolder(tx, id, (owner) => maySee(viewer, owner))
        await shutGate(tx, id)
        await tx.folder.delete({ where: { id } })
        await removeBallots(tx, id)
        await tx.votingLog.deleteMany({ where: { folderId: id } })
        const { userId, revision } = folder
        const grave = await tx.deletedFolder.create({ data: { id, userId, revision: revision + 1 } })
        await publishDeleted(tx, grave)
      })
      published()
    },
  }
}

function maySee(viewer: Viewer, owner: number): boolean {
  return viewer.isAdmin || viewer.userId === owner
}

/** The folder, locked against other changes (votes go on). Throws 404 unless its owner is allowed. */
export async function lockFolder(tx: Transaction, id: number, allowed: (owner: number) => boolean): Promise<Folder> {
  await tx.$queryRaw`SELECT FROM folders WHERE id = ${id} FOR NO KEY UPDATE`
  const folder = await tx.folder.findUnique({ where: { id } })
  if (!folder || !allowed(folder.userId)) throw notFound('Folder not found')
  return folder
}

/** The columns that change, or null when nothing does. A flip is stamped with the revision that it makes. */
function applyFields(folder: Folder, fields: Change) {
  const { name, description, isPublic, votingOpen, shareCode } = { ...folder, ...fields }
  const next = { name, description, isPublic, votingOpen, shareCode }
  if (Object.entries(next).every(([key, value]) => folder[key as keyof typeof next] === value)) return null
  const revision = folder.revision + 1
  const visibilityRevision = isPublic !== folder.isPublic ? revision : folder.visibilityRevision
  return { ...next, revision, visibilityRevision, updatedAt: new Date() }
}

/** A name of one line, texts without the space around them; an empty description is none. Throws 400 for a name that is none. */
function cleaned(fields: FolderFields): FolderFields {
  const name = fields.name === undefined ? undefined : oneLine(fields.name)
  if (name === '') throw invalidFields({ name: 'Folder name is required' })
  if (name !== undefined && [...name].length > NAME_LENGTH) {
    throw invalidFields({ name: `Folder name must be at most ${NAME_LENGTH} characters` })
  }
  const description = fields.description?.trim() || (fields.description === undefined ? undefined : null)
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(fields.isPublic !== undefined && { isPublic: fields.isPublic }),
  }
}

/** 128 random bits: who has not been given the link cannot guess it. */
function newShareCode(): string {
  return randomBytes(16).toString('base64url')
}
