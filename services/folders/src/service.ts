import type { NatsConnection } from '@nats-io/nats-core'
import { type App, type Lifetime, publishHint, repeat, serveRequests, startConsumer, startRelay } from '@skyfolio/kit'
import { folderAccess, hints } from '@skyfolio/proto'
import type { Pool } from 'pg'
import { buildApp } from './app.ts'
import { openDatabase } from './database.ts'
import { DURABLE, photoHandlers, readAccess } from './events.ts'
import { createFolders } from './folders/folders.ts'
import { createSharePages } from './sharing/share-pages.ts'
import { createVoteCaster } from './voting/cast-vote.ts'
import { compactTallies } from './voting/compact-tallies.ts'
import { createFlagUpdater, type FlagRules } from './voting/flag-updater.ts'
import { createRankingHints } from './voting/ranking-hints.ts'
import { createBallotReader } from './voting/read-ballots.ts'
import { createStandingsReader } from './voting/standings.ts'
import { createVoterIdentity } from './voting/voter-identity.ts'
import { oldestKnownKey } from './voting/voter-keys.ts'
import { createVoterList } from './voting/voter-list.ts'
import { createVotingControl } from './voting/voting-control.ts'

export interface ServiceDeps {
  pool: Pool
  nats: NatsConnection
  identityKeys: string[]
  voterKeys: string[]
  /** Whether browsers connect over HTTPS. */
  secureCookies: boolean
  flagRules: FlagRules
}

const COMPACTION_SECONDS = 2

/** Starts the folders service except its port, on open connections. */
export async function startFolders(life: Lifetime, deps: ServiceDeps): Promise<App> {
  const { pool, nats, identityKeys, voterKeys, secureCookies, flagRules } = deps
  const { logger } = life
  const database = openDatabase(pool)
  const hashKey = await oldestKnownKey(pool, voterKeys)

  const relay = startRelay({ pool, nats, logger })
  life.defer('outbox relay', () => relay.stop())
  life.defer(
    'compaction',
    repeat('compaction', COMPACTION_SECONDS, () => compactTallies(pool), logger),
  )
  const consumer = await startConsumer({
    nats,
    durable: DURABLE,
    handlers: photoHandlers,
    transaction: (work) => database.$transaction(work),
    logger,
  })
  life.defer('consumer', () => consumer.stop())
  const access = serveRequests(nats, folderAccess, (request) => readAccess(database, request), logger)
  life.defer('folder access', () => access.stop())
  const rankingHints = createRankingHints((folderId, userId) =>
    publishHint(nats, hints.rankingsChanged, { folderId, userId }),
  )
  life.defer('ranking hints', () => rankingHints.stop())
  const flagUpdater = createFlagUpdater({ pool, logger, rules: flagRules, onChange: rankingHints.changed })
  life.defer('flag updates', () => flagUpdater.stop())

  return buildApp({
    logger,
    identityKeys,
    pool,
    database,
    folders: createFolders(database, relay.wake),
    sharePages: createSharePages(pool),
    ballots: createBallotReader(pool),
    votingControl: createVotingControl(database),
    standings: createStandingsReader(pool),
    voterList: createVoterList(pool),
    flagUpdater,
    rankingsChanged: rankingHints.changed,
    voterIdentity: createVoterIdentity(voterKeys, { secure: secureCookies, hashKey }),
    voteCaster: createVoteCaster({ pool, logger, onChange: rankingHints.changed }),
  })
}
