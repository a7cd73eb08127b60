import {
  type AppError,
  type AuditEntry,
  accountErasing,
  conflict,
  type Identity,
  isUniqueViolation,
  notFound,
  recordAudit,
  requireRecentPassword,
  type ViewAudit,
} from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import type { Database, Transaction } from '../database.ts'
import { publishChanged } from '../events.ts'
import type { Folder, Link } from '../generated/client.ts'
import { changeLink, MAIN_LINK, mainLink, newShareCode } from '../links/links.ts'
import { holdUser } from '../projection/users.ts'
import { logVoting } from '../voting/voting-control.ts'
import { type Contents, NO_CONTENTS, readContents } from './contents.ts'
import { type FolderFields, normalizeFields, requireCover } from './fields.ts'
import { lockCreation, lockFolder, lockVoting } from './locks.ts'
import { removeFolder } from './remove-folder.ts'

interface FolderChange
  extends FolderFields,
    Partial<Pick<Folder, 'votingOpen' | 'opensAt' | 'closesAt' | 'closedAt'>> {}

export interface Viewer extends Pick<Identity, 'confirmedAt'> {
  userId: number
  isAdmin: boolean
}

export type FolderWithContents = Folder &
  Contents & {
    /** Of the main link. */
    shareCode: string
    showMap: boolean
  }

export interface Folders {
  /** A user's folders, newest first. */
  list(userId: number): Promise<FolderWithContents[]>
  /** Throws 404 unless the viewer is the owner or an administrator, whose view of another's folder is recorded. */
  get(id: number, viewer: Viewer): Promise<FolderWithContents>
  /**
   * A second folder named 'Printed' is not created: returns the existing one, with `created` false.
   * Throws 409 when the user is being erased, or has as many folders as one user may have.
   */
  create(userId: number, fields: FolderFields): Promise<{ folder: FolderWithContents; created: boolean }>
  /** Throws 404 unless the user is the owner, 409 for a second 'Printed', 400 for a cover that is no photo of the folder. */
  update(id: number, userId: number, fields: FolderFields): Promise<FolderWithContents>
  /** Sets the public flag; without a value, flips it. Throws 404 unless the user is the owner. */
  setPublic(id: number, userId: number, isPublic?: boolean): Promise<FolderWithContents>
  /** Replaces the code of the main link; the old one is invalid at once. Throws 404 unless the user is the owner. */
  renewShareCode(id: number, userId: number): Promise<FolderWithContents>
  /**
   * Opens or closes voting; after it has closed no vote changes anything. Opening drops times of the contest that say otherwise.
   * Throws 404 unless the user is the owner.
   */
  setVotingOpen(id: number, userId: number, open: boolean): Promise<FolderWithContents>
  /**
   * Deletes the folder and its votes; its photos stay with media. Throws 404 and is recorded like `get`; an administrator
   * must have entered the password of late to delete another's folder, else 403.
   */
  remove(id: number, viewer: Viewer): Promise<void>
}

/** A name that only one folder of a user can have. */
const PRINTED = 'Printed'
/** Of one user: more than anybody sorts photos into, so that a script cannot fill the database. */
const FOLDERS_PER_USER = 5_000

export interface FoldersDeps {
  db: Database
  viewAudit: ViewAudit
  /** Called after the commit of a change and its event. */
  onCommit: () => void
}

