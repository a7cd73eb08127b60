import { type App, buildServer, type Logger } from '@skyfolio/kit'
import { folderRoutes } from './routes/folders.ts'
import { shareRoutes } from './routes/share.ts'
import { rankingRoutes, type VoteRouteDeps } from './routes/votes.ts'
import { type VotingControlDeps, votingRoutes } from './routes/voting-control.ts'
import type { SharePages } from './sharing/share-pages.ts'

export interface Dependencies extends VoteRouteDeps, VotingControlDeps {
  logger: Logger
  identityKeys: string[]
  sharePages: SharePages
}

/** The HTTP side of folders. */
export async function buildApp(o: Dependencies): Promise<App> {
  const app = await buildServer({
    name: 'folders',
    title: 'Skyfolio: folders, shares and votes',
    logger: o.logger,
    identityKeys: o.identityKeys,
  })
  folderRoutes(app, o.folders)
  shareRoutes(app, o)
  rankingRoutes(app, o)
  votingRoutes(app, o)
  return app
}
