import { type App, createLogger } from '@skyfolio/kit'
import { buildApp } from '../src/app.ts'

/** The routes alone: describing them calls none, so nothing behind them is needed. */
export function openApiApp(): Promise<App> {
  const unused = {} as never
  return buildApp({
    logger: createLogger('folders', 'silent'),
    identityKeys: ['x'.repeat(32)],
    pool: unused,
    database: unused,
    folders: unused,
    sharePages: unused,
    ballots: unused,
    voters: unused,
    voting: unused,
    votingControl: unused,
    voterList: unused,
    flagging: unused,
    standings: unused,
    rankingsChanged: unused,
  })
}
