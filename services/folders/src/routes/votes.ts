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
import type { FoldersDeps, LimitedDeps } from '../deps.ts'
import type { Folder } from '../generated/client.ts'
import { linkProof, opensFolder } from '../sharing/link-proof.ts'
import { RANKS } from '../voting/ballots.ts'
import { readAllStandings, standingsCsv, type Tally } from '../voting/standings.ts'
import {
  Fingerprint,
  FingerprintQuery,
  GivenShareCode,
  Id,
  IdParams,
  RankByPhoto,
  RankedPhotosBody,
  RankName,
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
const TallyBody = Type.Object({
  photoId: Type.Integer(),
  first: Type.Integer(),
  second: Type.Integer(),
  third: Type.Integer(),
  points: Type.Integer({ description: '3 for a first rank, 2 for a second, 1 for a third' }),
  voters: Type.Integer(),
})
const StandingsBody = Type.Object({
  rankings: RankByPhoto,
  tallies: Type.Array(TallyBody, {
    description: 'Photos with votes, best first; ties: more firsts, more seconds, the earlier upload',
  }),
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
  querystring: Type.Object({ ...FingerprintQuery.properties, shareCode: GivenShareCode }),
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
    const { fingerprint, shareCode } = request.query
    const { userId } = request.identity
    if (!fingerprint && userId === null) throw unauthenticated()
    const folder = await deps.database.folder.findUnique({ where: { id: request.params.id } })
    if (!folder) throw notFound('Folder not found')
    if (folder.userId !== userId) {
      const proof = linkProof(deps.linkCookies, { folderId: folder.id, shareCode, headers: request.headers })
      if (!fingerprint || !(await opensFolder(deps.pool, folder.id, proof))) throw notFound('Folder not found')
    }
    if (!fingerprint) return standingsBody(folder, await deps.standings.read(folder.id))
    const voter = deps.voterIdentity.hash('fingerprint', folder.id, fingerprint)
    return { userRankings: await deps.ballots.read({ folderId: folder.id, voter }) }
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

function castVote(
  { voteCaster, voterIdentity, linkCookies }: FoldersDeps,
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
    link: linkProof(linkCookies, { folderId, shareCode, headers }),
  })
  return cast.then((rankings) => ({ body: { rankings } }))
}

function standingsBody({ votingOpen }: Folder, tallies: Tally[]) {
  const winners = RANKS.flatMap((rank, index) => {
    const tally = tallies[index]
    return tally ? [[tally.photoId, rank] as const] : []
  })
  return {
    rankings: Object.fromEntries(winners),
    tallies,
    voting: votingOpen ? ('open' as const) : ('closed' as const),
  }
}
