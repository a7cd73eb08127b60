import { type App, badRequest, errorResponses, Nullable, notFound, requireUser } from '@skyfolio/kit'
import type { FastifyReply } from 'fastify'
import { type Static, Type } from 'typebox'
import type { LimitedDeps } from '../deps.ts'
import { decodeVoterCursor, encodeVoterCursor, FLAGS, type Voter } from '../voting/voters.ts'
import { requireOpenChoices, VOTING_ACTIONS } from '../voting/voting-control.ts'
import { folderBody, SET_VOTING_OPEN } from './folders.ts'
import { DateTime, IdParams, RankedPhotosBody } from './schemas.ts'

const Label = Type.String({ pattern: '^[0-9a-f]{16}$', description: 'Label of the voter in this folder' })

const VoterBody = Type.Object({
  voter: Label,
  name: Nullable(Type.String({ description: 'Of the invitation, where ballots are open' })),
  createdAt: DateTime,
  updatedAt: DateTime,
  ...RankedPhotosBody.properties,
  flags: Type.Array(Type.Enum([...FLAGS])),
  excluded: Type.Boolean({ description: 'Not counted in the tallies' }),
  owner: Type.Boolean({ description: "The ballot is the folder owner's" }),
})
const LogEntry = Type.Object({
  at: DateTime,
  action: Type.Enum([...VOTING_ACTIONS]),
  voter: Type.Union([Label, Type.Null()], { description: 'The voter, for an action on one ballot' }),
  ballots: Type.Union([Type.Integer(), Type.Null()], { description: 'Number of ballots, for an action on many' }),
  note: Nullable(Type.String({ description: 'What was changed of the contest' })),
})

const LIST_VOTERS = {
  summary:
    'Lists the voters of a folder, last change first, in pages with a `Link` to the next one, `X-Total-Count`, and `X-Excluded-Count`: how many of those are excluded',
  params: IdParams,
  querystring: Type.Object({
    limit: Type.Integer({ minimum: 1, maximum: 500, default: 100 }),
    cursor: Type.Optional(Type.String({ maxLength: 200 })),
    flagged: Type.Boolean({ default: false, description: 'Only voters with a flag' }),
  }),
  response: { 200: Type.Array(VoterBody), ...errorResponses },
}
const EXCLUDE_MANY = {
  summary: "Excludes all ballots with a flag from the tallies, or restores ballots; never the owner's",
  params: IdParams,
  body: Type.Object({
    excluded: Type.Boolean(),
    flag: Type.Optional(Type.Enum([...FLAGS], { description: 'Ballots with this flag' })),
    flagged: Type.Optional(Type.Literal(true, { description: 'Ballots with any flag' })),
  }),
  response: { 200: Type.Object({ changed: Type.Integer() }), ...errorResponses },
}
const EXCLUDE_ONE = {
  summary: 'Excludes a ballot from the tallies, or restores it; the voter does not notice',
  params: Type.Object({ ...IdParams.properties, voter: Label }),
  body: Type.Object({ excluded: Type.Boolean() }),
  response: { 200: VoterBody, ...errorResponses },
}
const RESET_VOTES = {
  summary: 'Removes all votes of a folder',
  params: IdParams,
  response: { 204: Type.Null(), ...errorResponses },
}
const READ_VOTING_LOG = {
  summary: "Lists the owner's actions on the votes of a folder, newest first, in pages like the voters",
  params: IdParams,
  querystring: Type.Object({
    limit: Type.Integer({ minimum: 1, maximum: 500, default: 200 }),
    cursor: Type.Optional(Type.String({ pattern: '^[0-9]{1,18}$' })),
  }),
  response: { 200: Type.Array(LogEntry), ...errorResponses },
}

/** Sets `X-Total-Count` and a `Link` to the next page, whose query is `next`; null on the last. */
function setPageHeaders(
  reply: FastifyReply,
  { path, total, next }: { path: string; total: number; next: Record<string, string> | null },
): void {
  reply.header('x-total-count', total).header('cache-control', 'private, no-store')
  if (next) reply.header('link', `<${path}?${new URLSearchParams(next)}>; rel="next"`)
}

