import { type App, buildServer, createFairQueue, LISTS_OF_USER, type Logger } from '@skyfolio/kit'
import { type FolderRouteDeps, folderRoutes } from './routes/folders.ts'
import { type RankingRouteDeps, rankingRoutes } from './routes/rankings.ts'
import { type ShareRouteDeps, shareRoutes } from './routes/share.ts'
import { type VoterRouteDeps, voterRoutes } from './routes/voters.ts'
import { type VoteRouteDeps, voteRoutes } from './routes/votes.ts'
import { type VotingControlRouteDeps, votingControlRoutes } from './routes/voting-control.ts'

type RouteDeps = FolderRouteDeps &
  ShareRouteDeps &
  VoteRouteDeps &
  RankingRouteDeps &
  VoterRouteDeps &
  VotingControlRouteDeps

export interface FoldersDeps extends Omit<RouteDeps, 'ownerLimiter'> {
  logger: Logger
}

/** The HTTP side of folders. */
export async function buildApp(deps: FoldersDeps): Promise<App> {
  const app = await buildServer({
    name: 'folders',
    title: 'Folders, shares and votes',
    logger: deps.logger,
    identityKeys: deps.identityKeys,
  })
  // Requests that read or change all ballots of a folder use few connections of the pool, and fewer of one owner.
  const ownerLimiter = createFairQueue({
    perKey: 2,
    total: 3,
    maxWaitingPerKey: 50,
    maxWaiting: 500,
    ...LISTS_OF_USER,
  })
  const limited = { ...deps, ownerLimiter }
  folderRoutes(app, deps)
  shareRoutes(app, deps)
  voteRoutes(app, deps)
  rankingRoutes(app, limited)
  voterRoutes(app, limited)
  votingControlRoutes(app, limited)
  return app
}
