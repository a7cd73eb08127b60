import { errorResponses } from '@skyfolio/kit'
import { Type } from 'typebox'
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

export const VoteRequest = Type.Object({
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

export const CAST_VOTE = {
  summary: "Gives a photo a rank on the voter's ballot, or removes it",
  params: IdParams,
  body: VoteRequest,
  response: { 200: Type.Object({ rankings: RankedPhotosBody }), ...errorResponses },
}
export const GET_RANKINGS = {
  summary: "Returns the folder's standings (owner), or with a fingerprint that voter's own ranking",
  params: IdParams,
  querystring: Type.Object({ ...FingerprintQuery.properties, shareCode: GivenShareCode }),
  response: { 200: Type.Union([StandingsBody, OwnRankingBody]), ...errorResponses },
}
export const EXPORT_RANKINGS = {
  summary: 'Returns the standings of all photos of a folder as CSV',
  params: IdParams,
  response: { 200: { content: { 'text/csv': { schema: Type.String() } } }, ...errorResponses },
}
