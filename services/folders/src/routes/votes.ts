import { randomUUID } from 'node:crypto'
import {
  type App,
  type BatchedRequest,
  batchRoute,
  errorResponses,
  networkOf,
  notFound,
  requireUser,
  siteOf,
  unauthenticated,
} from '@skyfolio/kit'
import { type Static, Type } from 'typebox'
import { type Phase, readPhase } from '../contests/contest.ts'
import type { FoldersDeps, LimitedDeps } from '../deps.ts'
import { linkProof, opensFolder } from '../sharing/link-proof.ts'
import { NO_RANKED_PHOTOS, RANKS } from '../voting/ballots.ts'
import { readAllStandings, readBallotCount, standingsCsv, type Tally } from '../voting/standings.ts'
import type { VoterIdentity } from '../voting/voter-identity.ts'
import {
  Fingerprint,
  FingerprintQuery,
  GivenShareCode,
  Id,
  IdParams,
  RankByPhoto,
  RankedPhotosBody,
  RankName,
  TallyBody,
} from './schemas.ts'

export const VoteBody = Type.Object({
  fingerprint: Fingerprint,
  rank: Type.Union([RankName, Type.Literal('')], { description: 'Empty: removes the photo from the ballot' }),
  swap: Type.Optional(
    Type.Boolean({
      description:
        'The photo that held the rank gets the one that this photo had, if it had one. Without it, that photo loses its rank.',
    }),
  ),
  folderId: Id,
  shareCode: GivenShareCode,
  voterToken: Type.Optional(
    Type.String({
      description:
        'The response header `voter-token` of the page, for browsers that keep no cookies. A ballot without a token counts, but is flagged.',
    }),
  ),
})
const StandingsBody = Type.Object({
  rankings: RankByPhoto,
  tallies: Type.Array(TallyBody, {
    description: 'Photos with votes, best first; ties: more firsts, more seconds, the earlier upload',
  }),
  ballots: Type.Optional(Type.Integer({ description: 'How many count; with `limit`' })),
  voting: Type.Union([Type.Literal('open'), Type.Literal('closed')]),
})
const OwnRankingBody = Type.Object({ userRankings: RankedPhotosBody })

const CAST_VOTE = {
  summary: "Gives a photo a rank on the voter's ballot, or removes it",
  params: IdParams,
  body: VoteBody,
  response: { 200: Type.Object({ rankings: RankedPhotosBody }), ...errorResponses },
}
const GET_RANKINGS = {
  summary: "Returns the folder's standings (owner), or with a fingerprint that voter's own ranking",
  params: IdParams,
  querystring: Type.Object({
    ...FingerprintQuery.properties,
    shareCode: GivenShareCode,
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'Only the best photos of the standings' }),
    ),
  }),
  response: { 200: Type.Union([StandingsBody, OwnRankingBody]), ...errorResponses },
}
const EXPORT_RANKINGS = {
  summary: 'Returns the standings of all photos of a folder as CSV',
  params: IdParams,
  response: { 200: { content: { 'text/csv': { schema: Type.String() } } }, ...errorResponses },
}

type VoteRequest = BatchedRequest<Static<typeof CAST_VOTE.params>, unknown, Static<typeof CAST_VOTE.body>>

const RANK_NUMBERS = { '': 0, first: 1, second: 2, third: 3 } as const

