import type { NatsConnection } from '@nats-io/nats-core'
import { type App, type Lifetime, publishHint, repeat, serveRequests, startConsumer, startRelay } from '@skyfolio/kit'
import { folderAccess, hints } from '@skyfolio/proto'
import type { Pool } from 'pg'
import { buildApp } from './app.ts'
import { openDatabase } from './database.ts'
import { answerAccess, DURABLE, photoHandlers } from './events.ts'
import { createFolders } from './folders/folders.ts'
import { createSharePages } from './sharing/share-pages.ts'
import { createVoting } from './voting/cast-vote.ts'
import { createFlagging, type FlagRules } from './voting/flagging.ts'
import { createRankingHints } from './voting/ranking-hints.ts'
import { createBallots } from './voting/read-ballots.ts'
import { compact, createStandings } from './voting/tallies.ts'
import { longestKnownKey } from './voting/voter-keys.ts'
import { createVoterList } from './voting/voter-list.ts'
import { createVoters } from './voting/voters.ts'
import { createVotingControl } from './voting/voting-control.ts'

const COMPACT_EVERY_SECONDS = 2

export interface ServiceOptions {
  pool: Pool
  nats: NatsConnection
  identityKeys: string[]
  voterKeys: string[]
  /** Whether browsers come over https. */
  secureCookies: boolean
  flagRules: FlagRules
}

/** Starts all of the folders service but its port, on connections that are open already. */
export async function startFolders(life: Lifetime, o: ServiceOptions): Promise<App> {
  const { pool, nats } = o
  const { logger } = life
  const database = openDatabase(pool)
  const hashKey = await longestKnownKey(pool, o.voterKeys)

  const relay = startRelay({ pool, nats, logger })
  life.defer('outbox relay', () => relay.stop())
  life.defer(
    'compaction',
    repeat('compaction', COMPACT_EVERY_SECONDS, () => compact(pool), logger),
  )
  const consumer = await startConsumer({
    nats,
    durable: DURABLE,
    handlers: photoHandlers,
    transaction: (work) => database.$transaction(work),
    logger,
  })
  life.defer('consumer', () => consumer.stop())
  const access = serveRequests(nats, folderAccess, (request) => answerAccess(database, request), logger)
  life.defer('folder access', () => access.stop())
  const rankingHints = createRankingHints((folderId, userId) =>
    publishHint(nats, hints.rankingsChanged, { folderId, userId }),
  )
  life.defer('ranking hints', () => rankingHints.stop())

  const flagging = createFlagging({ pool, logger, rules: o.flagRules, onChange: rankingHints.changed })
  life.defer('flags of ballots', () => flagging.stop())

  return buildApp({
    logger,
    identityKeys: o.identityKeys,
    pool,
    database,
    folders: createFolders(database, relay.wake),
    sharePages: createSharePages(pool),
    ballots: createBallots(pool),
    votingControl: createVotingControl(database),
    standings: createStandings(pool),
    voterList: createVoterList(pool),
    flagging,
    rankingsChanged: rankingHints.changed,
    voters: createVoters(o.voterKeys, { secure: o.secureCookies, hashKey }),
    voting: createVoting({ pool, logger, onChange: rankingHints.changed }),
  })
}
