import { type App, type FairQueue, type LinkCookie, notFound, requireUser, unauthenticated } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import type { Database } from '../database.ts'
import type { Folder } from '../generated/client.ts'
import { linkProof, opensLink } from '../sharing/link-proof.ts'
import { RANKS } from '../voting/ranks.ts'
import type { BallotReader } from '../voting/read-ballots.ts'
import { readAllStandings, type StandingsReader, type Tally } from '../voting/standings.ts'
import { standingsCsv } from '../voting/standings-csv.ts'
import type { VoterIdentity } from '../voting/voter-identity.ts'
import type { VotingControl } from '../voting/voting-control.ts'
import type { RequestOf } from './request.ts'
import { EXPORT_RANKINGS, GET_RANKINGS } from './vote-schemas.ts'

export interface RankingRouteDeps {
  pool: Pool
  database: Database
  standings: StandingsReader
  ballots: BallotReader
  voterIdentity: VoterIdentity
  linkCookie: LinkCookie
  votingControl: VotingControl
  ownerLimiter: FairQueue
}

/** The results of a folder's voting. */
export function rankingRoutes(app: App, deps: RankingRouteDeps): void {
  app.get('/api/folders/:id/rankings', { config: { access: 'public' }, schema: GET_RANKINGS }, (request) =>
    getRankings(deps, request),
  )
  app.get('/api/folders/:id/rankings.csv', { config: { access: 'user' }, schema: EXPORT_RANKINGS }, (request, reply) =>
    exportRankings(deps, request, reply),
  )
}

async function getRankings(
  deps: RankingRouteDeps,
  { params, query, identity, headers }: RequestOf<typeof GET_RANKINGS> & Pick<FastifyRequest, 'headers'>,
) {
  const { fingerprint, shareCode } = query
  const { userId } = identity
  if (!fingerprint && userId === null) throw unauthenticated()
  const folder = await deps.database.folder.findUnique({ where: { id: params.id } })
  if (!folder) throw notFound('Folder not found')
  const proof = linkProof(deps.linkCookie, { folderId: folder.id, shareCode, headers })
  const isVisitors = fingerprint && folder.isPublic && !folder.ownerSuspended && opensLink(folder, proof)
  if (folder.userId !== userId && !isVisitors) throw notFound('Folder not found')
  if (!fingerprint) return standingsBody(folder, await deps.standings.read(folder.id))
  const voter = deps.voterIdentity.hash('fingerprint', folder.id, fingerprint)
  return { userRankings: await deps.ballots.read({ folderId: folder.id, voter }) }
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

async function exportRankings(deps: RankingRouteDeps, request: RequestOf<typeof EXPORT_RANKINGS>, reply: FastifyReply) {
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
}
