import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type AppError, conflict, invalidFields, notFound } from '@skyfolio/kit'
import type { Applicant, Passwords } from '@skyfolio/kit/passwords'
import type { Database, Transaction } from '../database.ts'
import { publishChanged } from '../events.ts'
import { findOwnFolder, lockFolder } from '../folders/locks.ts'
import type { Folder, Link } from '../generated/client.ts'
import type { Downloads, LinkKind } from '../sharing/opened-link.ts'

/** What an owner may set on a link; absent fields stay unchanged. */
export interface LinkFields {
  name?: string
  kind?: LinkKind
  expiresAt?: Date | null
  /** Null: the link has none. */
  password?: string | null
  showPlaces?: boolean
  showCamera?: boolean
  showMap?: boolean
  downloads?: Downloads
  votingUntil?: Date | null
  /** The sites whose pages may show it in a frame, each once. */
  embedOrigins?: string[]
}

/** A link with how often it was opened. */
export interface CountedLink extends Link {
  openedToday: number
  opened: number
}

/** The links of a user's own folders. All throw 404 for a folder of somebody else. */
export interface Links {
  /** The main link first, then the oldest. */
  list(folderId: number, userId: number): Promise<CountedLink[]>
  /** Throws 409 when the folder has 50. */
  create(
    folderId: number,
    userId: number,
    fields: LinkFields & Required<Pick<LinkFields, 'name' | 'kind'>>,
    applicant: Applicant,
  ): Promise<CountedLink>
  /** Throws 404 for an unknown link, 400 for another kind of the main one. */
  update(
    folderId: number,
    linkId: number,
    userId: number,
    fields: LinkFields,
    applicant: Applicant,
  ): Promise<CountedLink>
  /** Withdraws a link: it opens nothing from now on. Throws 404 for an unknown link, 409 for the main one. */
  remove(folderId: number, linkId: number, userId: number): Promise<void>
}

const MAX_LINKS = 50
/** Of a folder that is created. */
export const MAIN_LINK = { main: true, name: 'Main link', kind: 'vote', revision: 1 } as const

/** @param onCommit called after the commit of a change and its event */
export function createLinks(db: Database, passwords: Passwords, onCommit: () => void): Links {
  /** The password is hashed before the folder is locked: it takes long. */
  async function columnsOf({ password, ...fields }: LinkFields, applicant: Applicant): Promise<LinkChange> {
    if (password === undefined) return fields
    return { ...fields, passwordHash: password === null ? null : await passwords.hash(password, applicant) }
  }

  async function inOwnFolder<T>(
    id: number,
    userId: number,
    work: (tx: Transaction, folder: Folder) => Promise<T>,
  ): Promise<T> {
    const result = await db.$transaction(async (tx) =>
      work(tx, await lockFolder(tx, id, (ownerId) => ownerId === userId)),
    )
    onCommit()
    return result
  }

  return {
    async list(folderId, userId) {
      await findOwnFolder(db, folderId, userId)
      return countOpenings(
        db,
        await db.link.findMany({ where: { folderId }, orderBy: [{ main: 'desc' }, { id: 'asc' }] }),
      )
    },

    async create(folderId, userId, fields, applicant) {
      await findOwnFolder(db, folderId, userId)
      const { name, kind, ...columns } = await columnsOf(fields, applicant)
      return inOwnFolder(folderId, userId, async (tx, folder) => {
        if ((await tx.link.count({ where: { folderId } })) >= MAX_LINKS) throw tooManyLinks()
        const revision = folder.lastLinkRevision + 1
        const passwordRevision = columns.passwordHash ? revision : null
        const link = {
          folderId,
          code: newShareCode(),
          name: name as string,
          kind: kind as LinkKind,
          revision,
          passwordRevision,
        }
        const created = await tx.link.create({ data: { ...columns, ...link } })
        await noteLinks(tx, folderId, revision)
        return { ...created, openedToday: 0, opened: 0 }
      })
    },

    async update(folderId, linkId, userId, fields, applicant) {
      await findOwnFolder(db, folderId, userId)
      const change = await columnsOf(fields, applicant)
      const link = await inOwnFolder(folderId, userId, async (tx, folder) => {
        const link = await findLink(tx, folderId, linkId)
        if (link.main && (change.kind ?? link.kind) !== link.kind) {
          throw invalidFields({
            kind: 'Visitors with the main link can vote. Create another link to show the photos only.',
          })
        }
        return changeLink(tx, folder, link, change)
      })
      const [counted] = await countOpenings(db, [link])
      return counted as CountedLink
    },

    async remove(folderId, linkId, userId) {
      await inOwnFolder(folderId, userId, async (tx, folder) => {
        const link = await findLink(tx, folderId, linkId)
        if (link.main) throw conflict('The main link stays. Make a new one to end it.', 'main_link')
        await tx.link.delete({ where: { id: linkId } })
        await noteLinks(tx, folderId, folder.lastLinkRevision)
      })
    },
  }
}

