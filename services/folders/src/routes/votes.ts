import { randomUUID } from 'node:crypto'
import { type App, type BatchedRequest, batchRoute, type LinkCookie, networkOf, siteOf } from '@skyfolio/kit'
import type { Static } from 'typebox'
import { linkProof } from '../sharing/link-proof.ts'
import type { VoteCaster } from '../voting/cast-vote.ts'
import type { VoterIdentity } from '../voting/voter-identity.ts'
import { CAST_VOTE } from './vote-schemas.ts'

export interface VoteRouteDeps {
  identityKeys: string[]
  voteCaster: VoteCaster
  voterIdentity: VoterIdentity
  linkCookie: LinkCookie
}

type VoteRequest = BatchedRequest<Static<typeof CAST_VOTE.params>, unknown, Static<typeof CAST_VOTE.body>>

const RANK_NUMBERS = { '': 0, first: 1, second: 2, third: 3 } as const

export function voteRoutes(app: App, deps: VoteRouteDeps): void {
  batchRoute(app, deps.identityKeys, {
    method: 'POST',
    url: '/api/photos/:id/rank',
    config: { access: 'public', quiet: true },
    schema: CAST_VOTE,
    handler: (request) => castVote(deps, request),
  })
}

function castVote(
  { voteCaster, voterIdentity, linkCookie }: VoteRouteDeps,
  { params, body, identity, headers }: VoteRequest,
) {
  const { fingerprint, rank, swap, folderId, shareCode, voterToken } = body
  const { userId, address } = identity
  const token = voterIdentity.tokenOf(headers.cookie, voterToken)
  const [network, site] = [networkOf(address), siteOf(address)]
  const cast = voteCaster.cast({
    folderId,
    photoId: params.id,
    rank: RANK_NUMBERS[rank],
    swaps: swap ?? false,
    voter: voterIdentity.hash('fingerprint', folderId, fingerprint),
    address: voterIdentity.hash('address', folderId, network),
    site: site === network ? null : voterIdentity.hash('site', folderId, site),
    // A vote gives its browser no token, only pages do: that of a vote without one is like no other.
    token: token ? voterIdentity.hash('token', folderId, token) : randomUUID(),
    pageUnseen: token === null,
    userId,
    link: linkProof(linkCookie, { folderId, shareCode, headers }),
  })
  return cast.then((rankings) => ({ body: { rankings } }))
}
