import { errorResponses } from '@skyfolio/kit'
import { Type } from 'typebox'
import { FLAGS } from '../voting/flags.ts'
import { VOTING_ACTIONS } from '../voting/voting-log.ts'
import { DateTime, IdParams, RankedPhotosBody } from './schemas.ts'

const Label = Type.String({ pattern: '^[0-9a-f]{16}$', description: 'Label of the voter in this folder' })

export const VoterBody = Type.Object({
  voter: Label,
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
})

export const LIST_VOTERS = {
  summary:
    'Lists the voters of a folder, last change first, in pages with a `Link` to the next one and `X-Total-Count`',
  params: IdParams,
  querystring: Type.Object({
    limit: Type.Integer({ minimum: 1, maximum: 500, default: 100 }),
    cursor: Type.Optional(Type.String({ maxLength: 200 })),
    flagged: Type.Boolean({ default: false, description: 'Only voters with a flag' }),
  }),
  response: { 200: Type.Array(VoterBody), ...errorResponses },
}
export const EXCLUDE_MANY = {
  summary: "Excludes all ballots with a flag from the tallies, or restores ballots; never the owner's",
  params: IdParams,
  body: Type.Object({
    excluded: Type.Boolean(),
    flag: Type.Optional(Type.Enum([...FLAGS], { description: 'Ballots with this flag' })),
    flagged: Type.Optional(Type.Literal(true, { description: 'Ballots with any flag' })),
  }),
  response: { 200: Type.Object({ changed: Type.Integer() }), ...errorResponses },
}
export const EXCLUDE_ONE = {
  summary: 'Excludes a ballot from the tallies, or restores it; the voter does not notice',
  params: Type.Object({ ...IdParams.properties, voter: Label }),
  body: Type.Object({ excluded: Type.Boolean() }),
  response: { 200: VoterBody, ...errorResponses },
}
export const RESET_VOTES = {
  summary: 'Removes all votes of a folder',
  params: IdParams,
  response: { 204: Type.Null(), ...errorResponses },
}
export const READ_VOTING_LOG = {
  summary: "Lists the owner's actions on the votes of a folder, newest first, in pages like the voters",
  params: IdParams,
  querystring: Type.Object({
    limit: Type.Integer({ minimum: 1, maximum: 500, default: 200 }),
    cursor: Type.Optional(Type.String({ pattern: '^[0-9]{1,18}$' })),
  }),
  response: { 200: Type.Array(LogEntry), ...errorResponses },
}