/** Folders and their changes. */
export function createFolders({ db, viewAudit, onCommit }: FoldersDeps, maxFolders = FOLDERS_PER_USER): Folders {
  const withContents = async (folder: Folder): Promise<FolderWithContents> => {
    const contents = await readContents(db, [folder.id])
    return complete(folder, await mainLink(db, folder.id), contents.get(folder.id))
  }

  async function change(
    id: number,
    userId: number,
    changeOf: (folder: Folder, tx: Transaction) => FolderChange | Promise<FolderChange>,
    beforeUpdate?: (tx: Transaction) => Promise<void>,
  ): Promise<FolderWithContents> {
    const folder = await db.$transaction(async (tx) => {
      const locked = await lockFolder(tx, id, (ownerId) => ownerId === userId)
      const { showMap, ...fields } = await changeOf(locked, tx)
      if (showMap !== undefined) await changeLink(tx, locked, await mainLink(tx, id), { showMap })
      const current = showMap === undefined ? locked : await tx.folder.findUniqueOrThrow({ where: { id } })
      const data = changedColumns(current, fields)
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
      const folders = await db.folder.findMany({
        where: { userId },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        include: { links: { where: { main: true } } },
      })
      const contents = await readContents(
        db,
        folders.map((folder) => folder.id),
      )
      return folders.map(({ links, ...folder }) => complete(folder, links[0] as Link, contents.get(folder.id)))
    },

    async get(id, viewer) {
      const folder = await db.folder.findUnique({ where: { id } })
      if (!folder || !canView(viewer, folder.userId)) throw notFound('Folder not found')
      if (viewer.userId !== folder.userId) await viewAudit.record(auditEntry('folder.viewed', viewer, folder))
      return withContents(folder)
    },

    async create(userId, fields) {
      const { showMap = false, ...data } = normalizeFields({ name: '', ...fields })
      const link = { ...MAIN_LINK, showMap, code: newShareCode() }
      try {
        const folder = await db.$transaction(async (tx) => {
          const owner = await holdUser(tx, userId)
          if (owner.deleted) throw accountErasing()
          await lockCreation(tx, userId)
          const ownerSuspended = owner.suspended
          const own = { userId, name: data.name ?? '', ownerSuspended, links: { create: link } }
          const created = await tx.folder.create({ data: { ...data, ...own } })
          // Counted after it is created: an existing 'Printed' comes first.
          if ((await tx.folder.count({ where: { userId } })) > maxFolders) throw tooManyFolders(maxFolders)
          await publishChanged(tx, created)
          return created
        })
        onCommit()
        return { folder: { ...folder, ...NO_CONTENTS, shareCode: link.code, showMap }, created: true }
      } catch (error) {
        if (data.name !== PRINTED || !isUniqueViolation(error)) throw error
        const existing = await db.folder.findFirstOrThrow({ where: { userId, name: PRINTED } })
        return { folder: await withContents(existing), created: false }
      }
    },

    async update(id, userId, fields) {
      const normalized = normalizeFields(fields)
      try {
        return await change(
          id,
          userId,
          () => normalized,
          (tx) => requireCover(tx, id, normalized.coverPhotoId),
        )
      } catch (error) {
        if (!isUniqueViolation(error)) throw error
        throw conflict(`You already have a folder named '${PRINTED}'.`, 'printed_exists')
      }
    },

    setPublic: (id, userId, isPublic) => change(id, userId, (folder) => ({ isPublic: isPublic ?? !folder.isPublic })),

    async renewShareCode(id, userId) {
      const folder = await db.$transaction(async (tx) => {
        const current = await lockFolder(tx, id, (ownerId) => ownerId === userId)
        await changeLink(tx, current, await mainLink(tx, id), { code: newShareCode(), renewed: true })
        return tx.folder.findUniqueOrThrow({ where: { id } })
      })
      onCommit()
      return withContents(folder)
    },

    setVotingOpen: (id, userId, open) =>
      change(
        id,
        userId,
        (folder, tx) => (open ? opening(tx, folder) : { votingOpen: false }),
        async (tx) => {
          if (!open) await lockVoting(tx, id)
          await logVoting(tx, id, open ? 'opened' : 'closed')
        },
      ),

    async remove(id, viewer) {
      await db.$transaction(async (tx) => {
        const folder = await removeFolder(tx, id, (ownerId) => canRemove(viewer, ownerId))
        if (viewer.userId === folder.userId) return
        await recordAudit(tx, events.foldersAuditRecorded, auditEntry('folder.deleted', viewer, folder))
      })
      onCommit()
    },
  }
}

/** What opens the voting of a folder at this moment, by the clock of the database. */
async function opening(tx: Transaction, { opensAt, closesAt }: Folder): Promise<FolderChange> {
  const [{ now } = { now: new Date() }] = await tx.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp() AS now`
  return {
    votingOpen: true,
    closedAt: null,
    opensAt: opensAt && opensAt > now ? null : opensAt,
    closesAt: closesAt && closesAt <= now ? null : closesAt,
  }
}

function tooManyFolders(max: number): AppError {
  const most = `${max.toLocaleString('en-US')} ${max === 1 ? 'folder' : 'folders'}`
  return conflict(
    `You have ${most}, the most that an account can have. Delete a folder to create another.`,
    'too_many_folders',
  )
}

function canView(viewer: Viewer, ownerId: number): boolean {
  return viewer.isAdmin || viewer.userId === ownerId
}

/** @throws AppError 403 when an administrator has to enter the password first */
function canRemove(viewer: Viewer, ownerId: number): boolean {
  if (!canView(viewer, ownerId)) return false
  if (viewer.userId !== ownerId) requireRecentPassword(viewer)
  return true
}

function auditEntry(action: 'folder.viewed' | 'folder.deleted', viewer: Viewer, { id, userId }: Folder): AuditEntry {
  return { actorId: viewer.userId, action, ownerId: userId, subjectId: id }
}

/** The columns to update, or null if nothing changes. A flip of `isPublic` records the revision that it creates. */
function changedColumns(folder: Folder, fields: FolderChange) {
  const { name, description, isPublic, votingOpen, coverPhotoId, opensAt, closesAt, closedAt } = {
    ...folder,
    ...fields,
  }
  const next = { name, description, isPublic, votingOpen, coverPhotoId, opensAt, closesAt, closedAt }
  if (Object.entries(next).every(([key, value]) => folder[key as keyof typeof next] === value)) return null
  const revision = folder.revision + 1
  const visibilityRevision = isPublic !== folder.isPublic ? revision : folder.visibilityRevision
  return { ...next, revision, visibilityRevision, updatedAt: new Date() }
}

function complete(folder: Folder, { code, showMap }: Link, contents = NO_CONTENTS): FolderWithContents {
  return { ...folder, ...contents, shareCode: code, showMap }
}
