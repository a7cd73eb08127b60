import { randomBytes } from 'node:crypto'
import { conflict, notFound } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { findOwnFolder, lockFolder } from '../folders/locks.ts'
import { mainLink } from '../links/links.ts'
import { removeBallot } from '../voting/change-ballots.ts'
import type { VoterIdentity } from '../voting/voter-identity.ts'
import { voterLabel } from '../voting/voters.ts'
import { logVoting, noteBallots } from '../voting/voting-control.ts'

/** An invitation as the owner sees it. */
export interface Invitation {
  id: number
  name: string
  /** Path and fragment of the page that it opens. */
  url: string
  /** It has voted. Also when nothing is left of its ballot: the deletion of a photo would tell who had chosen it. */
  used: boolean
}

/** The invitations to vote in a user's own folders. All throw 404 for a folder of somebody else. */
export interface Invitations {
  /** The oldest first. */
  list(folderId: number, userId: number): Promise<Invitation[]>
  /** Throws 409 when the folder would have too many. */
  create(folderId: number, userId: number, names: string[]): Promise<Invitation[]>
  /** Withdraws an invitation, and removes its ballot. Throws 404 for an unknown one. */
  remove(folderId: number, invitationId: number, userId: number): Promise<void>
  /** The one with this secret in a folder, or null. */
  find(folderId: number, secret: string): Promise<{ id: number } | null>
  /** The names by the label of the voter. */
  names(folderId: number): Promise<Map<string, string>>
}

const MAX_INVITATIONS = 5_000
const SECRET = /^[\w-]{22}$/

type Row = { id: number; name: string; secret: string }

export function createInvitations(db: Database, voterIdentity: VoterIdentity): Invitations {
  const voterOf = (folderId: number, id: number) => voterIdentity.hash('invitation', folderId, `${id}`)

  async function withVotes(folderId: number, rows: Row[]): Promise<Invitation[]> {
    const { code } = await mainLink(db, folderId)
    const voters = rows.map(({ id }) => voterOf(folderId, id))
    const found = await db.$queryRaw<{ voter: string }[]>`
      SELECT voter::text FROM ballots
      WHERE folder_id = ${folderId} AND voter = ANY (${voters}::uuid[])`
    const used = new Set(found.map(({ voter }) => voter))
    return rows.map(({ id, name, secret }, index) => ({
      id,
      name,
      url: `/share/${code}#invitation=${secret}`,
      used: used.has(voters[index] as string),
    }))
  }

  return {
    async list(folderId, userId) {
      await findOwnFolder(db, folderId, userId)
      return withVotes(folderId, await db.invitation.findMany({ where: { folderId }, orderBy: { id: 'asc' } }))
    },

    async create(folderId, userId, names) {
      const rows = await db.$transaction(async (tx) => {
        await lockFolder(tx, folderId, (ownerId) => ownerId === userId)
        if ((await tx.invitation.count({ where: { folderId } })) + names.length > MAX_INVITATIONS) throw tooMany()
        return tx.invitation.createManyAndReturn({
          data: names.map((name) => ({ folderId, name, secret: randomBytes(16).toString('base64url') })),
        })
      })
      return withVotes(folderId, rows)
    },

    async remove(folderId, id, userId) {
      await db.$transaction(async (tx) => {
        await lockFolder(tx, folderId, (ownerId) => ownerId === userId)
        // Waits for its votes in progress; later ones find no invitation.
        const { count } = await tx.invitation.deleteMany({ where: { id, folderId } })
        if (count === 0) throw notFound('Invitation not found')
        await removeBallot(tx, folderId, voterOf(folderId, id))
        await logVoting(tx, folderId, 'withdrawn')
        await noteBallots(tx, folderId)
      })
    },

    async find(folderId, secret) {
      // PostgreSQL cannot compare every text.
      return SECRET.test(secret) ? db.invitation.findFirst({ where: { folderId, secret }, select: { id: true } }) : null
    },

    async names(folderId) {
      const rows = await db.invitation.findMany({ where: { folderId }, select: { id: true, name: true } })
      return new Map(rows.map(({ id, name }) => [voterLabel(voterOf(folderId, id)), name]))
    },
  }
}

function tooMany() {
  return conflict(
    `A folder has up to ${MAX_INVITATIONS.toLocaleString('en-US')} invitations. Withdraw some to invite others.`,
    'too_many_invitations',
  )
}
