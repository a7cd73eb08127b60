import { type App, batchRoute, errorResponses, notFound, unauthenticated } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { Database } from '../database.ts'
import type { Folder } from '../generated/client.ts'
import type { Voting } from '../voting/cast-vote.ts'
import type { Ballots } from '../voting/read-ballots.ts'
import type { Standings, Tally } from '../voting/tallies.ts'
import type { Voters } from '../voting/voters.ts'
import { Fingerprint, FingerprintQuery, Id, IdParams, PlacesBody, Rank, RankByPhoto } from './schemas.ts'

export const RankWish = Type.Object({
  fingerprint: Fingerprint,
  rank: Type.Union([Rank, Type.Literal('')], { description: 'Empty: takes the photo off the ballot' }),
  folderId: Id,
})
const TallyBody = Type.Object({
  photoId: Type.Integer(),
  first: Type.Integer(),
  second: Type.Integer(),
  third: Type.Integer(),
  points: Type.Integer({ description: '3 for a first place, 2 for a second, 1 for a third' }),
  voters: Type.Integer(),
})
const StandingsBody = Type.Object({
  rankings: RankByPhoto,
  tallies: Type.Array(TallyBody, {
    description: 'Photos with votes, best first; ties: more firsts, more seconds, the earlier upload',
  }),
  voting: Type.Union([Type.Literal('open'), Type.Literal('closed')]),
})
const OwnRanking = Type.Object({ userRankings: PlacesBody })

const PLACES = { '': 0, first: 1, second: 2, third: 3 } as const
const WINNERS = ['first', 'second', 'third'] as const

export interface VoteRouteDeps {
  identityKeys: string[]
  database: Database
  standings: Standings
  voting: Voting
  ballots: Ballots
  voters: Voters
}

/** Voting, and what came of it. */
export function rankingRoutes(app: App, o: VoteRouteDeps): void {
  const { voting, voters } = o

  batchRoute(app, o.identityKeys, {
    method: 'POST',
    url: '/api/photos/:id/rank',
    config: { access: 'public', quiet: true },
    schema: {
      summary: "Puts a photo at a place of the voter's ballot, or takes it off",
      params: IdParams,
      body: RankWish,
      response: { 200: Type.Object({ rankings: PlacesBody }), ...errorResponses },
    },
    async handler({ params, body, identity, headers }) {
      const { fingerprint, rank, folderId } = body
      const { userId, address } = identity
      const known = voters.tokenOf(headers.cookie)
      const token = known ?? voters.newToken()
      const rankings = await voting.cast({
        folderId,
        photoId: params.id,
        place: PLACES[rank],
        voter: voters.hash('fingerprint', folderId, fingerprint),
        address: voters.hash('address', folderId, address),
        token: voters.hash('token', folderId, token),
        userId,
      })
      return known ? { body: { rankings } } : { body: { rankings }, headers: { 'set-cookie': voters.cookie(token) } }
    },
  })

  app.get(
    '/api/folders/:id/rankings',
    {
      config: { access: 'public' },
      schema: {
        summary: "The folder's standings (owner), or with a fingerprint that voter's own ranking",
        params: IdParams,
        querystring: FingerprintQuery,
        response: { 200: Type.Union([StandingsBody, OwnRanking]), ...errorResponses },
      },
    },
    async (request) => {
      const folderId = request.params.id
      const { fingerprint } = request.query
      const { userId } = request.identity
      if (!fingerprint && userId === null) throw unauthenticated()
      const folder = await o.database.folder.findUnique({ where: { id: folderId } })
      const allowed = folder && (folder.userId === userId || (fingerprint && folder.isPublic))
      if (!allowed) throw notFound('Folder not found')
      if (!fingerprint) return standingsBody(folder, await o.standings.of(folderId))
      const voter = voters.hash('fingerprint', folderId, fingerprint)
      return { userRankings: await o.ballots.get({ folderId, voter }) }
    },
  )
}

function standingsBody({ votingOpen }: Folder, tallies: Tally[]) {
  const winners = tallies.slice(0, WINNERS.length).map((tally, index) => [tally.photoId, WINNERS[index]])
  return {
    rankings: Object.fromEntries(winners),
    tallies,
    voting: votingOpen ? ('open' as const) : ('closed' as const),
  }
}
