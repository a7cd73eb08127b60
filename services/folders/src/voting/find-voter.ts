import { isEmbedded, type LinkCookies } from '@skyfolio/kit'
import type { Pool } from 'pg'
import type { Contest } from '../contests/contest.ts'
import type { VoterIdentity } from './voter-identity.ts'

/** Whose ballot a request is about. */
export interface FoundVoter {
  /** Keyed hash; null: the request says nothing about a voter. */
  voter: string | null
  /** Of the cookie; it may have been withdrawn. */
  invitation: number | null
  /** Where signed-in users vote, the ballot is the user's. */
  ofUser: boolean
}

export interface VoterRequest {
  folderId: number
  fingerprint?: string | undefined
  headers: { cookie?: string | undefined; 'x-embed'?: string | string[] | undefined }
  userId: number | null
}

export interface VoterFinderDeps {
  pool: Pool
  linkCookies: LinkCookies
  voterIdentity: VoterIdentity
}

export type VoterFinder = ReturnType<typeof createVoterFinder>

/**
 * Finds the voter of a request: the user where users vote, the invitation that its browser has opened where invited ones do,
 * otherwise the browser. That is known by its fingerprint, but in a frame by the token in the cookie, if it keeps one: browsers that block
 * cookies of other sites keep partitioned ones, but no storage. The vote statement checks it again, since the owner may just have decided otherwise.
 */
export function createVoterFinder({ pool, linkCookies, voterIdentity }: VoterFinderDeps) {
  async function readVoters(folderId: number): Promise<Contest['voters'] | undefined> {
    const query = { name: 'voters', text: 'SELECT voters FROM folders WHERE id = $1', values: [folderId] }
    return (await pool.query<Pick<Contest, 'voters'>>(query)).rows[0]?.voters
  }

  return {
    async find({ folderId, fingerprint, headers, userId }: VoterRequest): Promise<FoundVoter> {
      const [, invitation = null] = linkCookies.invited.read(headers.cookie).find(([id]) => id === folderId) ?? []
      const voters = userId === null && invitation === null ? undefined : await readVoters(folderId)
      if (userId !== null && voters === 'users') {
        return { voter: voterIdentity.hash('user', folderId, `${userId}`), invitation: null, ofUser: true }
      }
      if (invitation !== null && voters === 'invited') {
        return { voter: voterIdentity.hash('invitation', folderId, `${invitation}`), invitation, ofUser: false }
      }
      const browser = (isEmbedded(headers) && voterIdentity.tokenOf(headers.cookie)) || fingerprint
      const voter = browser ? voterIdentity.hash('fingerprint', folderId, browser) : null
      return { voter, invitation: null, ofUser: false }
    },

    /** The name of an invitation of the folder, unless it was withdrawn. */
    async nameOf(folderId: number, invitation: number): Promise<string | null> {
      const text = 'SELECT name FROM invitations WHERE id = $1 AND folder_id = $2'
      const query = { name: 'invitation', text, values: [invitation, folderId] }
      return (await pool.query<{ name: string }>(query)).rows[0]?.name ?? null
    },
  }
}
