import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import { openPool, type SqlDatabase, type SqlTransaction } from '../postgres/database.ts'
import { createLifetime, type Lifetime } from '../process/lifetime.ts'
import { createLogger } from '../process/logger.ts'
import { waitUntilCaughtUp } from './consumer.ts'
import { openNats, type StreamsConfig } from './nats-connection.ts'
import { startRelay } from './outbox.ts'
import type { EventTopics } from './streams.ts'

interface Command {
  /** Of the process, such as `folders-rebuild`. */
  name: string
  config: StreamsConfig & { databaseUrl: string }
}

/** Runs a command on a pool of its own, and prints the sentence that it returns. */
async function runCommand(
  { name, config }: Command,
  work: (life: Lifetime, pool: Pool) => Promise<string>,
): Promise<void> {
  const life = createLifetime(createLogger(name, 'warn'))
  const pool = openPool(config.databaseUrl, { max: 2 })
  life.defer('database', () => pool.end())
  try {
    process.stdout.write(`${await work(life, pool)}\n`)
  } finally {
    await life.close()
  }
}

interface Republish extends Command {
  topics: EventTopics
  /** Writes the events to the outbox. Returns a sentence about them. */
  republish(pool: Pool): Promise<string>
}

/** Publishes the state of what a service owns again, so that others can rebuild their projections. Ends when all is published. */
export function runRepublish({ topics, republish, ...command }: Republish): Promise<void> {
  return runCommand(command, async (life, pool) => {
    const nats = await openNats(life, command.config, command.name, topics)
    const relay = startRelay({ pool, nats, logger: life.logger })
    life.defer('relay', () => relay.stop())
    const sentence = await republish(pool)
    const [{ last }] = (await pool.query('SELECT max(seq) AS last FROM outbox')).rows
    while (await isWaiting(pool, last)) {
      await relay.flush()
      await delay(100)
    }
    return sentence
  })
}

/** Whether events up to this one are not published yet: a relay skips what another one holds. */
async function isWaiting(pool: Pool, last: string): Promise<boolean> {
  const waiting = 'SELECT FROM outbox WHERE published_at IS NULL AND seq <= $1 LIMIT 1'
  return (await pool.query(waiting, [last])).rowCount !== 0
}

interface Rebuild extends Command {
  /** The consumer that keeps the projection, and what it handles. */
  durable: string
  subjects: string[]
  /** Puts all rows in doubt. Returns a sentence about them. */
  begin(pool: Pool): Promise<string>
  /** Removes the rows that no event has confirmed. Returns a sentence about them. */
  end(pool: Pool): Promise<string>
}

/**
 * Rebuilds a projection as the argument of the command says: `begin`, then the owner of the data publishes all of it again, then
 * `end`. The consumer may run throughout and must run before `end`.
 */
export async function runRebuild(rebuild: Rebuild): Promise<void> {
  const [step] = process.argv.slice(2)
  if (step !== 'begin' && step !== 'end') throw new Error('usage: rebuild.ts begin|end')
  const { name, config, durable, subjects } = rebuild
  await runCommand(rebuild, async (life, pool) => {
    if (step === 'end') await waitUntilCaughtUp(await openNats(life, config, name), { durable, subjects })
    return rebuild[step](pool)
  })
}

/** A Prisma client that runs statements also outside of a transaction. */
type PhotoDatabase<Tx extends SqlTransaction> = SqlDatabase<Tx> & SqlTransaction

export interface PhotoDeletion {
  photoId: number
  userId: number
  revision: number
}

interface PhotoRebuild<Tx extends SqlTransaction> extends Omit<Rebuild, 'begin' | 'end' | 'subjects'> {
  handlers: { subject: string }[]
  openDatabase(pool: Pool): PhotoDatabase<Tx>
  /** Replaces a photo by a tombstone. */
  deletePhoto(tx: Tx, deletion: PhotoDeletion): Promise<void>
}

/** The same for a projection of media's photos: the tables `photos` and `doubted_photos`. */
export function runPhotoRebuild<Tx extends SqlTransaction>(rebuild: PhotoRebuild<Tx>): Promise<void> {
  const { handlers, openDatabase, deletePhoto } = rebuild
  return runRebuild({
    ...rebuild,
    subjects: handlers.map(({ subject }) => subject),
    begin: async (pool) => `Rebuild started: ${await beginRebuild(openDatabase(pool))} photos to confirm.`,
    end: async (pool) =>
      `Rebuild complete: ${await endRebuild(openDatabase(pool), deletePhoto)} photos that no longer exist were removed.`,
  })
}

/** Puts every photo in doubt until an event of media's confirms it. Returns how many there are. */
export async function beginRebuild<Tx extends SqlTransaction>(db: SqlDatabase<Tx>): Promise<number> {
  return db.$transaction(async (tx) => {
    await tx.$executeRawUnsafe('TRUNCATE doubted_photos')
    return tx.$executeRawUnsafe('INSERT INTO doubted_photos SELECT id FROM photos WHERE NOT deleted')
  })
}

/**
 * Ends the rebuild, after media has republished every photo and all events have been handled: photos still in doubt no
 * longer exist, their deletion was missed, and `deletePhoto` is called for them. Returns how many.
 */
export async function endRebuild<Tx extends SqlTransaction>(
  db: PhotoDatabase<Tx>,
  deletePhoto: PhotoRebuild<Tx>['deletePhoto'],
): Promise<number> {
  const missing = await db.$queryRawUnsafe<PhotoDeletion[]>(
    `SELECT id AS "photoId", user_id AS "userId", revision + 1 AS revision
     FROM photos JOIN doubted_photos USING (id) WHERE NOT deleted`,
  )
  for (const deletion of missing) await db.$transaction((tx) => deletePhoto(tx, deletion))
  await db.$executeRawUnsafe('DELETE FROM doubted_photos')
  return missing.length
}
