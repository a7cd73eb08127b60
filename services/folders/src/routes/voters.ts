import { type App, badRequest, type FairQueue, notFound, requireUser } from '@skyfolio/kit'
import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import type { FlagUpdater } from '../voting/flag-updater.ts'
import { decodeVoterCursor, encodeVoterCursor } from '../voting/voter-cursor.ts'
import type { Voter, VoterList } from '../voting/voter-list.ts'
import type { VotingControl } from '../voting/voting-control.ts'
import { setPageHeaders } from './paging.ts'
import type { RequestOf } from './request.ts'
import { EXCLUDE_MANY, EXCLUDE_ONE, LIST_VOTERS, type VoterBody } from './voting-control-schemas.ts'

export interface VoterRouteDeps {
  votingControl: VotingControl
  voterList: VoterList
  flagUpdater: FlagUpdater
  ownerLimiter: FairQueue
  /** Publishes a hint to the owner's browsers that the standings, or the ballots in them, changed. */
  rankingsChanged(folderId: number, ownerId: number): void
}

const config = { access: 'user' } as const

/** The voters of a folder, for its owner. */
export function voterRoutes(app: App, deps: VoterRouteDeps): void {
  app.get('/api/folders/:id/voters', { config, schema: LIST_VOTERS }, (request, reply) =>
    listVoters(deps, request, reply),
  )
  app.patch('/api/folders/:id/voters', { config, schema: EXCLUDE_MANY }, (request) => excludeMany(deps, request))
  app.patch('/api/folders/:id/voters/:voter', { config, schema: EXCLUDE_ONE }, (request) => excludeOne(deps, request))
}

async function listVoters(deps: VoterRouteDeps, request: RequestOf<typeof LIST_VOTERS>, reply: FastifyReply) {
  const { id } = request.params
  const { limit, flagged, cursor: text } = request.query
  const { userId } = requireUser(request)
  const cursor = text ? decodeVoterCursor(text) : null
  const { voters, total, next } = await deps.ownerLimiter.run({ key: userId }, async () => {
    await deps.flagUpdater.refresh(await deps.votingControl.getOwnFolder(id, userId))
    return deps.voterList.list(id, { limit, flagged, cursor })
  })
  setPageHeaders(reply, {
    path: `/api/folders/${id}/voters`,
    total,
    next: next && { limit: `${limit}`, flagged: `${flagged}`, cursor: encodeVoterCursor(next) },
  })
  return voters.map(voterBody)
}

async function excludeMany(deps: VoterRouteDeps, request: RequestOf<typeof EXCLUDE_MANY>) {
  const { id } = request.params
  const { userId } = requireUser(request)
  const { excluded, flag, flagged } = request.body
  const filter = flag ?? (flagged ? 'flagged' : 'all')
  if (excluded && filter === 'all') throw badRequest('Please say which ballots: those with a flag, or all flagged.')
  const changed = await deps.ownerLimiter.run({ key: userId }, async () => {
    await deps.flagUpdater.refresh(await deps.votingControl.getOwnFolder(id, userId))
    return deps.votingControl.setManyExcluded(id, userId, filter, excluded)
  })
  deps.rankingsChanged(id, userId)
  return { changed }
}

async function excludeOne(deps: VoterRouteDeps, request: RequestOf<typeof EXCLUDE_ONE>) {
  const { id, voter: label } = request.params
  const { userId } = requireUser(request)
  await deps.ownerLimiter.run({ key: userId }, () =>
    deps.votingControl.setExcluded(id, userId, label, request.body.excluded),
  )
  deps.rankingsChanged(id, userId)
  const voter = await deps.voterList.find(id, label)
  if (!voter) throw notFound('Voter not found')
  return voterBody(voter)
}

function voterBody(voter: Voter): Static<typeof VoterBody> {
  return { ...voter, createdAt: voter.createdAt.toISOString(), updatedAt: voter.updatedAt.toISOString() }
}
