import { readdir } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { Connection } from './connection.ts'

const TABLE_MISSING = '42P01'

/** The versions of the dbmate migrations in a folder, in the order in which they are applied. */
async function versionsIn(migrationsDir: string): Promise<string[]> {
  const files = await readdir(migrationsDir)
  return files.flatMap((file) => /^(\d+).*[.]sql$/.exec(file)?.[1] ?? []).sort()
}

/** The database was made before the first release: its migrations are not the beginning of ours. */
export class EarlierDatabaseError extends Error {
  override name = 'EarlierDatabaseError'

  constructor() {
    super('the database is of a version before 1.0, which cannot be upgraded: use an empty one')
  }
}

/**
 * The versions of the migrations in a folder that a database lacks. It may have others, of a newer release.
 * @throws EarlierDatabaseError, and what the connection throws
 */
export async function missingMigrations(client: pg.ClientBase, migrationsDir: string): Promise<string[]> {
  const required = await versionsIn(migrationsDir)
  const applied = await appliedVersions(client)
  if (applied.length > 0 && applied[0] !== required[0]) throw new EarlierDatabaseError()
  return required.filter((version) => !applied.includes(version))
}

async function appliedVersions(client: pg.ClientBase): Promise<string[]> {
  try {
    const { rows } = await client.query<{ version: string }>('SELECT version FROM schema_migrations ORDER BY version')
    return rows.map(({ version }) => version)
  } catch (error) {
    if ((error as pg.DatabaseError).code === TABLE_MISSING) return []
    throw error
  }
}

/** Connects; the caller ends the connection. One that breaks later fails its next query and nothing else. */
export async function connectOnce(url: string): Promise<pg.Client> {
  const client = new Connection({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  await client.connect()
  return client
}

/**
 * Retries once a second until it succeeds, and reports failures: a new reason at once, the same one every 10 seconds.
 * @throws the last error after `limitMs`
 */
export async function attempts<T>(
  options: { say: (reason: string) => void; limitMs?: number },
  attempt: () => Promise<T>,
): Promise<T> {
  const end = performance.now() + (options.limitMs ?? Number.POSITIVE_INFINITY)
  let said = { reason: '', at: 0 }
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (performance.now() >= end) throw error
      const reason = reasonOf(error)
      if (reason !== said.reason || performance.now() - said.at >= 10_000) {
        options.say(reason)
        said = { reason, at: performance.now() }
      }
    }
    await delay(1_000)
  }
}

/** The message of an error. An AggregateError, as for a host with two unreachable addresses, has none of its own. */
export function reasonOf(error: unknown): string {
  const { message, code, errors } = error as Error & { code?: string; errors?: Error[] }
  return message || errors?.map((one) => one.message).join(', ') || code || String(error)
}
