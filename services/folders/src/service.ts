import type { NatsConnection } from '@nats-io/nats-core'
import {
  type App,
  createLinkCookies,
  createPublicNames,
  createViewAudit,
  type Lifetime,
  publishHint,
  repeat,
  serveRequests,
  startConsumer,
  startErasures,
  startRelay,
} from '@skyfolio/kit'
import { createPasswords } from '@skyfolio/kit/passwords'
import { events, exportSources, folderAccess, hints } from '@skyfolio/proto'
import type { Pool } from 'pg'
import { buildApp } from './app.ts'
import { createContests } from './contests/contest.ts'
import { createInvitations } from './contests/invitations.ts'
import { createResults } from './contests/results.ts'
import { openDatabase } from './database.ts'
import { DURABLE, photoHandlers, readAccess, USERS_DURABLE, userHandlers } from './events.ts'
import { readExport } from './export/read-export.ts'
import { createFolders } from './folders/folders.ts'
import { eraseUser } from './folders/remove-folder.ts'
import { createHints } from './hints.ts'
import { createLinkOpenings } from './links/link-openings.ts'
import { createLinks } from './links/links.ts'
import { createSharePages } from './sharing/share-pages.ts'
import { createBallotReader } from './voting/ballots.ts'
import { createVoteCaster } from './voting/cast-vote.ts'
import { compactTallies } from './voting/change-ballots.ts'
import { createVoterFinder } from './voting/find-voter.ts'
import { createFlagUpdater, FLAG_RULES, type FlagRules } from './voting/flag-updater.ts'
import { createPublicStandings, createStandingsReader } from './voting/standings.ts'
import { createVoterIdentity, oldestKnownKey } from './voting/voter-identity.ts'
import { createVoterList } from './voting/voters.ts'
import { createVotingControl } from './voting/voting-control.ts'

export interface ServiceDeps {
  pool: Pool
  nats: NatsConnection
  identityKeys: string[]
  voterKeys: string[]
  linkKeys: string[]
  /** Whether browsers connect over HTTPS. */
  secureCookies: boolean
  /** By default those of flag-updater.ts. */
  flagRules?: FlagRules
  /** Folders that one user may have; 5,000 by default. */
  maxFolders?: number
}

const COMPACTION_SECONDS = 2
const COUNT_SECONDS = 2
/** Each takes a thread, and few are entered: those of links. */
const PASSWORDS_AT_ONCE = 1

/** Starts the folders service except its port, on open connections. */
export async function startFolders(life: Lifetime, deps: ServiceDeps): Promise<App> {
  const { pool, nats, identityKeys, voterKeys, linkKeys, secureCookies, flagRules, maxFolders } = deps
  const { logger } = life
  const database = openDatabase(pool)
  const hashKey = await oldestKnownKey(database, voterKeys)
  const publicNames = createPublicNames(linkKeys)

  const relay = startRelay({ pool, nats, logger })
  life.defer('outbox relay', () => relay.stop())
  life.defer(
    'compaction',
    repeat('compaction', COMPACTION_SECONDS, () => compactTallies(database), logger),
  )
  const contentsHints = createHints((userId) => publishHint(nats, hints.contentsChanged, { userId }))
  life.defer('contents hints', () => contentsHints.stop())
  const consumer = await startConsumer({
    nats,
    durable: DURABLE,
    handlers: photoHandlers((userId) => contentsHints.changed(userId, userId)),
    db: database,
    logger,
  })
  life.defer('consumer', () => consumer.stop())
  const users = await startConsumer({
    nats,
    durable: USERS_DURABLE,
    handlers: userHandlers,
    db: database,
    logger,
  })
  life.defer('consumer of users', () => users.stop())
  life.defer(
    'erasures',
    startErasures({
      pool,
      logger,
      topic: events.foldersErasureChanged,
      db: database,
      erase: (userId) => eraseUser(database, userId, relay.wake),
      afterCommit: relay.wake,
    }),
  )
  const access = serveRequests(nats, folderAccess, (request) => readAccess(database, request), logger)
  life.defer('folder access', () => access.stop())
  const exported = serveRequests(nats, exportSources.folders, (request) => readExport(pool, request), logger)
  life.defer('export', () => exported.stop())
  const viewAudit = createViewAudit({
    topic: events.foldersAuditRecorded,
    db: database,
    afterCommit: relay.wake,
  })
  const rankingHints = createHints((folderId, userId) => publishHint(nats, hints.rankingsChanged, { folderId, userId }))
  life.defer('ranking hints', () => rankingHints.stop())
  const flagUpdater = createFlagUpdater({
    pool,
    logger,
    rules: flagRules ?? FLAG_RULES,
    onChange: rankingHints.changed,
  })
  life.defer('flag updates', () => flagUpdater.stop())

  const results = createResults({ pool, logger, onCount: rankingHints.changed })
  life.defer('counts of closed votings', repeat('counts of closed votings', COUNT_SECONDS, results.countClosed, logger))

  const linkOpenings = createLinkOpenings(pool, logger)
  life.defer('openings of links', () => linkOpenings.stop())
  const passwords = await createPasswords({ concurrency: PASSWORDS_AT_ONCE })

  const voterIdentity = createVoterIdentity(voterKeys, { secure: secureCookies, hashKey })
  const linkCookies = createLinkCookies(linkKeys, secureCookies)

  const standings = createStandingsReader(pool)

  return buildApp({
    logger,
    identityKeys,
    pool,
    database,
    folders: createFolders({ db: database, viewAudit, onCommit: relay.wake }, maxFolders),
    publicNames,
    links: createLinks(database, passwords, relay.wake),
    contests: createContests(database, relay.wake),
    invitations: createInvitations(database, voterIdentity),
    results,
    linkCookies,
    linkOpenings,
    passwords,
    sharePages: createSharePages({ pool, publicNames, results }),
    ballots: createBallotReader(pool),
    votingControl: createVotingControl(database),
    standings,
    publicStandings: createPublicStandings(pool, standings),
    voterList: createVoterList(pool),
    flagUpdater,
    rankingsChanged: rankingHints.changed,
    voterIdentity,
    voterFinder: createVoterFinder({ pool, linkCookies, voterIdentity }),
    voteCaster: createVoteCaster({ pool, logger, onChange: rankingHints.changed }),
  })
}
