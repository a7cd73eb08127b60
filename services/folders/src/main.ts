import {
  answer,
  connectNats,
  ensureStreams,
  loadConfig,
  openPool,
  publishHint,
  runProcess,
  serve,
  startConsumer,
  startOps,
  startRelay,
} from '@skyfolio/kit'
import { folderAccess, hints } from '@skyfolio/proto'
import { buildApp } from './app.ts'
import { createBallots } from './ballots.ts'
import { settings } from './config.ts'
import { openDatabase } from './database.ts'
import { answerAccess, DURABLE, photoHandlers } from './events.ts'
import { createFolders } from './folders.ts'
import { createRankingHints } from './ranking-hints.ts'
import { createSharePages } from './share-pages.ts'
import { startCompaction } from './tallies.ts'
import { createVoters } from './voters.ts'
import { createVoting } from './voting.ts'

await runProcess('folders', async (life) => {
  const { logger } = life
  const config = loadConfig(settings, process.env)
  await startOps(life, { host: config.host, port: config.opsPort })

  const pool = openPool(config.databaseUrl)
  life.defer('database', () => pool.end())
  life.health.addCheck('database', async () => void (await pool.query('SELECT 1')))
  const database = openDatabase(pool)

  const nats = await connectNats(config.natsUrl, 'folders')
  life.defer('nats', () => nats.drain())
  await ensureStreams(nats)

  const relay = startRelay({ pool, nats, logger })
  life.defer('outbox relay', () => relay.stop())
  const compaction = startCompaction({ pool, logger })
  life.defer('compaction', () => compaction.stop())
  const consumer = await startConsumer({
    nats,
    durable: DURABLE,
    handlers: photoHandlers,
    transaction: (work) => database.$transaction(work),
    logger,
  })
  life.defer('consumer', () => consumer.stop())
  const access = answer(nats, folderAccess, (request) => answerAccess(database, request), logger)
  life.defer('folder access', () => access.stop())

  const rankingHints = createRankingHints((folderId, userId) =>
    publishHint(nats, hints.rankingsChanged, { folderId, userId }),
  )
  life.defer('ranking hints', () => rankingHints.stop())

  const app = await buildApp({
    logger,
    identityKeys: config.identityKeys,
    pool,
    database,
    folders: createFolders(database, relay.wake),
    sharePages: createSharePages(pool),
    ballots: createBallots(pool),
    voters: createVoters(config.voterKey, { secure: config.publicOrigin.startsWith('https:') }),
    voting: createVoting({ pool, logger, onChange: rankingHints.changed }),
  })
  await serve(life, app, config)
})
