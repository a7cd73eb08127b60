import { type App, errorResponses, invalidFields, Nullable, oneLine, requireUser } from '@skyfolio/kit'
import { type Static, Type } from 'typebox'
import { type Contest, type ContestFields, PHASES, PHOTO_ORDERS, SHOW_STANDINGS, VOTERS } from '../contests/contest.ts'
import { BallotFileBody } from '../contests/count.ts'
import { readBallotFile } from '../contests/results.ts'
import type { LimitedDeps } from '../deps.ts'
import { DateTime, Id, IdParams, MomentField } from './schemas.ts'

const TEXT_LENGTH = 2000
const ContestInput = Type.Object({
  opensAt: Type.Optional(MomentField),
  closesAt: Type.Optional(MomentField),
  show: Type.Optional(Type.Enum([...SHOW_STANDINGS], { description: 'Which voters see the standings' })),
  order: Type.Optional(
    Type.Enum([...PHOTO_ORDERS], { description: 'Of the photos; `shuffled`: each voter has an own order' }),
  ),
  voters: Type.Optional(Type.Enum([...VOTERS])),
  openBallot: Type.Optional(
    Type.Boolean({
      description: 'The owner reads the names of invited voters beside their choices; voters are told so',
    }),
  ),
  resultsPublic: Type.Optional(
    Type.Boolean({ description: 'Everybody with a link sees the results once voting is closed' }),
  ),
  resultsText: Type.Optional(
    Nullable(
      Type.String({
        maxLength: TEXT_LENGTH,
        pattern: '^[^\\u0000]*$',
        'x-message': { maxLength: `The text must have at most ${TEXT_LENGTH} characters.` },
      }),
    ),
  ),
})
const ContestBody = Type.Object({
  opensAt: Nullable(DateTime),
  closesAt: Nullable(DateTime),
  show: Type.Enum([...SHOW_STANDINGS]),
  order: Type.Enum([...PHOTO_ORDERS]),
  voters: Type.Enum([...VOTERS]),
  openBallot: Type.Boolean(),
  resultsPublic: Type.Boolean(),
  resultsText: Nullable(Type.String()),
  phase: Type.Enum([...PHASES], { description: 'At this moment, by the clock of the database' }),
  closedAt: Nullable(Type.String({ format: 'date-time', description: 'Once the ballots were counted after the end' })),
})
const InvitationBody = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  url: Type.String({ description: 'Path and fragment of the page that it opens' }),
  used: Type.Boolean({ description: 'It has voted' }),
})
const NAMES = 'Give 1 to 1,000 names of 1 to 200 characters.'
const MAX_NAME_LENGTH = 200

const GET_CONTEST = {
  summary: 'Returns how the vote in a folder is held',
  params: IdParams,
  response: { 200: ContestBody, ...errorResponses },
}
const UPDATE_CONTEST = {
  summary: 'Changes how the vote in a folder is held; absent fields stay unchanged',
  params: IdParams,
  body: ContestInput,
  response: { 200: ContestBody, ...errorResponses },
}
const LIST_INVITATIONS = {
  summary: 'Lists the invitations to vote in a folder, the oldest first',
  params: IdParams,
  response: { 200: Type.Array(InvitationBody), ...errorResponses },
}
const CREATE_INVITATIONS = {
  summary: 'Creates an invitation for each name',
  params: IdParams,
  body: Type.Object({
    names: Type.Array(Type.String({ maxLength: 1000, pattern: '^[^\\u0000]*$', 'x-message': NAMES }), {
      minItems: 1,
      maxItems: 1000,
      'x-message': NAMES,
    }),
  }),
  response: { 201: Type.Array(InvitationBody), ...errorResponses },
}
const DELETE_INVITATION = {
  summary: 'Withdraws an invitation and removes its ballot',
  params: Type.Object({ ...IdParams.properties, invitationId: Id }),
  response: { 204: Type.Null(), ...errorResponses },
}
const GET_BALLOTS = {
  summary: 'Returns the ballots of a folder whose voting is over, without voters, for a recount',
  params: IdParams,
  response: { 200: BallotFileBody, ...errorResponses },
}

const config = { access: 'user' } as const

/** The vote in a user's own folder as a contest: its rules, invitations, and the ballots for a recount. */
export function contestRoutes(app: App, deps: LimitedDeps): void {
  const { contests, invitations, ownerLimiter, votingControl, results, rankingsChanged } = deps
  app.get('/api/folders/:id/contest', { config, schema: GET_CONTEST }, async (request) =>
    contestBody(await contests.get(request.params.id, requireUser(request).userId)),
  )
  app.put('/api/folders/:id/contest', { config, schema: UPDATE_CONTEST }, async (request) => {
    const { userId } = requireUser(request)
    const contest = await contests.update(request.params.id, userId, fieldsOf(request.body))
    rankingsChanged(request.params.id, userId)
    return contestBody(contest)
  })
  app.get('/api/folders/:id/invitations', { config, schema: LIST_INVITATIONS }, async (request) =>
    invitations.list(request.params.id, requireUser(request).userId),
  )
  app.post('/api/folders/:id/invitations', { config, schema: CREATE_INVITATIONS }, async (request, reply) => {
    reply.code(201)
    return invitations.create(request.params.id, requireUser(request).userId, request.body.names.map(nameOf))
  })
  app.delete(
    '/api/folders/:id/invitations/:invitationId',
    { config, schema: DELETE_INVITATION },
    async (request, reply) => {
      const { id, invitationId } = request.params
      const { userId } = requireUser(request)
      await invitations.remove(id, invitationId, userId)
      rankingsChanged(id, userId)
      reply.code(204)
      return null
    },
  )
  app.get('/api/folders/:id/ballots.json', { config, schema: GET_BALLOTS }, async (request, reply) => {
    const { id } = request.params
    const { userId } = requireUser(request)
    const file = await ownerLimiter.run({ key: userId }, async () => {
      await votingControl.getOwnFolder(id, userId)
      return readBallotFile(results, id)
    })
    reply
      .header('cache-control', 'private, no-store')
      .header('content-disposition', `attachment; filename="ballots-${id}.json"`)
    return file
  })
}

function contestBody({ opensAt, closesAt, closedAt, ...contest }: Contest): Static<typeof ContestBody> {
  return {
    ...contest,
    opensAt: opensAt?.toISOString() ?? null,
    closesAt: closesAt?.toISOString() ?? null,
    closedAt: closedAt?.toISOString() ?? null,
  }
}

/** Without whatever else the body has: a folder has columns that no owner sets. */
function fieldsOf(body: Static<typeof ContestInput>): ContestFields {
  const known = Object.entries(body).filter(([key]) => Object.hasOwn(ContestInput.properties, key))
  const { opensAt, closesAt, resultsText, ...fields } = Object.fromEntries(known) as typeof body
  return {
    ...fields,
    ...(opensAt !== undefined && { opensAt: opensAt && new Date(opensAt) }),
    ...(closesAt !== undefined && { closesAt: closesAt && new Date(closesAt) }),
    ...(resultsText !== undefined && { resultsText: resultsText?.trim() || null }),
  } as ContestFields
}

function nameOf(text: string): string {
  const name = oneLine(text)
  if (name === '' || [...name].length > MAX_NAME_LENGTH) throw invalidFields({ names: NAMES })
  return name
}