/** The columns of a link that change. */
type LinkChange = Omit<LinkFields, 'password'> & Partial<Pick<Link, 'passwordHash' | 'code' | 'renewed'>>

/** What may change while visitors keep what they have of the link. */
const KEEPS_REVISION = ['name', 'embedOrigins']

/** Changes a link of a folder that the transaction has locked. All but its name and who embeds it makes it another revision. */
export async function changeLink(tx: Transaction, folder: Folder, link: Link, change: LinkChange): Promise<Link> {
  const changed = Object.entries(change).filter(([key, value]) => !isDeepStrictEqual(link[key as keyof Link], value))
  if (changed.length === 0) return link
  const data = Object.fromEntries(changed)
  if (changed.every(([key]) => key === 'name')) return tx.link.update({ where: { id: link.id }, data })
  if (changed.every(([key]) => KEEPS_REVISION.includes(key))) {
    const updated = await tx.link.update({ where: { id: link.id }, data })
    await noteLinks(tx, folder.id, folder.lastLinkRevision)
    return updated
  }
  const revision = folder.lastLinkRevision + 1
  const hasNewPassword = 'passwordHash' in data && { passwordRevision: data.passwordHash === null ? null : revision }
  const updated = await tx.link.update({ where: { id: link.id }, data: { ...data, revision, ...hasNewPassword } })
  await noteLinks(tx, folder.id, revision)
  return updated
}

/** The main link of a folder. */
export function mainLink(tx: Transaction | Database, folderId: number): Promise<Link> {
  return tx.link.findFirstOrThrow({ where: { folderId, main: true } })
}

/** 128 random bits, so that a link cannot be guessed. */
export function newShareCode(): string {
  return randomBytes(16).toString('base64url')
}

async function findLink(tx: Transaction, folderId: number, id: number): Promise<Link> {
  const link = await tx.link.findFirst({ where: { id, folderId } })
  if (!link) throw notFound('Link not found')
  return link
}

/** Keeps in the folder what its links are together, and publishes it. @param linkRevision the latest that one of them has drawn */
async function noteLinks(tx: Transaction, folderId: number, linkRevision: number): Promise<void> {
  await tx.$executeRaw`
    UPDATE folders SET revision = revision + 1, updated_at = now(), last_link_revision = ${linkRevision}, ids_suffice = (
      SELECT count(*) = 1 AND bool_and(NOT renewed AND expires_at IS NULL AND password_hash IS NULL)
      FROM links WHERE folder_id = ${folderId})
    WHERE id = ${folderId}`
  await publishChanged(tx, await tx.folder.findUniqueOrThrow({ where: { id: folderId } }))
}

async function countOpenings(db: Database, links: Link[]): Promise<CountedLink[]> {
  const rows = await db.$queryRaw<{ id: number; today: number; all: number }[]>`
    SELECT link_id AS id, sum(count)::integer AS all,
      coalesce(sum(count) FILTER (WHERE day = (now() AT TIME ZONE 'UTC')::date), 0)::integer AS today
    FROM link_openings WHERE link_id = ANY (${links.map(({ id }) => id)}) GROUP BY link_id`
  const counts = new Map(rows.map((row) => [row.id, row]))
  return links.map((link) => {
    const { today = 0, all = 0 } = counts.get(link.id) ?? {}
    return { ...link, openedToday: today, opened: all }
  })
}

function tooManyLinks(): AppError {
  return conflict(`A folder has up to ${MAX_LINKS} links. Withdraw one to create another.`, 'too_many_links')
}