/** Votes, and the results of a folder's voting. */
export function voteRoutes(app: App, deps: LimitedDeps): void {
  batchRoute(app, deps.identityKeys, {
    method: 'POST',
    url: '/api/photos/:id/rank',
    config: { access: 'public', quiet: true },
    schema: CAST_VOTE,
    handler: (request) => castVote(deps, request),
  })
  app.get('/api/folders/:id/rankings', { config: { access: 'public' }, schema: GET_RANKINGS }, async (request) => {
    const { fingerprint, shareCode, limit } = request.query
    const { userId } = request.identity
    if (!fingerprint && userId === null) throw unauthenticated()
    const folder = await deps.database.folder.findUnique({ where: { id: request.params.id } })
    if (!folder) throw notFound('Folder not found')
    if (folder.userId !== userId) {
      const proof = linkProof(deps.linkCookies, { folderId: folder.id, shareCode, headers: request.headers })
      if (!fingerprint || !(await opensFolder(deps.pool, folder.id, proof))) throw notFound('Folder not found')
    }
    if (!fingerprint) {
      const phase = await readPhase(deps.database, folder.id)
      const tallies = await deps.standings.read(folder.id)
      if (limit === undefined) return standingsBody(phase, tallies)
      const ballots = await deps.ownerLimiter.run({ key: folder.userId }, () => readBallotCount(deps.pool, folder.id))
      return { ...standingsBody(phase, tallies.slice(0, limit)), ballots }
    }
    const { headers } = request
    const { voter } = await deps.voterFinder.find({ folderId: folder.id, fingerprint, headers, userId })
    return { userRankings: voter ? await deps.ballots.read({ folderId: folder.id, voter }) : NO_RANKED_PHOTOS }
  })
  app.get(
    '/api/folders/:id/rankings.csv',
    { config: { access: 'user' }, schema: EXPORT_RANKINGS },
    async (request, reply) => {
      const { userId } = requireUser(request)
      const { folder, standings } = await deps.ownerLimiter.run({ key: userId }, async () => {
        const folder = await deps.votingControl.getOwnFolder(request.params.id, userId)
        return { folder, standings: await readAllStandings(deps.pool, folder.id) }
      })
      const filename = encodeURIComponent(`${folder.name} rankings.csv`).replaceAll(/['()*]/g, '_')
      return reply
        .type('text/csv; charset=utf-8')
        .header('cache-control', 'private, no-store')
        .header('content-disposition', `attachment; filename="rankings-${folder.id}.csv"; filename*=UTF-8''${filename}`)
        .send(standingsCsv(standings))
    },
  )
}

async function castVote(
  { voteCaster, voterIdentity, voterFinder, linkCookies }: FoldersDeps,
  { params, body, identity, headers }: VoteRequest,
) {
  const { fingerprint, rank, swap, folderId, shareCode, voterToken } = body
  const { userId, address } = identity
  const token = voterIdentity.tokenOf(headers.cookie, voterToken)
  const found = await voterFinder.find({ folderId, fingerprint, headers, userId })
  const voter = found.voter as string
  // Flags mark browsers that pretend to be many voters. A ballot of an invitation or a user is like no other.
  const isBrowsers = found.invitation === null && !found.ofUser
  const [network, site] = [networkOf(address), siteOf(address)]
  const rankings = await voteCaster.cast({
    folderId,
    photoId: params.id,
    rank: RANK_NUMBERS[rank],
    swaps: swap ?? false,
    ...found,
    voter,
    address: isBrowsers ? voterIdentity.hash('address', folderId, network) : voter,
    site: isBrowsers && site !== network ? voterIdentity.hash('site', folderId, site) : null,
    token: isBrowsers ? tokenHash(voterIdentity, folderId, token) : voter,
    pageUnseen: isBrowsers && token === null,
    userId,
    link: linkProof(linkCookies, { folderId, shareCode, headers }),
  })
  return { body: { rankings } }
}

/** A vote gives its browser no token, only pages do: that of a vote without one is like no other. */
function tokenHash(voterIdentity: VoterIdentity, folderId: number, token: string | null): string {
  return token === null ? randomUUID() : voterIdentity.hash('token', folderId, token)
}

function standingsBody(phase: Phase, tallies: Tally[]) {
  const winners = RANKS.flatMap((rank, index) => {
    const tally = tallies[index]
    return tally ? [[tally.photoId, rank] as const] : []
  })
  return {
    rankings: Object.fromEntries(winners),
    tallies,
    voting: phase === 'open' ? ('open' as const) : ('closed' as const),
  }
}
