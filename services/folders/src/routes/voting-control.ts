import { type App, badRequest, createLimiter, errorResponses, notFound, requireUser } from '@skyfolio/kit'
import type { Pool } from 'pg'
import { type Static, Type } from 'typebox'
import type { Folders } from '../folders/folders.ts'
import type { Flagging } from '../voting/flagging.ts'
import { standingsCsv } from '../voting/standings-csv.ts'
import { allStandings } from '../voting/tallies.ts'
import { type Cursor, FLAGS, type Voter, type VoterList } from '../voting/voter-list.ts'
import type { VotingControl } from '../voting/voting-control.ts'
import { VOTING_ACTIONS } from '../voting/voting-log.ts'
import { FolderBody, folderBody } from './folders.ts'
import { IdParams, PlacesBody } from './schemas.ts'

const Label = Type.String({ pattern: '^[0-9a-f]{16}$', description: 'What the owner knows a voter by' })
const Moment = Type.String({ format: 'date-time' })
const VoterBody = Type.Object({
  voter: Label,
  createdAt: Moment,
  updatedAt: Moment,
  ...PlacesBody.properties,
  flags: Type.Array(Type.Enum([...FLAGS])),
  excluded: Type.Boolean({ description: 'Adds nothing to the tallies' }),
  owner: Type.Boolean({ description: "The folder's owner filled it" }),
})
const LogEntry = Type.Object({
  at: Moment,
  action: Type.Enum([...VOTING_ACTIONS]),
  voter: Type.Union([Label, Type.Null()], { description: 'Whose ballot, where it is about one' }),
  ballots: Type.Union([Type.Integer(), Type.Null()], { description: 'How many, where it is about many' }),
})
const VotersQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 100 }),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
  flagged: Type.Boolean({ default: false, description: 'Only voters with a flag' }),
})
const Many = Type.Object({
  excluded: Type.Boolean(),
  flag: Type.Optional(Type.Enum([...FLAGS], { description: 'Those with this flag' })),
  flagged: Type.Optional(Type.Literal(true, { description: 'Those with any flag' })),
})
const LogQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 200 }),
  cursor: Type.Optional(Type.String({ pattern: '^[0-9]{1,18}$' })),
})
const VOTERS = "A folder's voters, the last change first, in pages with a `Link` to the next one and `X-Total-Count`"

export interface VotingControlDeps {
  pool: Pool
  folders: Folders
  votingControl: VotingControl
  voterList: VoterList
  flagging: Flagging
  /** Tells the owner's screens that the standings, or who they count, changed. */
  rankingsChanged(folderId: number, ownerId: number): void
}

const TOO_MANY_LISTS = 'You are reading too many lists at once. Please wait a moment.'

