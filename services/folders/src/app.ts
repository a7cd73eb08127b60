import { type App, buildServer, type Logger } from '@skyfolio/kit'
import { folderRoutes } from './routes/folders.ts'
import { type RankingDependencies, rankingRoutes } from './routes/ranking.ts'
import { shareRoutes } from './routes/share.ts'
import { type VotingDependencies, votingRoutes } from './routes/voting.ts'
import type { SharePages } from './share-pages.ts'

export interface Dependencies extends RankingDependencies, VotingDependencies {
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
