import type { Pool } from 'pg'
import { openPool } from '../postgres/database.ts'
import { createLifetime } from '../process/lifetime.ts'
import { createLogger } from '../process/logger.ts'
import { waitUntilCaughtUp } from './consumer.ts'
import { openNats } from './nats-connection.ts'

export interface Rebuild {
  /** Of the process, such as `folders-rebuild`. */
  name: string
  config: { databaseUrl: string; natsUrl: string; natsCredentialsFile?: string | undefined }
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
  const life = createLifetime(createLogger(name, 'warn'))
  const pool = openPool(config.databaseUrl, { max: 2 })
  life.defer('database', () => pool.end())
  try {
    if (step === 'end') await waitUntilCaughtUp(await openNats(life, config, name), { durable, subjects })
    process.stdout.write(`${await rebuild[step](pool)}\n`)
  } finally {
    await life.close()
  }
}
