import { type App, createLogger } from '@skyfolio/kit'
import { buildApp } from '../src/app.ts'

/** The routes without dependencies: the document is generated without calling a handler. */
export function openApiApp(): Promise<App> {
  const unused = {} as never
  return buildApp({
    logger: createLogger('folders', 'silent'),
    identityKeys: ['x'.repeat(32)],
    pool: unused,
    database: unused,
    folders: unused,
    publicNames: unused,
    linkCookie: unused,
    sharePages: unused,
    ballots: unused,
    voterIdentity: unused,
    voteCaster: unused,
    votingControl: unused,
    voterList: unused,
    flagUpdater: unused,
    standings: unused,
    rankingsChanged: unused,
  })
}