/** What only a folder's owner sees and does of its voting. */
export function votingRoutes(app: App, o: VotingControlDeps): void {
  const { folders, votingControl, voterList, flagging, rankingsChanged } = o
  // What reads or changes all ballots of a folder: few connections of the pool, and never all of one owner's.
  const limiter = createLimiter({
    perKey: 2,
    total: 3,
    maxWaitingPerKey: 50,
    maxWaiting: 500,
    messages: { tooManyOfKey: TOO_MANY_LISTS },
  })
  const config = { access: 'user' } as const

  app.get(
    '/api/folders/:id/voters',
    {
      config,
      schema: {
        summary: VOTERS,
        params: IdParams,
        querystring: VotersQuery,
        response: { 200: Type.Array(VoterBody), ...errorResponses },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const { limit, flagged, cursor } = request.query
      const { userId } = requireUser(request)
      const from = cursor ? readCursor(cursor) : null
      const page = await limiter.run({ key: userId }, async () => {
        await flagging.refresh(await votingControl.own(id, userId))
        return voterList.list(id, { limit, flagged, cursor: from })
      })
      reply.header('x-total-count', page.total).header('cache-control', 'private, no-store')
      if (page.next) {
        const next = new URLSearchParams({ limit: `${limit}`, flagged: `${flagged}`, cursor: writeCursor(page.next) })
        reply.header('link', `</api/folders/${id}/voters?${next}>; rel="next"`)
      }
      return page.voters.map(voterBody)
    },
  )

  app.patch(
    '/api/folders/:id/voters',
    {
      config,
      schema: {
        summary: 'Excludes all ballots with a flag from the tallies, or restores ballots; never the own one',
        params: IdParams,
        body: Many,
        response: { 200: Type.Object({ changed: Type.Integer() }), ...errorResponses },
      },
    },
    async (request) => {
      const { id } = request.params
      const { userId } = requireUser(request)
      const { excluded, flag, flagged } = request.body
      const choice = flag ?? (flagged ? 'flagged' : 'all')
      if (excluded && choice === 'all') throw badRequest('Please say which ballots: those with a flag, or all flagged.')
      const changed = await limiter.run({ key: userId }, async () => {
        await flagging.refresh(await votingControl.own(id, userId))
        return votingControl.setExcludedMany(id, userId, choice, excluded)
      })
      rankingsChanged(id, userId)
      return { changed }
    },
  )

  app.patch(
    '/api/folders/:id/voters/:voter',
    {
      config,
      schema: {
        summary: 'Excludes a ballot from the tallies, or restores it; its voter does not notice',
        params: Type.Object({ ...IdParams.properties, voter: Label }),
        body: Type.Object({ excluded: Type.Boolean() }),
        response: { 200: VoterBody, ...errorResponses },
      },
    },
    async (request) => {
      const { id, voter: label } = request.params
      const { userId } = requireUser(request)
      await limiter.run({ key: userId }, () => votingControl.setExcluded(id, userId, label, request.body.excluded))
      rankingsChanged(id, userId)
      const voter = await voterList.one(id, label)
      if (!voter) throw notFound('Voter not found')
      return voterBody(voter)
    },
  )

  app.delete(
    '/api/folders/:id/votes',
    {
      config,
      schema: {
        summary: 'Removes all votes of a folder',
        params: IdParams,
        response: { 204: Type.Null(), ...errorResponses },
      },
    },
    async (request, reply) => {
      const { userId } = requireUser(request)
      await votingControl.reset(request.params.id, userId)
      rankingsChanged(request.params.id, userId)
      return reply.code(204).send(null)
    },
  )

  app.patch(
    '/api/folders/:id/voting',
    {
      config,
      schema: {
        summary: 'Opens or closes the voting of a folder',
        params: IdParams,
        body: Type.Object({ open: Type.Boolean() }),
        response: { 200: FolderBody, ...errorResponses },
      },
    },
    async (request) => {
      const { userId } = requireUser(request)
      const folder = await folders.setVotingOpen(request.params.id, userId, request.body.open)
      rankingsChanged(folder.id, userId)
      return folderBody(folder)
    },
  )

  app.post(
    '/api/folders/:id/share-code',
    {
      config,
      schema: {
        summary: 'Gives a folder a new link; the old one leads nowhere from then on',
        params: IdParams,
        response: { 200: FolderBody, ...errorResponses },
      },
    },
    async (request) => {
      const { userId } = requireUser(request)
      const folder = await folders.renewShareCode(request.params.id, userId)
      rankingsChanged(folder.id, userId)
      return folderBody(folder)
    },
  )

  app.get(
    '/api/folders/:id/voting-log',
    {
      config,
      schema: {
        summary: 'What the owner did with the votes of a folder, the newest first, in pages like the voters',
        params: IdParams,
        querystring: LogQuery,
        response: { 200: Type.Array(LogEntry), ...errorResponses },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const { userId } = requireUser(request)
      const { entries, total, next } = await limiter.run({ key: userId }, () =>
        votingControl.log(id, userId, request.query),
      )
      reply.header('x-total-count', total).header('cache-control', 'private, no-store')
      if (next) {
        const query = new URLSearchParams({ limit: `${request.query.limit}`, cursor: next })
        reply.header('link', `</api/folders/${id}/voting-log?${query}>; rel="next"`)
      }
      return entries.map((entry) => ({ ...entry, at: entry.at.toISOString() }))
    },
  )

  app.get(
    '/api/folders/:id/rankings.csv',
    {
      config,
      schema: {
        summary: 'The standings of all photos of a folder, for spreadsheets',
        params: IdParams,
        response: { 200: { content: { 'text/csv': { schema: Type.String() } } }, ...errorResponses },
      },
    },
    async (request, reply) => {
      const { userId } = requireUser(request)
      const { folder, standings } = await limiter.run({ key: userId }, async () => {
        const folder = await votingControl.own(request.params.id, userId)
        return { folder, standings: await allStandings(o.pool, folder.id) }
      })
      const file = encodeURIComponent(`${folder.name} rankings.csv`).replaceAll(/['()*]/g, '_')
      return reply
        .type('text/csv; charset=utf-8')
        .header('cache-control', 'private, no-store')
        .header('content-disposition', `attachment; filename="rankings-${folder.id}.csv"; filename*=UTF-8''${file}`)
        .send(standingsCsv(standings))
    },
  )
}

function voterBody(voter: Voter): Static<typeof VoterBody> {
  return { ...voter, createdAt: voter.createdAt.toISOString(), updatedAt: voter.updatedAt.toISOString() }
}

function writeCursor({ updatedAt, hash }: Cursor): string {
  return Buffer.from(`${updatedAt}|${hash}`).toString('base64url')
}

const CURSOR =
  /^(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{6}Z)\|([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/

function readCursor(text: string): Cursor {
  const [, second = '', rest = '', hash = ''] = CURSOR.exec(Buffer.from(text, 'base64url').toString()) ?? []
  const time = new Date(`${second}Z`)
  // Comes back as it was: no 30th of February.
  if (Number.isNaN(time.getTime()) || !time.toISOString().startsWith(second)) {
    throw badRequest('The cursor is not one that this list gave.')
  }
  return { updatedAt: second + rest, hash }
}
