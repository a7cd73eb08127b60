import { type App, buildServer, createFairQueue, LISTS_OF_USER } from '@skyfolio/kit'
import type { FoldersDeps } from './deps.ts'
import { contestRoutes } from './routes/contests.ts'
import { folderRoutes } from './routes/folders.ts'
import { linkRoutes } from './routes/links.ts'
import { resultRoutes } from './routes/results.ts'
import { shareRoutes } from './routes/share.ts'
import { voteRoutes } from './routes/votes.ts'
import { votingControlRoutes } from './routes/voting-control.ts'

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
  linkRoutes(app, deps)
  shareRoutes(app, deps)
  contestRoutes(app, limited)
  resultRoutes(app, deps)
  voteRoutes(app, limited)
  votingControlRoutes(app, limited)
  return app
}