const config = { access: 'user' } as const

/** What the owner sees and does of the voting of a folder: its voters, and the log of what was done. */
export function votingControlRoutes(app: App, deps: LimitedDeps): void {
  const { folders, votingControl, invitations, voterList, flagUpdater, ownerLimiter, rankingsChanged } = deps
  app.get('/api/folders/:id/voters', { config, schema: LIST_VOTERS }, async (request, reply) => {
    const { id } = request.params
    const { limit, flagged, cursor: text } = request.query
    const { userId } = requireUser(request)
    const cursor = text ? decodeVoterCursor(text) : null
    const { voters, total, excluded, next, names } = await ownerLimiter.run({ key: userId }, async () => {
      const folder = await votingControl.getOwnFolder(id, userId)
      requireOpenChoices(folder)
      await flagUpdater.refresh(folder)
      const names = folder.openBallot ? await invitations.names(id) : undefined
      return { ...(await voterList.list(id, { limit, flagged, cursor })), names }
    })
    setPageHeaders(reply, {
      path: `/api/folders/${id}/voters`,
      total,
      next: next && { limit: `${limit}`, flagged: `${flagged}`, cursor: encodeVoterCursor(next) },
    })
    reply.header('x-excluded-count', excluded)
    return voters.map((voter) => voterBody(voter, names))
  })
  app.patch('/api/folders/:id/voters', { config, schema: EXCLUDE_MANY }, async (request) => {
    const { id } = request.params
    const { userId } = requireUser(request)
    const { excluded, flag, flagged } = request.body
    const filter = flag ?? (flagged ? 'flagged' : 'all')
    if (excluded && filter === 'all') throw badRequest('Please say which ballots: those with a flag, or all flagged.')
    const changed = await ownerLimiter.run({ key: userId }, async () => {
      await flagUpdater.refresh(await votingControl.getOwnFolder(id, userId))
      return votingControl.setManyExcluded(id, userId, filter, excluded)
    })
    rankingsChanged(id, userId)
    return { changed }
  })
  app.patch('/api/folders/:id/voters/:voter', { config, schema: EXCLUDE_ONE }, async (request) => {
    const { id, voter: label } = request.params
    const { userId } = requireUser(request)
    await ownerLimiter.run({ key: userId }, () => votingControl.setExcluded(id, userId, label, request.body.excluded))
    rankingsChanged(id, userId)
    const voter = await voterList.find(id, label)
    if (!voter) throw notFound('Voter not found')
    const { openBallot } = await votingControl.getOwnFolder(id, userId)
    return voterBody(voter, openBallot ? await invitations.names(id) : undefined)
  })
  app.patch('/api/folders/:id/voting', { config, schema: SET_VOTING_OPEN }, async (request) => {
    const { userId } = requireUser(request)
    const folder = await folders.setVotingOpen(request.params.id, userId, request.body.open)
    rankingsChanged(folder.id, userId)
    return folderBody(folder)
  })
  app.delete('/api/folders/:id/votes', { config, schema: RESET_VOTES }, async (request, reply) => {
    const { userId } = requireUser(request)
    await votingControl.reset(request.params.id, userId)
    rankingsChanged(request.params.id, userId)
    reply.code(204)
    return null
  })
  app.get('/api/folders/:id/voting-log', { config, schema: READ_VOTING_LOG }, async (request, reply) => {
    const { id } = request.params
    const { userId } = requireUser(request)
    const { entries, total, next } = await ownerLimiter.run({ key: userId }, () =>
      votingControl.readLog(id, userId, request.query),
    )
    setPageHeaders(reply, {
      path: `/api/folders/${id}/voting-log`,
      total,
      next: next === null ? null : { limit: `${request.query.limit}`, cursor: next },
    })
    return entries.map((entry) => ({ ...entry, at: entry.at.toISOString() }))
  })
}

function voterBody(voter: Voter, names?: Map<string, string>): Static<typeof VoterBody> {
  return {
    ...voter,
    name: names?.get(voter.voter) ?? null,
    createdAt: voter.createdAt.toISOString(),
    updatedAt: voter.updatedAt.toISOString(),
  }
}
