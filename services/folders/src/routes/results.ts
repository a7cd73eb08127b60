import { type App, AppError, compressJson, errorResponses, Nullable } from '@skyfolio/kit'
import { Type } from 'typebox'
import { CountEntryBody } from '../contests/count.ts'
import type { FoldersDeps } from '../deps.ts'
import type { SharePage } from '../sharing/share-pages.ts'
import { sendVersioned } from '../sharing/share-response.ts'
import { RANKS } from '../voting/ballots.ts'
import type { VoterRequest } from '../voting/find-voter.ts'
import { DateTime, FingerprintQuery, ShareParams, TallyBody } from './schemas.ts'
import { getPage } from './share.ts'

const { voters: _, ...placeFields } = TallyBody.properties
const ResultsBody = Type.Object({
  folder: Type.Object({
    id: Type.Integer(),
    name: Type.String(),
    description: Nullable(Type.String()),
    photographer: Nullable(Type.String()),
  }),
  text: Nullable(Type.String({ description: "The owner's words" })),
  closedAt: DateTime,
  rule: Type.String(),
  ballots: Type.Integer({ description: 'That count' }),
  places: Type.Array(Type.Object({ rank: Type.Integer(), ...placeFields })),
  tallies: Type.Array(TallyBody),
  log: Type.Array(CountEntryBody, {
    description: 'Each count since voting closed, with the digest of the one before in its own; see `ops recount`',
  }),
})

const GET_STANDINGS = {
  summary: 'Returns the standings of a shared folder, where its owner shows them to this voter',
  params: ShareParams,
  querystring: FingerprintQuery,
  response: {
    200: Type.Object({ ballots: Type.Integer(), tallies: Type.Array(TallyBody) }),
    304: Type.Null(),
    ...errorResponses,
  },
}
const GET_RESULTS = {
  summary: 'Returns the published result of a shared folder whose voting is over',
  params: ShareParams,
  response: { 200: ResultsBody, 304: Type.Null(), ...errorResponses },
}
const GET_RESULTS_CSV = {
  summary: 'Returns the published result as CSV',
  params: ShareParams,
  response: { 200: { content: { 'text/csv': { schema: Type.String() } } }, ...errorResponses },
}
const ACCEPT_INVITATION = {
  summary: "Opens an invitation: from now on the ballot of this browser is the invitation's",
  params: ShareParams,
  body: Type.Object({ secret: Type.String({ maxLength: 100 }) }),
  response: { 204: Type.Null(), ...errorResponses },
}

const config = { access: 'public', quiet: true } as const

/** What visitors see of a vote: standings, results; and their invitations. */
export function resultRoutes(app: App, deps: FoldersDeps): void {
  const { linkCookies, invitations, publicStandings } = deps

  app.get(
    '/api/share/:shareCode/standings',
    { config, schema: GET_STANDINGS, onSend: compressJson },
    async ({ params, query, headers, identity }, reply) => {
      const page = await getPage(deps, params, headers)
      const voter = { fingerprint: query.fingerprint, headers, userId: identity.userId }
      if (!(await mayReadStandings(deps, page, voter))) {
        throw new AppError(403, 'standings_hidden', 'The standings are not shown to you now.')
      }
      return sendVersioned(headers, reply, await publicStandings.read(page.folderId))
    },
  )
  app.get(
    '/api/share/:shareCode/results',
    { config, schema: GET_RESULTS, onSend: compressJson },
    async ({ params, headers }, reply) =>
      sendVersioned(headers, reply, await (await getPage(deps, params, headers)).results()),
  )
  app.get(
    '/api/share/:shareCode/results.csv',
    { config, schema: GET_RESULTS_CSV },
    async ({ params, headers }, reply) => {
      const page = await getPage(deps, params, headers)
      const { csv } = await page.results()
      return reply
        .type('text/csv; charset=utf-8')
        .header('cache-control', 'private, no-store')
        .header('content-disposition', `attachment; filename="results-${page.folderId}.csv"`)
        .send(csv)
    },
  )
  app.post(
    '/api/share/:shareCode/invitation',
    { config: { access: 'public' }, schema: ACCEPT_INVITATION },
    async ({ params, body, headers }, reply) => {
      const { folderId } = await getPage(deps, params, headers)
      const invitation = await invitations.find(folderId, body.secret)
      if (!invitation)
        throw new AppError(404, 'invitation_unknown', 'This invitation does not exist, or was withdrawn.')
      const cookie = linkCookies.invited.add(headers.cookie, [folderId, invitation.id])
      if (cookie) reply.header('set-cookie', cookie)
      return reply.code(204).send(null)
    },
  )
}

async function mayReadStandings(
  { ballots, voterFinder }: FoldersDeps,
  { folderId, show, phase }: SharePage,
  request: Omit<VoterRequest, 'folderId'>,
): Promise<boolean> {
  if (show === 'never') return false
  if (show !== 'voted') return show === 'always' || phase === 'closed'
  const { voter } = await voterFinder.find({ folderId, ...request })
  if (!voter) return false
  const ranked = await ballots.read({ folderId, voter })
  return RANKS.some((rank) => ranked[rank] > 0)
}
