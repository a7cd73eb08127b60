import { type App, type BatchedRequest, batchRoute } from '@skyfolio/kit'
import type { Static } from 'typebox'
import type { VoteCaster } from '../voting/cast-vote.ts'
import type { VoterIdentity } from '../voting/voter-identity.ts'
import { CAST_VOTE } from './vote-schemas.ts'

export interface VoteRouteDeps {
  identityKeys: string[]
  voteCaster: VoteCaster
  voterIdentity: VoterIdentity
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

async function castVote(
  { voteCaster, voterIdentity }: VoteRouteDeps,
  { params, body, identity, headers }: VoteRequest,
) {
  const { fingerprint, rank, folderId } = body
  const { userId, address } = identity
  const knownToken = voterIdentity.tokenOf(headers.cookie)
  const token = knownToken ?? voterIdentity.newToken()
  const rankings = await voteCaster.cast({
    folderId,
    photoId: params.id,
    rank: RANK_NUMBERS[rank],
    voter: voterIdentity.hash('fingerprint', folderId, fingerprint),
    address: voterIdentity.hash('address', folderId, address),
    token: voterIdentity.hash('token', folderId, token),
    userId,
  })
  if (knownToken) return { body: { rankings } }
  return { body: { rankings }, headers: { 'set-cookie': voterIdentity.cookie(token) } }
}
