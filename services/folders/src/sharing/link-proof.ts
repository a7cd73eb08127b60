import { isUnlocked, type LinkCookies, type Pair, passwordRequired, revisionsOf } from '@skyfolio/kit'
import type { Pool } from 'pg'
import { SHARE_CODE } from './share-pages.ts'

/**
 * What a request shows of having one of a folder's links, for routes that name the folder by its id. While `ids_suffice`
 * they need nothing of it, as the specification's payloads have no code.
 */
export interface LinkProof {
  /** The share code in the request; empty: none. */
  shareCode: string
  /** Those of the cookie of links. */
  revisions: readonly number[]
  /** Links whose password was entered, with its revision. */
  unlocked: readonly Pair[]
}

interface LinkProofRequest {
  folderId: number
  /** In the body or the query; it goes before the header. */
  shareCode: string | undefined
  headers: { cookie?: string | undefined; 'x-share-code'?: string | string[] | undefined }
}

export function linkProof(cookies: LinkCookies, { folderId, shareCode, headers }: LinkProofRequest): LinkProof {
  const given = shareCode ?? headers['x-share-code']
  return {
    shareCode: typeof given === 'string' && SHARE_CODE.test(given) ? given : '',
    revisions: revisionsOf(cookies.opened.read(headers.cookie), folderId),
    unlocked: cookies.unlocked.read(headers.cookie),
  }
}

const LINKS = `
SELECT link.id, password_revision AS "passwordRevision"
FROM open_links AS link JOIN folders ON folders.id = link.folder_id
WHERE folder_id = $1 AND is_public AND NOT owner_suspended AND (code = $2 OR link.revision = ANY ($3) OR ids_suffice)`

/**
 * Whether the proof opens the folder to a visitor at this moment. The vote statement is stricter: there a given code decides.
 * Throws 403 when a password is to be entered first.
 */
export async function opensFolder(pool: Pool, folderId: number, proof: LinkProof): Promise<boolean> {
  const { shareCode, revisions, unlocked } = proof
  const { rows } = await pool.query<{ id: number; passwordRevision: number | null }>({
    name: 'proven-links',
    text: LINKS,
    values: [folderId, shareCode, revisions],
  })
  if (rows.length > 0 && !rows.some((link) => isUnlocked(unlocked, link))) throw passwordRequired()
  return rows.length > 0
}
