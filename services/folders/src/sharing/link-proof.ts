import type { LinkCookie } from '@skyfolio/kit'
import { SHARE_CODE } from './share-pages.ts'

/**
 * What a request shows of having a folder's link, for routes that name the folder by its id. They need it once the owner
 * has renewed the link; before, the ids are enough, as the specification's payloads have no code.
 */
export interface LinkProof {
  /** The share code in the request; empty: none. */
  shareCode: string
  /** That of the cookie of links; 0: none. */
  linkRevision: number
}

interface LinkProofRequest {
  folderId: number
  /** In the body or the query; it goes before the header. */
  shareCode: string | undefined
  headers: { cookie?: string | undefined; 'x-share-code'?: string | string[] | undefined }
}

export function linkProof(linkCookie: LinkCookie, { folderId, shareCode, headers }: LinkProofRequest): LinkProof {
  const given = shareCode ?? headers['x-share-code']
  return {
    shareCode: typeof given === 'string' && SHARE_CODE.test(given) ? given : '',
    linkRevision: linkCookie.revisionOf(headers.cookie, folderId) ?? 0,
  }
}

/** Whether the proof opens the folder to a visitor. The vote statement has the same rule in SQL. */
export function opensLink(folder: LinkProof, proof: LinkProof): boolean {
  const { linkRevision, shareCode } = folder
  return linkRevision === 1 || linkRevision === proof.linkRevision || shareCode === proof.shareCode
}
