import { type App, type FairQueue, requireUser } from '@skyfolio/kit'
import type { FastifyReply } from 'fastify'
import type { Folders } from '../folders/folders.ts'
import type { VotingControl } from '../voting/voting-control.ts'
import { folderBody, SET_VOTING_OPEN } from './folder-schemas.ts'
import { setPageHeaders } from './paging.ts'
import type { RequestOf } from './request.ts'
import { READ_VOTING_LOG, RESET_VOTES } from './voting-control-schemas.ts'

export interface VotingControlRouteDeps {
  folders: Folders
  votingControl: VotingControl
  ownerLimiter: FairQueue
  /** Publishes a hint to the owner's browsers that the standings, or the ballots in them, changed. */
  rankingsChanged(folderId: number, ownerId: number): void
}

const config = { access: 'user' } as const

/** What the owner does with the voting of a folder, and the log of it. */
export function votingControlRoutes(app: App, deps: VotingControlRouteDeps): void {
  app.patch('/api/folders/:id/voting', { config, schema: SET_VOTING_OPEN }, (request) => setVotingOpen(deps, request))
  app.delete('/api/folders/:id/votes', { config, schema: RESET_VOTES }, (request, reply) =>
    resetVotes(deps, request, reply),
  )
  app.get('/api/folders/:id/voting-log', { config, schema: READ_VOTING_LOG }, (request, reply) =>
    readVotingLog(deps, request, reply),
  )
}

async function setVotingOpen(deps: VotingControlRouteDeps, request: RequestOf<typeof SET_VOTING_OPEN>) {
  const { userId } = requireUser(request)
  const folder = await deps.folders.setVotingOpen(request.params.id, userId, request.body.open)
  deps.rankingsChanged(folder.id, userId)
  return folderBody(folder)
}

async function resetVotes(deps: VotingControlRouteDeps, request: RequestOf<typeof RESET_VOTES>, reply: FastifyReply) {
  const { userId } = requireUser(request)
  await deps.votingControl.reset(request.params.id, userId)
  deps.rankingsChanged(request.params.id, userId)
  reply.code(204)
  return null
}

async function readVotingLog(
  deps: VotingControlRouteDeps,
  request: RequestOf<typeof READ_VOTING_LOG>,
  reply: FastifyReply,
) {
  const { id } = request.params
  const { userId } = requireUser(request)
  const { entries, total, next } = await deps.ownerLimiter.run({ key: userId }, () =>
    deps.votingControl.readLog(id, userId, request.query),
  )
  setPageHeaders(reply, {
    path: `/api/folders/${id}/voting-log`,
    total,
    next: next === null ? null : { limit: `${request.query.limit}`, cursor: next },
  })
  return entries.map((entry) => ({ ...entry, at: entry.at.toISOString() }))
}
